// One file a page: scripts and styles inside, nothing fetched. The report is what crates/tcpwhy-report embeds, the list (--mode serve)
// what `tcpwhy serve` does.
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig(({ mode }) => ({
  plugins: [viteSingleFile()],
  build: {
    outDir: mode === "serve" ? "../crates/tcpwhy/src/serve" : "../crates/tcpwhy-report/src/page",
    emptyOutDir: false,
    target: "es2022",
    rollupOptions: { input: mode === "serve" ? "serve.html" : "page.html" },
  },
}));
