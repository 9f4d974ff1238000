import { defineConfig } from "vite";

export default defineConfig({
  base: "/view/",
  build: {
    outDir: "../src/graph_memory/viewer",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    license: { fileName: "licenses.md" },
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
  worker: { format: "es" },
});
