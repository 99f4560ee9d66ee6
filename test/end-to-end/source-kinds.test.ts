import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { SOURCE_KINDS } from "../../src/adapters/index.ts";
import { hashToken } from "../../src/identity/index.ts";
import { startConfig } from "../support/config-gateway.ts";
import { REAL_SOURCES } from "../support/source-kinds.ts";

const identity = (id: string, scopes: readonly string[] = []) => ({
  id,
  tokenHash: hashToken(`${id}-token`),
  scopes,
});
const IDENTITIES = [identity("ada", ["desk", "operator"]), identity("bob")];

for (const { kind } of Object.values(SOURCE_KINDS)) {
  const { prefix, foreignKey, start, beside } = REAL_SOURCES[kind];
  describe(`a source of the kind ${kind}`, () => {
    const look = `src/${prefix}look`;
    const change = `src/${prefix}change`;

    /** A gateway on one such source and two identities. */
    async function serve(t: TestContext, said: object, more: object = {}) {
      const [entry, others] = [await start(t), await beside?.(t)];
      const configOf = (wanted: object, rest: object) => ({
        identities: IDENTITIES,
        ...rest,
        sources: { src: { ...entry, ...wanted }, ...others },
      });
      const { gateway, url, reload } = await startConfig(t, configOf(said, more));
      const { registry } = gateway;
      // On a busy machine a start does not wait for what is slow.
      const imported = () =>
        new Promise<void>((resolve) => {
          const look = () => registry.snapshot().sources.get("src")?.registrations.length && resolve();
          registry.onChange(look);
          look();
        });
      await imported();
      const post = async (operation: string, caller?: string) => {
        const response = await fetch(`${url}/call`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(caller && { authorization: `Bearer ${caller}-token` }),
          },
          body: JSON.stringify({ operation }),
        });
        return {
          status: response.status,
          body: (await response.json()) as { output?: never; error?: never },
        };
      };
      return {
        post,
        statusOf: async (operation: string, caller?: string) => (await post(operation, caller)).status,
        async reload(wanted: object) {
          await reload(configOf(wanted, more));
          await imported();
        },
      };
    }

    test(`a source of the kind ${kind} lets callers reach what external names and nothing else, and follows a reload`, async (t) => {
      const { statusOf, reload } = await serve(t, { external: [`${prefix}look`] });
      assert.deepEqual([await statusOf(look, "bob"), await statusOf(change, "bob")], [200, 404]);
      await reload({ external: [`${prefix}cha*`] });
      assert.deepEqual([await statusOf(look, "bob"), await statusOf(change, "bob")], [404, 200]);
      await reload({ external: [] });
      assert.deepEqual([await statusOf(look, "bob"), await statusOf(change, "bob")], [404, 404]);
    });

    test(`a source of the kind ${kind} asks callers for its scopes, and follows a reload`, async (t) => {
      const { statusOf, reload } = await serve(t, { external: "*", scopes: ["desk"] });
      assert.deepEqual([await statusOf(look, "ada"), await statusOf(look, "bob")], [200, 403]);
      await reload({ external: "*", scopes: ["other"] });
      assert.deepEqual([await statusOf(look, "ada"), await statusOf(look, "bob")], [403, 403]);
    });

    test(`a source of the kind ${kind} is closed to callers without a token once there are identities, unless it is public`, async (t) => {
      const { statusOf, reload } = await serve(t, { external: "*" }, { access: { anonymous: true } });
      assert.deepEqual([await statusOf(look), await statusOf(look, "bob")], [401, 200]);
      await reload({ external: "*", public: true });
      assert.equal(await statusOf(look), 200);
    });

    test(`a source of the kind ${kind} is refused with the line where it has a key of another kind, or one that no kind has`, async (t) => {
      const entry = await start(t);
      const [key, value] = foreignKey;
      for (const [wrong, said] of [
        [{ [key]: value }, `kind ${kind} has no such key`],
        [{ extrenal: "*" }, "did you mean external"],
      ] as const)
        await assert.rejects(startConfig(t, { sources: { src: { ...entry, ...wrong } } }), (error: Error) => {
          assert.match(error.message, new RegExp(`pinhole.yaml:\\d+ .*${said}`));
          return true;
        });
    });

    test(`a source of the kind ${kind} follows what is said about single operations, and tells what is said about none`, async (t) => {
      const operations = {
        [`${prefix}look`]: { name: "gaze", description: "Gazes.", scopes: ["desk"] },
        [`${prefix}change`]: { external: false },
        nothing: { external: false },
      };
      const { post, statusOf } = await serve(t, { external: "*", operations });
      assert.deepEqual([await statusOf("src/gaze", "ada"), await statusOf("src/gaze", "bob")], [200, 403]);
      assert.deepEqual([await statusOf(look, "ada"), await statusOf(change, "ada")], [404, 404]);
      const { body } = await post("sources/list", "ada");
      const { sources } = body.output as unknown as { sources: { name: string; warnings?: string[] }[] };
      assert.deepEqual(sources.find(({ name }) => name === "src")?.warnings, [
        "operations.nothing matches no operation of the source",
      ]);
    });
  });
}

test("a plugin cannot register in a reserved namespace, even if it marks its set as the gateway's own", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-reserved-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const core = new URL("../../src/core.ts", import.meta.url).href;
  await writeFile(
    join(directory, "wipe.ts"),
    `import { defineOperation, definePlugin, ownSet } from ${JSON.stringify(core)};
    export default ownSet(definePlugin({ name: "sv", operations: [
      defineOperation({ name: "services/wipe", type: "mutation", description: "Wipes.", handler: () => "wiped" }),
    ] }));`,
  );
  const { gateway, logged } = await startConfig(t, {
    sources: { sv: { plugin: join(directory, "wipe.ts") } },
  }).catch((error: Error) => ({ gateway: undefined, logged: () => error.message }));
  assert.equal(gateway?.registry.snapshot().find("services/wipe"), undefined);
  assert.match(logged(), /belongs to the gateway itself/);
});
