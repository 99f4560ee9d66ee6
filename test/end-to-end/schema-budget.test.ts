import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { startConfig } from "../support/config-gateway.ts";
import { postJson } from "../support/http-wire.ts";
import { CLIENTS } from "../support/mcp-clients.ts";

/** Things that have things that have things: as documents of real services are, written out one would fill a book. */
function document(): object {
  const names = Array.from({ length: 60 }, (_, index) => `Thing${index}`);
  const schemas = Object.fromEntries(
    names.map((name, index) => [
      name,
      {
        type: "object",
        description: `${name} is a thing. ${"There is a lot to say about it. ".repeat(10)}`,
        properties: Object.fromEntries(
          names
            .slice(index % 20, (index % 20) + 25)
            .map((other) => [`to-${other}`, { $ref: `#/components/schemas/${other}` }]),
        ),
      },
    ]),
  );
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Thing3" } } };
  const post = {
    operationId: "make",
    requestBody: {
      content: { "application/json": { schema: { properties: { name: { type: "string" } } } } },
    },
    responses: { 200: { description: "", content } },
  };
  return {
    openapi: "3.1.0",
    servers: [{ url: "https://things.example.com" }],
    paths: { "/things": { post } },
    components: { schemas },
  };
}

test("an operation with a vast schema is shown within a budget on every wire, and the note leads to what is left out", async (t) => {
  const { url, mcpUrl, directory, reload } = await startConfig(t);
  await writeFile(join(directory, "things.json"), JSON.stringify(document()));
  await reload({ sources: { things: { openapi: "./things.json", external: "*", public: true } } });

  const plain = (await (await fetch(`${url}/schema?name=things/make`)).json()) as Reply;
  assert.ok(countTokens(JSON.stringify(plain)) < 6_000);
  const [shown] = plain.operations;
  assert.deepEqual(Object.keys(shown?.inputSchema.properties ?? {}), ["body"]);
  assert.match(String(plain.note), /things\/make/);

  const client = await CLIENTS["SDK 2, modern"]?.(mcpUrl);
  t.after(() => client?.close());
  const { requestId: _, ...same } = plain;
  const answer = await client?.call("schema", { name: "things/make" });
  assert.deepEqual(answer?.structuredContent, same);

  const [, input = "", select = ""] =
    /call services\/list with (\{.*\}) and a select such as (\S+)$/.exec(String(plain.note)) ?? [];
  const whole = await postJson(`${url}/call`, {
    operation: "services/list",
    input: JSON.parse(input) as object,
    select,
  });
  const { output } = (await whole.json()) as { output: { properties: object } };
  assert.equal(Object.keys(output.properties).length, 25);
});

interface Reply {
  readonly operations: readonly { readonly inputSchema: { readonly properties: object } }[];
  readonly note?: string;
  readonly requestId: string;
}
