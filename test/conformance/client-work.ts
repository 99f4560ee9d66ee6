import { Connections } from "../../src/adapters/from-mcp/connection.ts";
import { discover } from "../../src/adapters/from-mcp/discover.ts";
import {
  ANONYMOUS,
  Capabilities,
  type OperationContext,
  type Registration,
  SILENT_LOG,
} from "../../src/core/index.ts";
import type { OauthCredential } from "../../src/credentials/oauth/index.ts";
import type { Outbound } from "../../src/outbound/index.ts";
import { sampleOf } from "./client-samples.ts";

/** What the suite asks of the client. */
export interface Task {
  readonly url: URL;
  readonly scenario: string;
  readonly outbound: Outbound;
  /** Where the server wants tokens. */
  readonly oauth: OauthCredential | undefined;
  /** Calls to make; where there are none, one of everything. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
}

/** Reads what a server offers and runs it, by the connection and the handlers that the gateway uses. */
export async function workThrough(task: Task): Promise<void> {
  const { url, outbound, oauth } = task;
  const connections = new Connections({ url, outbound, oauth, version: "0.0.0" });
  const options = {
    name: "suite",
    url,
    external: ["*"],
    scopes: [],
    public: true,
    trustAnnotations: false,
    timeoutMs: 15_000,
    refreshMs: 60_000,
    outbound,
    version: "0.0.0",
    log: SILENT_LOG,
  };
  try {
    const { set } = await connections
      .of(undefined)
      .use((client) => discover(client, { connections, options }), { isRepeatable: true });
    const calls = callsFor(task, set.registrations);
    // All at once: the answers to the questions of one call must not get into another.
    await Promise.all(calls.map(([registration, input]) => run(registration, input)));
  } finally {
    await connections.close();
  }
}

/** What to call with which input. */
function callsFor(
  { scenario, toolCalls }: Task,
  registrations: readonly Registration[],
): readonly (readonly [Registration, unknown])[] {
  const named = (tool: string) =>
    registrations.find(({ spec }) => spec.name === `suite/${tool}`) ?? fail(`There is no tool ${tool}.`);
  switch (scenario) {
    // The server has a schema to look at and no tool behind it.
    case "json-schema-ref-no-deref":
      return [];
    case "json-schema-2020-12-preservation":
      return [[named("json_schema_echo"), { schema: named("json_schema_2020_12_tool").spec.inputSchema }]];
    default:
      return toolCalls
        ? toolCalls.map(({ name, arguments: input }) => [named(name), input])
        : registrations.map((registration) => [registration, inputFor(registration)]);
  }
}

function inputFor({ spec }: Registration): unknown {
  switch (spec.name) {
    case "suite/read_resource":
      return { uri: "https://example.com/resource?id=123" };
    case "suite/get_prompt":
      return { name: "test_prompt" };
    default:
      return sampleOf(spec.inputSchema);
  }
}

/** Past dispatch: the suite also sends what its own schemas forbid, which gets no further than that. */
async function run({ spec, handler }: Registration, input: unknown): Promise<void> {
  const context: OperationContext = {
    requestId: spec.name,
    parentRequestId: undefined,
    select: undefined,
    principal: ANONYMOUS,
    identity: ANONYMOUS,
    connection: undefined,
    overlay: undefined,
    reach: undefined,
    forwardedFor: undefined,
    capabilities: Capabilities.none,
    metadata: {},
    trace: undefined,
    hops: [],
    env: { invoke: () => fail("Nothing is composed here.") },
    fetch: () => fail("Nothing is fetched here."),
    log: console,
    signal: AbortSignal.timeout(20_000),
    deadline: undefined,
    resume: undefined,
    internal: false,
    dryRun: false,
    redact: (value) => value,
    progress: () => {},
    // All that a user says who agrees; what the form proposes is for the product to fill in.
    handedOn: () => {},
    requestInput: async () => ({ action: "accept", content: {} }),
  };
  await handler.run(input, context);
}

function fail(sentence: string): never {
  throw new Error(sentence);
}
