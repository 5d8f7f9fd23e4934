// The exported page: one script without imports, which Python puts into one HTML file.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [svelte()],
  publicDir: false,
  build: {
    outDir: "../src/kinegen/studio/client/page",
    emptyOutDir: true,
    target: "es2022",
    lib: {
      entry: "src/page/main.ts",
      formats: ["iife"],
      name: "KinegenPage",
      fileName: () => "page.js",
      cssFileName: "page",
    },
    chunkSizeWarningLimit: 1500,
  },
});
