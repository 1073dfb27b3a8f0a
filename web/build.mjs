// Write the bundle into the Python package: `npm run build`, or `make web`.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundle, page } from "./bundle.mjs";

await mkdir(page, { recursive: true });
for (const [name, text] of await bundle()) {
  await writeFile(join(page, name), text);
  console.log(`${name}: ${(Buffer.byteLength(text) / 1000).toFixed(1)} kB`);
}
