// Compare the committed bundle with a fresh build: `npm run verify`.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { bundle, page } from "./bundle.mjs";

let stale = false;
for (const [name, text] of await bundle()) {
  const committed = await readFile(join(page, name), "utf8").catch(() => null);
  if (committed === text) continue;
  stale = true;
  console.error(`${name} ${committed === null ? "is missing" : "does not match its sources"}. Hint: make web`);
}
process.exitCode = stale ? 1 : 0;
