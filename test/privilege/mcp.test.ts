import { answerOf, modernBody, modernHeaders } from "../support/mcp-wire.ts";
import { answerRequests, IN_PROCESS } from "../support/serve.ts";
import { INPUT } from "./door.ts";
import { runPrivilegeSuite } from "./suite.ts";

interface Structured {
  readonly output?: unknown;
  readonly error?: { readonly code: string };
  readonly results?: readonly Structured[];
  readonly operations?: readonly { readonly name: string }[];
  readonly nearest?: Readonly<Record<string, readonly string[]>>;
}

const ERAS = {
  "over MCP": (params: { readonly name: string }) => ({
    headers: modernHeaders("tools/call", params.name),
    body: modernBody("tools/call", params),
  }),
  "over MCP of 2025": (params: { readonly name: string }) => ({
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    },
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  }),
} as const;

for (const [wire, write] of Object.entries(ERAS)) {
  runPrivilegeSuite(wire, async ({ sources, presets, policy = {}, caller }) => {
    // The door stays open, so that the table is held against what stands behind it.
    const answer = answerRequests({
      sources,
      presets,
      policy,
      resolveIdentity: async () => caller,
      door: "open",
    });

    async function use(name: string, given: object): Promise<Structured> {
      const { headers, body } = write({ name, arguments: given } as { readonly name: string });
      const token = caller.authenticated ? { authorization: "Bearer any" } : {};
      const init = { method: "POST", headers: { ...headers, ...token }, body: JSON.stringify(body) };
      const { result } = await answerOf(await answer(new Request(`${IN_PROCESS}/mcp`, init)));
      return (result?.structuredContent ?? {}) as Structured;
    }

    return {
      call: async (operation) => codeOf(await use("call", { operation, input: INPUT })),
      batch: async (operations) => {
        const { results } = await use("batch", {
          calls: operations.map((operation) => ({ operation, input: INPUT })),
        });
        return results?.map(codeOf) ?? [];
      },
      list: async () => namesIn((await use("call", { operation: "services/list" })).output),
      search: async (query) => namesIn(await use("search", { query })),
      browse: async (namespace) => namesIn(await use("search", { namespace })),
      nearest: async (name) => (await use("schema", { name })).nearest?.[name] ?? [],
      schema: async (name) => namesIn(await use("schema", { name })),
      compose: async (operation) => String((await use("call", { operation })).output),
    };
  });
}

function codeOf({ error }: Structured): string {
  return error?.code ?? "ok";
}

function namesIn(answer: unknown): readonly string[] {
  return (answer as Structured).operations?.map(({ name }) => name) ?? [];
}
