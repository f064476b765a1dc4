// One file: scripts and styles inside, nothing fetched. Its name is what crates/tcpwhy-report embeds.
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig({
  plugins: [viteSingleFile()],
  build: {
    outDir: "../crates/tcpwhy-report/src/page",
    emptyOutDir: false,
    target: "es2022",
    rollupOptions: { input: "page.html" },
  },
});
