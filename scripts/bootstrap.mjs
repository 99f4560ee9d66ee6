// Runs before `npm start` and `npm test`: installs what the lockfile names, once, and checks the Node version.
// Plain JavaScript for Node 18 and newer, because nothing else is installed yet.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const production = process.argv.includes("--production");
const stampFile = join(root, "node_modules", ".pinhole-setup.json");

const wanted = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");
const stamp = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, "utf8")) : {};

// An installation with the development packages also serves `npm start`.
const installed = stamp.lockfile === wanted && (production || stamp.scope === "all");
if (!installed) install();
checkNode();

function install() {
  const scope = production ? "production" : "all";
  console.log(
    `Setting up: npm ci (${production ? "what the gateway needs" : "with the development packages"}) …`,
  );
  const started = Date.now();
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error", ...(production ? ["--omit=dev"] : [])];
  const npm = process.env.npm_execpath;
  const run = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
    : spawnSync("npm", args, {
        cwd: root,
        stdio: ["ignore", "ignore", "inherit"],
        shell: process.platform === "win32",
      });
  if (run.status !== 0) {
    console.error("Setting up failed: npm ci did not finish. Check the network and run the command again.");
    process.exit(1);
  }
  writeFileSync(stampFile, JSON.stringify({ lockfile: wanted, scope }));
  console.log(`Set up in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

function checkNode() {
  const local = join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node");
  const command = existsSync(local) ? local : "node";
  const run = spawnSync(command, ["--version"], { encoding: "utf8", shell: process.platform === "win32" });
  const version = String(run.stdout).trim();
  if (Number(version.slice(1).split(".")[0]) >= 24) return;
  console.error(
    `Pinhole runs its TypeScript on Node 24 or newer; found ${version || "none"} and no packaged Node for ` +
      `${process.platform}-${process.arch}. Install Node 24 from https://nodejs.org and run the command again.`,
  );
  process.exit(1);
}
