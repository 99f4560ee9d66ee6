/** `npm run build`: makes `dist/`, the folder that is published: JavaScript, types and a package.json of its own. */
import { execFile } from "node:child_process";
import { chmod, copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { OLDEST_NODE } from "../src/cli/run-program.ts";

const ROOT = dirname(import.meta.dirname);

/** What the published package.json takes over as it is. */
const FIELDS = [
  "name",
  "version",
  "description",
  "keywords",
  "license",
  "author",
  "homepage",
  "repository",
  "bugs",
  "type",
  "dependencies",
];

/** What the code reads beside itself. */
const ASSETS = ["services/search/dense/model.bin"];

/** What the built package runs on; a clone brings its own Node along. */
const PUBLISHED_NODE = `>=${OLDEST_NODE}`;

type Manifest = Readonly<Record<string, unknown>> & {
  readonly exports: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
};

type Published = Readonly<Record<string, unknown>> & Pick<Manifest, "bin">;

if (import.meta.main) await build(join(ROOT, "dist")).catch(explain);

/** Emits the package into a folder, in place of what was there. */
export async function build(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await promisify(execFile)(
    process.execPath,
    [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json", "--outDir", folder],
    { cwd: ROOT },
  );
  const manifest = publishedManifest(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const command of Object.values(manifest.bin)) await chmod(join(folder, command), 0o755);
  for (const asset of ASSETS) await copyFile(join(ROOT, "src", asset), join(folder, asset));
  for (const document of ["README.md", "LICENSE"]) {
    await copyFile(join(ROOT, document), join(folder, document)).catch(unlessMissing);
  }
}

function publishedManifest(manifest: Manifest): Published {
  const kept = FIELDS.filter((field) => field in manifest).map((field) => [field, manifest[field]]);
  const optional = Object.entries(manifest.optionalDependencies).filter(([name]) => !isPackagedNode(name));
  return {
    ...Object.fromEntries(kept),
    engines: { node: PUBLISHED_NODE },
    optionalDependencies: Object.fromEntries(optional),
    bin: mapValues(manifest.bin, (path) => built(path, ".js")),
    exports: mapValues(manifest.exports, (path) => ({
      types: built(path, ".d.ts"),
      default: built(path, ".js"),
    })),
  };
}

/** The binaries that let a clone run without an installed Node; a user of the package has one. */
function isPackagedNode(name: string): boolean {
  return /^node-(linux|win|darwin)-/.test(name);
}

function built(path: string, ending: string): string {
  return path.replace(/^\.\/src\//, "./").replace(/\.ts$/, ending);
}

function mapValues<T>(
  record: Readonly<Record<string, string>>,
  map: (value: string) => T,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

function explain(error: Error & { readonly stdout?: string }): void {
  console.error(error.stdout || error.message);
  process.exitCode = 1;
}
