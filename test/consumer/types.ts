// What a program in TypeScript relies on: that the types of all entrances arrive, and arrive as types.

import type { Server } from "node:http";
import { createRuntime, type Registry } from "pinhole";
import { defineSource, fromMcp, type ImportedSource, type SourceDefinition } from "pinhole/adapters";
import { CallError, type CallErrorJson } from "pinhole/client";
import type { OperationSpec, Runtime } from "pinhole/core";
import { toCall, toHttp, toMcp, toNodeHandler } from "pinhole/projections";

const runtime: Runtime = createRuntime();
const registry: Registry = runtime.registry;

export const names: readonly OperationSpec["name"][] = registry
  .snapshot()
  .entries()
  .map((entry) => entry.registration.spec.name);

export function codeOf(error: unknown): CallErrorJson["code"] | undefined {
  return error instanceof CallError ? error.code : undefined;
}

// @ts-expect-error: sources are records, so this must not pass as `any`
createRuntime({ sources: 1 });

export async function connected(url: URL, definition: SourceDefinition): Promise<ImportedSource> {
  defineSource(definition);
  const source = await fromMcp({ name: "github", url, external: ["issues*"], token: { env: "TOKEN" } });
  source.attach(registry);
  return source;
}

// @ts-expect-error: a key of another kind of source
fromMcp({ name: "github", url: "https://example.com/mcp", documentAuth: true });

export function mounted(server: Server): Server {
  const answer: (request: Request) => Promise<Response> = toMcp(runtime, { maxBodyBytes: 1_000 });
  server.on("request", toNodeHandler(answer)).on("upgrade", toCall(runtime).upgrade);
  return server.on("request", toNodeHandler(toHttp(runtime, { tokenOf: () => "token" })));
}
