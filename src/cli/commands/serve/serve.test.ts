import assert from "node:assert/strict";
import { exec, execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { awakeTime } from "../../../../test/support/awake-time.ts";
import { createCliFolder } from "../../../../test/support/cli.ts";
import { serveSilence } from "../../../../test/support/silence.ts";
import { startGateway } from "../../../gateway/index.ts";
import { measureSurface } from "../../../gateway/surface/index.ts";
import { createLog } from "../../../observe/index.ts";
import { runProgram } from "../../run-program.ts";
import { createTerminal } from "../../terminal.ts";
import { bannerOf } from "./banner.ts";
import { serve } from "./index.ts";

const LOOK = { columns: 80, emphasise: (text: string) => text };
const SURFACE = {
  tools: 4,
  tokens: 630,
  instructionTokens: 170,
  fromFacets: { tools: 0, tokens: 0 },
  listed: [],
  operations: 4,
  namespaces: 2,
  directTokens: 300,
  exposed: ["core"],
  by: "the default",
};
const isWindows = process.platform === "win32";

async function run(t: TestContext, ...line: string[]) {
  const directory = mkdtempSync(join(tmpdir(), "pinhole-serve-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const stop = new AbortController();
  return serveIn(directory, stop, ...line);
}

/** Runs the command in a folder, at a terminal that stops it after the first output. */
async function serveIn(directory: string, stop: AbortController, ...line: string[]) {
  const lines: string[] = [];
  const errors: string[] = [];
  const terminal = {
    ...createTerminal({}),
    isWatched: true,
    print: (text: string) => {
      lines.push(text);
      stop.abort();
    },
    printError: (text: string) => void errors.push(text),
  };
  const program = { name: "pinhole", summary: "", version: "1", commands: [serve] };
  const surroundings = { terminal, directory, env: {}, stop: stop.signal };
  const code = await runProgram(program, ["serve", ...line], surroundings);
  return { code, text: lines.join("\n"), errors: errors.join("\n") };
}

test("serve refuses an invalid flag by its name", async (t) => {
  const { code, errors } = await run(t, "--port", "http");
  assert.deepEqual([code, errors], [2, '--port: expected integer, found "http"']);
});

test("serve refuses an address that others can reach without identities", async (t) => {
  const { code, errors } = await run(t, "--host", "0.0.0.0");
  assert.equal(code, 2);
  assert.match(errors, /^--host: others may reach "0\.0\.0\.0".* `pinhole token` /);
});

test("serve refuses a configuration that does not exist", async (t) => {
  const { code, errors } = await run(t, "--config", "team.yaml");
  assert.equal(code, 1);
  assert.match(errors, /^team\.yaml {2}There is no such file\./);
});

test("serve prints its address, its cost and how to connect, and stops on request", async (t) => {
  const { operations } = JSON.parse((await createCliFolder(t).run("surface", "--json")).out);
  const { code, text, errors } = await run(t, "--port", "0");
  assert.equal(code, 0);
  assert.match(errors, /^\d\d:\d\d:\d\d info {2}Lists tools facets=\["core"\] /);
  assert.match(text, /^Pinhole \S+ listens on http:\/\/127\.0\.0\.1:\d+\/mcp\n/);
  const prose = text.replaceAll("\n", " ");
  assert.ok(prose.includes(`${operations} operations in 3 namespaces behind 4 tools. `), prose);
  assert.match(
    prose,
    /Tools and instructions cost a model about [56]\d\d tokens, however many operations there are\. As tools of their own the operations would cost about \d+\. Facets listed: core \(by the default\)\./,
  );
  assert.match(text, /claude mcp add --transport http pinhole http:\/\/127/);
  assert.match(text, /code --add-mcp .*"type":"http"/);
  assert.match(text, /mcp\.json: \{"mcpServers":\{"pinhole":\{"url":"http/);
  assert.match(text, /There is no pinhole\.yaml here/);
  assert.match(text, /Stopping: running calls may finish\.$/);
});

test("the lines to paste that serve prints work as they are", {
  skip: isWindows && "no curl",
}, async (t) => {
  const folder = createCliFolder(t);
  const gateway = await startGateway({
    directory: folder.path,
    flags: { port: "0" },
    log: createLog("error"),
  });
  t.after(() => gateway.close());
  const facts = {
    version: "1",
    url: gateway.url,
    file: undefined,
    surface: { ...(await measureSurface(gateway.registry)), exposed: ["core"], by: "the default" },
    needsToken: false,
    sources: 3,
  };
  const lines = bannerOf(facts, LOOK).match(/^ {2}curl .*$/gm) ?? [];
  const answers = await Promise.all(lines.map((line) => promisify(exec)(line)));
  const [search = "", find = "", order = "", track = ""] = answers.map(({ stdout }) => stdout);
  assert.equal(JSON.parse(search).operations[0].name, "shop/findBooks");
  assert.match(JSON.parse(find).output[0].title, /Leagues under the Sea/);
  assert.equal(JSON.parse(order).output.status, "packed");
  assert.match(track, /"packed".*"shipped".*"delivered".*event: end\ndata: \[DONE\]/s);
});

test("the next step that serve prints works as it is, in a clone", {
  skip: isWindows && "no alias",
}, async (t) => {
  const { text } = await run(t, "--port", "0");
  const step = /\n {2}(alias pinhole=.*\n) {2}(pinhole init)\n/.exec(text);
  assert.ok(step, text);
  const folder = createCliFolder(t);
  // As somebody types them: a shell that runs a script would not look at an alias.
  const script = `shopt -s expand_aliases\n${step[1]}${step[2]} --yes\n`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd: folder.path });
  assert.match(stdout, /^Wrote pinhole\.yaml\./);
});

test("the banner fits the width of the terminal, and lines to paste stay whole", () => {
  const surface = { ...SURFACE, tools: 1 };
  const facts = { version: "1", url: "http://127.0.0.1:1", file: undefined, surface, sources: 0 };
  const lines = bannerOf({ ...facts, needsToken: false }, { ...LOOK, columns: 40 }).split("\n");
  const long = lines.filter((line) => line.length > 40 && !/^ {2}/.test(line));
  assert.deepEqual(long, ["Pinhole 1 listens on http://127.0.0.1:1/mcp"]);
  assert.ok(lines.includes("4 operations in 2 namespaces behind 1"), lines.join("\n"));
});

test("the token figures of the banner count what is listed, and what facets add", async (t) => {
  const config = "mcp: { expose: [core, query] }\nserver: { port: 0 }\nlog: { level: warn }\n";
  const folder = createCliFolder(t, { files: { "pinhole.yaml": config } });
  const { code, text } = await serveIn(folder.path, new AbortController());
  assert.equal(code, 0);
  const prose = text.replaceAll("\n", " ");
  assert.match(prose, /0 operations in 0 namespaces behind 5 tools\./, "its own operations do not count");
  assert.match(
    prose,
    /about \d+ tokens, \d+ of them for 1 tool from facets \(query\)\. Facets listed: core, query \(by mcp\.expose\)\./,
  );
  assert.match(text, /\nIt names no sources yet: pinhole add NAME URL-OR-FILE adds one\.\n/);
});

test("serve --facet says that it serves one facet, and what is reachable there", async (t) => {
  const plugin = examplePlugin();
  const config = `server: { port: 0 }\nsources: { notes: { plugin: ${JSON.stringify(plugin)} } }\nfacets: { reads: ["notes/read"] }\n`;
  const folder = createCliFolder(t, { files: { "pinhole.yaml": config } });
  const { text, errors } = await serveIn(folder.path, new AbortController(), "--facet", "reads");
  const prose = text.replaceAll("\n", " ");
  assert.match(prose, /1 operation in 1 namespace behind 5 tools\..*Facets listed: reads \(by --facet\)\./);
  assert.match(errors, /by=--facet/);
});

function examplePlugin(): string {
  return new URL("../../../../examples/plugin/notes.ts", import.meta.url).pathname;
}

test("stopping serve during the import of sources does not wait for them", async (t) => {
  const silence = await serveSilence(t);
  const source = `{ mcp: "${silence.url}", allowPrivate: true, external: "*" }`;
  const config = `server: { port: 0 }\nsources: { silent: ${source} }\n`;
  const folder = createCliFolder(t, { files: { "pinhole.yaml": config } });
  const stop = new AbortController();
  const serving = serveIn(folder.path, stop);
  await silence.visited;
  const asked = awakeTime();
  stop.abort();
  assert.deepEqual(await serving, { code: 130, text: "", errors: "" });
  assert.ok(awakeTime() - asked < 1_000);
});

test("the banner says how each client sends a required token, and what to do without sources", () => {
  const surface = SURFACE;
  const facts = { version: "1", url: "http://127.0.0.1:1", file: "/x/pinhole.yaml", surface, sources: 0 };
  const text = bannerOf({ ...facts, needsToken: true }, LOOK);
  assert.match(text, /claude mcp add .*\/mcp --header "Authorization: Bearer \$PINHOLE_TOKEN"\n/);
  assert.match(text, /pinhole connect cursor --write --url \S+ --token-env PINHOLE_TOKEN\n/);
  assert.match(text, /It names no sources yet: pinhole add NAME URL-OR-FILE adds one\./);
  assert.doesNotMatch(
    bannerOf({ ...facts, needsToken: false, sources: 1 }, LOOK),
    /PINHOLE_TOKEN|no sources/,
  );
});
