// How the page is built; build.mjs writes the files, check-bundle.mjs compares them.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const web = dirname(fileURLToPath(import.meta.url));
export const page = join(web, "..", "src", "demur", "report", "page");

const ENTRIES = {
  "bundle.js": "src/main.ts",
  "style.css": "src/style.css",
  // the page of many classes has a script of its own: neither page carries the other
  "classes.js": "src/classes/main.ts",
  "classes.css": "src/classes/style.css",
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
      legalComments: "inline",
      metafile: true,
    });
    files.set(name, (await licences(made.metafile)) + made.outputFiles[0].text);
  }
  return files;
}

/** A comment with the licence of every bundled package: D3 keeps its own (ISC) outside the sources. */
async function licences(metafile) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  const found = inputs.map((path) => /(?:^|\/)node_modules\/([^/]+)\//.exec(path)?.[1]).filter(Boolean);
  const byText = new Map();
  for (const name of [...new Set(found)].sort()) {
    const text = (await readFile(join(web, "node_modules", name, "LICENSE"), "utf8")).trim();
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  if (byText.size === 0) return "";
  const parts = [...byText].map(([text, names]) => `${names.join(", ")}:\n${text}`);
  return `/*! Bundled packages and their licences\n\n${parts.join("\n\n")}\n*/\n`;
}
