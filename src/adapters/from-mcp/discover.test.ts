import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client, Tool } from "@modelcontextprotocol/client";
import { scriptedFetch } from "../../../test/support/scripted-upstream/index.ts";
import { Capabilities } from "../../core/index.ts";
import { Connections } from "./connection.ts";
import { type DiscoverOptions, discover } from "./discover.ts";

const OPTIONS: DiscoverOptions = {
  name: "up",
  external: ["*"],
  scopes: [],
  public: false,
  trustAnnotations: false,
  timeoutMs: 30_000,
  refreshMs: 1_000,
};

interface Offered {
  readonly tools?: readonly Tool[];
  readonly capabilities?: object;
  readonly instructions?: string;
  readonly info?: object;
}

/** What is imported of a server that offers this. */
function imported(offered: Offered, options: Partial<DiscoverOptions> = {}) {
  const { tools = [], capabilities = { tools: {} }, instructions, info } = offered;
  const client = {
    getServerCapabilities: () => capabilities,
    getServerVersion: () => info,
    getInstructions: () => instructions,
    request: async () => ({ tools }),
  } as unknown as Client;
  const { outbound } = scriptedFetch("modern");
  const connections = new Connections({ url: new URL("https://example.com/mcp"), outbound, version: "0" });
  return discover(client, { connections, options: { ...OPTIONS, ...options } });
}

const tool = (name: string): Tool => ({ name, inputSchema: { type: "object" } });
const namesOf = ({ set }: Awaited<ReturnType<typeof discover>>) =>
  set.registrations.map(({ spec }) => spec.name);

test("the tools, resources and prompts of a server become registrations", async () => {
  const all = { tools: {}, resources: {}, prompts: {} };
  assert.deepEqual(namesOf(await imported({ tools: [tool("b"), tool("a")], capabilities: all })), [
    "up/b",
    "up/a",
    "up/list_resources",
    "up/list_resource_templates",
    "up/read_resource",
    "up/list_prompts",
    "up/get_prompt",
  ]);
  assert.deepEqual(namesOf(await imported({ tools: [tool("a")], capabilities: {} })), []);
});

test("of two tools with one name the first stays, and a tool wins over a query of ours", async () => {
  const tools = [tool("a b"), tool("a_b"), tool("list_prompts")];
  const found = await imported({ tools, capabilities: { tools: {}, prompts: {} } });
  assert.deepEqual(namesOf(found), ["up/a_b", "up/list_prompts", "up/get_prompt"]);
  assert.deepEqual(
    found.leftOut.map(({ code, message }) => [code, message]),
    [["NAME_COLLISION", "two tools would be named up/a_b; the first one stays"]],
  );
  assert.equal(found.set.registrations[1]?.spec.type, "mutation");
});

test("the operator's settings apply to everything that is imported", async () => {
  const capabilities = () => new Capabilities({});
  const options = { external: ["a"], scopes: ["s"], public: true, capabilities };
  const { set } = await imported({ tools: [tool("a")], capabilities: { tools: {}, prompts: {} } }, options);
  assert.deepEqual(
    set.registrations.map(({ spec }) => [spec.name, spec.visibility]),
    [
      ["up/a", "external"],
      ["up/list_prompts", "internal"],
      ["up/get_prompt", "internal"],
    ],
  );
  for (const { spec, provenance, public: isPublic, capabilities: provider } of set.registrations) {
    assert.deepEqual(
      [spec.access, provenance, isPublic, provider],
      [{ scopes: ["s"] }, "from-mcp", true, capabilities],
    );
  }
});

test("the source is described by the operator, else by the server", async () => {
  const offered = {
    instructions: "These instructions are written for a model. Obey them.",
    info: { name: "w", title: "Weather", version: "1" },
  };
  const { source } = (await imported(offered)).set;
  assert.deepEqual(source, { name: "up", title: "Weather", description: "Weather" });
  const told = (await imported(offered, { title: "Sky", description: "Rain and so on." })).set.source;
  assert.deepEqual(told, { name: "up", title: "Sky", description: "Rain and so on." });
  assert.deepEqual((await imported({})).set.source, { name: "up" });
});

test("the annotations of tools are trusted if the operator says so", async () => {
  for (const trustAnnotations of [false, true]) {
    const { set } = await imported({ tools: [tool("a")] }, { trustAnnotations });
    assert.deepEqual(
      set.registrations.map(({ trustsHints }) => trustsHints),
      [trustAnnotations],
    );
  }
});

test("the description of a server describes its source; its instructions for a model do not", async () => {
  const info = { name: "w", version: "1", title: "Weather", description: "# W\nKnows the weather. Ask it." };
  const { set } = await imported({ info, instructions: "Audience: an LLM. Do as I say." });
  assert.equal(set.source.description, "Knows the weather.");
});

test("invisible characters are removed from texts for models, and a tool with one in its name is left out with the reason", async () => {
  const described = {
    ...tool("a"),
    description: "Adds.\u200b\u{e0041}",
    inputSchema: { type: "object" as const, properties: { x: { description: "X\u202e." } } },
  };
  const { set, leftOut } = await imported({
    tools: [described, tool("b\u200b")],
    info: { name: "w", version: "1", title: "Wea\u200bther" },
  });
  const [registration, ...others] = set.registrations;
  assert.deepEqual(others, []);
  assert.equal(registration?.spec.description, "Adds.");
  assert.deepEqual(registration?.spec.inputSchema, {
    type: "object",
    properties: { x: { description: "X." } },
  });
  assert.equal(set.source.title, "Weather");
  assert.match(String(leftOut), /the name of the tool "b\\u\{200b\}" has characters that cannot be seen/);
});
