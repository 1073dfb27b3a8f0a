// Compile one TypeScript file for Node and run it: `node run.mjs tests/math.test.ts`.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { spawnSync } from "node:child_process";
import { build } from "esbuild";
import { common } from "./bundle.mjs";

const [flags, paths, rest] = [[], [], []];
for (const argument of process.argv.slice(2)) {
  (argument.startsWith("--") ? flags : argument.endsWith(".ts") ? paths : rest).push(argument);
}
const folder = await mkdtemp(join(tmpdir(), "demur-web-"));
try {
  const compiled = [];
  for (const path of paths) {
    const made = await build({ ...common, entryPoints: [path], format: "esm", platform: "node" });
    compiled.push(join(folder, `${basename(path, ".ts")}.mjs`));
    await writeFile(compiled.at(-1), made.outputFiles[0].text);
  }
  process.exitCode = spawnSync(process.execPath, [...flags, ...compiled, ...rest], { stdio: "inherit" }).status ?? 1;
} finally {
  await rm(folder, { recursive: true });
}
