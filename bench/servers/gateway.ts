/** The whole gateway in front of the upstreams whose addresses are its arguments. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, startGateway } from "../../src/index.ts";

const directory = mkdtempSync(join(tmpdir(), "pinhole-bench-"));
const sources = process.argv
  .slice(2)
  .map((url, index) => `  up${index}: { mcp: "${url}", allowPrivate: true, external: "*" }\n`);
writeFileSync(join(directory, "pinhole.yaml"), `sources:\n${sources.join("")}`);
const gateway = await startGateway({
  directory,
  watch: false,
  flags: { port: "0" },
  log: createLog("error"),
});
process.on("SIGTERM", () => gateway.close());
console.log(`${gateway.url}/mcp`);
