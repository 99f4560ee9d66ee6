import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import {
  access,
  constants,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { build } from "../scripts/build.ts";
import { childEnv } from "./support/child-env.ts";
import { startCommand } from "./support/command.ts";
import { ROOT } from "./support/source-files.ts";

const CONSUMER = join(import.meta.dirname, "consumer");

describe("the published package", () => {
  let folder = "";
  let program = "";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "pinhole-package-"));
    program = await install(folder);
    await copyFile(join(CONSUMER, "embed.ts"), join(program, "embed.js"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test("the published package says what it is and carries nothing that is only for development", async () => {
    const manifest = JSON.parse(await readFile(join(program, "node_modules/pinhole/package.json"), "utf8"));
    const source = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    assert.deepEqual(manifest, {
      name: "pinhole",
      version: source.version,
      description: source.description,
      license: source.license,
      type: "module",
      engines: { node: ">=22.19" },
      dependencies: source.dependencies,
      optionalDependencies: {
        "@modelcontextprotocol/client": source.optionalDependencies["@modelcontextprotocol/client"],
        "@modelcontextprotocol/server": source.optionalDependencies["@modelcontextprotocol/server"],
      },
      bin: { pinhole: "./cli/main.js" },
      exports: {
        ".": { types: "./index.d.ts", default: "./index.js" },
        "./core": { types: "./core.d.ts", default: "./core.js" },
        "./adapters": { types: "./adapters.d.ts", default: "./adapters.js" },
        "./projections": { types: "./projections.d.ts", default: "./projections.js" },
        "./client": { types: "./client.d.ts", default: "./client.js" },
        "./testing": { types: "./testing.d.ts", default: "./testing.js" },
      },
    });
    const files = await readdir(join(program, "node_modules/pinhole"), { recursive: true });
    assert.deepEqual(
      files.filter((file) => /\.test\.|(?<!\.d)\.ts$/.test(file)),
      [],
    );
  });

  test("the command pinhole of the published package helps and serves", async () => {
    const command = join(program, "node_modules/.bin/pinhole");
    if (process.platform !== "win32") await access(command, constants.X_OK);
    const main = join(program, "node_modules/pinhole/cli/main.js");
    assert.match(await readFile(main, "utf8"), /^#!\/usr\/bin\/env node\n/);
    assert.match((await node([main, "--help"])).stdout, /pinhole serve/);
    for (const command of [process.execPath, (await olderNode()) ?? process.execPath]) {
      const { url, stop } = await startCommand(command, [main, "serve", "--port", "0"], program);
      assert.equal((await fetch(new URL("/healthz", url))).status, 200);
      assert.equal(await stop(), 0);
    }
  });

  test("pinhole/core defines and calls an operation with no MCP package installed", async () => {
    await rm(join(program, "node_modules/@modelcontextprotocol"), { recursive: true, force: true });
    await node(["embed.js"]);
  });

  test("pinhole/core defines and calls an operation on an older Node", async (t) => {
    const older = await olderNode();
    if (older === undefined) return t.skip("no Node of version 22 or 23 is on the PATH");
    await run(older, ["embed.js"], program);
  });

  test("every entrance of the published package can be imported", async () => {
    const names = ["pinhole", "pinhole/client", "pinhole/adapters", "pinhole/projections"];
    const imports = names.map((name) => `await import("${name}");`).join(" ");
    await node(["--input-type=module", "--eval", imports]);
  });

  test("the types of the published package hold in a strict program", async () => {
    await copyFile(join(CONSUMER, "embed.ts"), join(program, "embed.ts"));
    await copyFile(join(CONSUMER, "types.ts"), join(program, "types.ts"));
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: "es2023",
      module: "nodenext",
      moduleResolution: "nodenext",
      typeRoots: [join(ROOT, "node_modules/@types")],
      types: ["node"],
    };
    await writeFile(
      join(program, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["embed.ts", "types.ts"] }),
    );
    await node([join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "."]);
  });

  function node(args: readonly string[]): Promise<Output> {
    return run(process.execPath, args, program);
  }
});

/** Builds, packs and installs the package, and answers the folder of a program that depends on it. */
async function install(folder: string): Promise<string> {
  const program = join(folder, "program");
  await build(join(folder, "dist"));
  await npm(["pack", join(folder, "dist"), "--pack-destination", folder, "--ignore-scripts"], folder);
  const tarball = (await readdir(folder)).find((file) => file.endsWith(".tgz")) ?? "";
  await mkdir(program);
  await writeFile(join(program, "package.json"), JSON.stringify({ name: "program", type: "module" }));
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
  await npm(["install", join(folder, tarball), "--prefix", program, ...quiet], program);
  return program;
}

/** A Node below 24 on the PATH, apart from those that npm installed. */
async function olderNode(): Promise<string | undefined> {
  const name = process.platform === "win32" ? "node.exe" : "node";
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, name);
    if (folder.includes("node_modules") || !existsSync(path)) continue;
    const { stdout } = await run(path, ["--version"], tmpdir());
    const major = Number(/^v(\d+)/.exec(stdout)?.[1]);
    if (major >= 22 && major < 24) return path;
  }
  return undefined;
}

function npm(args: readonly string[], cwd: string): Promise<Output> {
  const script = process.env.npm_execpath;
  return script === undefined ? run("npm", args, cwd) : run(process.execPath, [script, ...args], cwd);
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; a failure shows all that it wrote. */
async function run(command: string, args: readonly string[], cwd: string): Promise<Output> {
  // The coverage of npm and of the installed copy is of no interest, and takes seconds to write.
  const env = childEnv();
  try {
    return await promisify(execFile)(command, args, { cwd, env, timeout: 60_000 });
  } catch (error) {
    if (error instanceof Error && "stdout" in error) error.message += `\n${error.stdout}`;
    throw error;
  }
}
