// The studio's page: built into the package, served by `kinegen studio`.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte()],
  base: "./",
  build: {
    outDir: "../src/kinegen/studio/client",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the content security policy allows no data: scripts
    chunkSizeWarningLimit: 1500,
  },
  // for `make coverage`; generated files and markup say nothing about the tests
  test: {
    // files share a worker's modules: loading three.js and the kernels for each takes half of the time
    isolate: false,
    // what Python compiles for the tests takes long on a machine that does other work too
    hookTimeout: 120_000,
    testTimeout: 60_000,
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: ["src/wire/messages.ts"],
      reporter: ["text-summary", "html", "json-summary"],
      reportsDirectory: "../build/coverage/page",
    },
  },
});
