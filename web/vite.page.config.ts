// The exported page: one script without imports, which Python puts into one HTML file.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    outDir: "../src/kinegen/studio/client/page",
    emptyOutDir: true,
    target: "es2022",
    lib: { entry: "src/page/main.ts", formats: ["iife"], name: "KinegenPage", fileName: () => "page.js" },
    chunkSizeWarningLimit: 1500,
  },
});
