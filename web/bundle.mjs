// How the page is built; build.mjs writes the files, check-bundle.mjs compares them.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const web = dirname(fileURLToPath(import.meta.url));
export const page = join(web, "..", "src", "demur", "report", "page");

const ENTRIES = {
  "bundle.js": "src/main.ts",
  "style.css": "src/style.css",
  "notebook.js": "src/notebook.ts",
};

/** Options every bundle shares, the tested one and the shipped one. */
export const common = {
  absWorkingDir: web,
  bundle: true,
  charset: "utf8",
  target: "es2020",
  write: false,
  logLevel: "warning",
};

/** The files of the package by name: the same bytes from the same sources, on every machine. */
export async function bundle() {
  const files = new Map();
  for (const [name, entry] of Object.entries(ENTRIES)) {
    const made = await build({
      ...common,
      entryPoints: [entry],
      // a notebook imports what it runs
      format: name === "notebook.js" ? "esm" : "iife",
      minify: true,
    });
    files.set(name, made.outputFiles[0].text);
  }
  return files;
}
