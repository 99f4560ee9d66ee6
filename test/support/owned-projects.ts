import assert from "node:assert/strict";
import type { Identity, Ownership, Resource } from "../../src/core/model/index.ts";
import { CallError, defineOperation, definePlugin } from "../../src/core/model/index.ts";
import { createRuntime, type RuntimeOptions } from "../../src/runtime.ts";

/** Has projects by the port. */
export const ADA: Identity = { id: "ada", authenticated: true, scopes: [] };
/** Has none. */
export const BOB: Identity = { id: "bob", authenticated: true, scopes: [] };

/** Acts on one project. */
export const close = defineOperation({
  name: "projects/close",
  type: "mutation",
  description: "Closes a project.",
  access: { resource: { type: "project", action: "close", idPath: "/id" } },
  inputSchema: { type: "object", properties: { id: { type: "string" } } },
  handler: ({ id }) => `closed ${id}`,
});

/** Gets the ids of the projects that its caller has. */
export const list = defineOperation({
  name: "projects/list",
  type: "query",
  description: "Lists projects.",
  access: { resource: { type: "project", action: "read", list: { argument: "ids" } } },
  inputSchema: { type: "object", properties: { ids: { type: "array", items: { type: "string" } } } },
  handler: ({ ids }) => ids,
});

/** A port by which Ada has the projects p1 and p2; what it is asked is noted. */
export function portOf(asked: string[] = [], other: Partial<Ownership> = {}): Ownership {
  return {
    decides: ["project"],
    types(identity) {
      asked.push(`types ${identity.id}`);
      return identity.id === "ada" ? ["project"] : [];
    },
    owns(identity, { type, id, action }: Resource) {
      asked.push(`owns ${identity.id} ${type}:${id} ${action}`);
      return identity.id === "ada" && ["p1", "p2"].includes(id);
    },
    list(identity, { type, action }) {
      asked.push(`list ${identity.id} ${type} ${action}`);
      return identity.id === "ada" ? ["p1", "p2"] : [];
    },
    ...other,
  };
}

/** A runtime with the two operations on projects. */
export function runtimeOf(ownership: Ownership, options: RuntimeOptions = {}) {
  return createRuntime({
    sources: [definePlugin({ name: "projects", operations: [close, list], ownership })],
    ...options,
  });
}

/** The CallError that some work ends with. */
export async function failure(work: Promise<unknown>): Promise<CallError> {
  const error = await work.then(
    (output) => assert.fail(`it should have failed, and answered ${JSON.stringify(output)}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof CallError, String(error));
  return error;
}
