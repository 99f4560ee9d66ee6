/** The whole gateway with two identities, one of them held to 50 calls a second; the tokens are in the address. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newToken } from "../../src/identity/index.ts";
import { createLog, startGateway } from "../../src/index.ts";

const CORE = new URL("../../src/core.ts", import.meta.url).href;
const PLUGIN = `import { defineOperation, definePlugin } from ${JSON.stringify(CORE)};
import { ECHO_SCHEMA, echo } from ${JSON.stringify(new URL("./echo.ts", import.meta.url).href)};
export default definePlugin({ name: "bench", operations: [defineOperation({
  name: "bench/echo", type: "query", description: "Answers with the text.", inputSchema: ECHO_SCHEMA, handler: echo })] });`;

const directory = mkdtempSync(join(tmpdir(), "pinhole-bench-"));
const [polite, greedy] = [newToken(), newToken()];
const config = {
  sources: { bench: { plugin: "./bench.ts" } },
  identities: [
    { id: "polite", tokenHash: polite.tokenHash },
    { id: "greedy", tokenHash: greedy.tokenHash, limits: { callsPerSecond: 50, concurrent: 4 } },
  ],
};
writeFileSync(join(directory, "bench.ts"), PLUGIN);
writeFileSync(join(directory, "pinhole.yaml"), JSON.stringify(config));
const gateway = await startGateway({
  directory,
  watch: false,
  flags: { port: "0" },
  log: createLog("error"),
});
process.on("SIGTERM", () => gateway.close());
console.log(`${gateway.url}/call?polite=${polite.token}&greedy=${greedy.token}`);
