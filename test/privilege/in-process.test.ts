import { CallError, createRuntime } from "pinhole/core";
import { INPUT } from "./door.ts";
import { runPrivilegeSuite } from "./suite.ts";

interface Named {
  readonly operations: readonly { readonly name: string }[];
  readonly nearest?: Readonly<Record<string, readonly string[]>>;
}

runPrivilegeSuite("in process", async ({ sources, presets, policy = {}, caller }) => {
  const { dispatch, gateway } = createRuntime({
    sources,
    presets,
    policy,
    resolveIdentity: async () => caller,
  });
  const root = { identity: caller };
  const entrance = await gateway.enter(caller.authenticated ? "any" : undefined);
  const service = async (operation: string, input: object) =>
    ((await dispatch.invoke({ operation, input }, root)) as Named).operations.map(({ name }) => name);

  return {
    call: (operation) => codeOf(dispatch.invoke({ operation, input: INPUT }, root)),
    subscribe: (operation) =>
      codeOf(dispatch.invokeStreaming({ operation, input: INPUT }, root).then((items) => items.return?.())),
    batch: async (operations) => {
      const envelope = await entrance.batch(operations.map((operation) => ({ operation, input: INPUT })));
      if ("error" in envelope) throw new Error(envelope.error.message);
      return envelope.results.map((result) => ("error" in result ? result.error.code : "ok"));
    },
    list: () => service("services/list", {}),
    search: (query) => service("services/search", { query }),
    browse: (namespace) => service("services/search", { namespace }),
    nearest: async (name) =>
      ((await dispatch.invoke({ operation: "services/schema", input: { name } }, root)) as Named).nearest?.[
        name
      ] ?? [],
    schema: (name) => service("services/schema", { name }),
    compose: async (operation) => String(await dispatch.invoke({ operation }, root)),
  };
});

function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "ok",
    (error: unknown) => (error instanceof CallError ? error.code : String(error)),
  );
}
