import { defineConfig } from "vite";

// Nothing is inlined: the page's security policy allows only files from its own server.
export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The editor is half of the page's code and is loaded only with its own page.
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/api": "http://127.0.0.1:9009", "/metrics": "http://127.0.0.1:9009" } },
});
