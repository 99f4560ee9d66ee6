import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ScriptedUpstream, sourceOf, startConfigured, until } from "../support/scripted-upstream/index.ts";

const ECHO = { word: "hi" };

async function startUpstream(t: TestContext): Promise<ScriptedUpstream> {
  const upstream = await new ScriptedUpstream({}).start();
  t.after(() => upstream.stop());
  return upstream;
}

type Started = Awaited<ReturnType<typeof startConfigured>>;

interface Listed {
  readonly name: string;
  readonly state: string;
  readonly code?: string;
  readonly reason?: string;
  readonly operations: number;
}

async function listed({ call }: Started, name: string): Promise<Listed | undefined> {
  const { output } = await call("sources/list");
  return (output as { readonly sources: readonly Listed[] }).sources.find((source) => source.name === name);
}

const bearers = (upstream: ScriptedUpstream, method: string) =>
  upstream.seen.filter((each) => each.method === method).map(({ headers }) => headers.authorization);

test("a source whose variable is not set is unhealthy by source, line and variable; the rest starts and reloads", async (t) => {
  const [up, other] = [await startUpstream(t), await startUpstream(t)];
  const waiting = sourceOf(other, {
    credentials: {
      default: { env: "PINHOLE_NOT_SET" },
      perIdentity: { operator: { env: "PINHOLE_NOR_THIS" } },
    },
  });
  const started = await startConfigured(t, { sources: { up: sourceOf(up), waiting } });
  assert.deepEqual((await started.call("up/echo", ECHO)).output, ECHO);
  const source = await listed(started, "waiting");
  assert.deepEqual([source?.state, source?.code, source?.operations], ["unhealthy", "UNAUTHORIZED", 0]);
  const places =
    /pinhole\.yaml:\d+ {2}sources\.waiting\.credentials\.\S+: .*env: PINHOLE_NOT_SET.*pinhole\.yaml:\d+ .*PINHOLE_NOR_THIS.*Set it/;
  assert.match(source?.reason ?? "", places);
  assert.equal((await started.call("waiting/echo", ECHO)).error?.code, "NOT_FOUND");
  assert.equal(other.seen.length, 0, "nothing is sent without the credential");
  await started.configure({ sources: { up: sourceOf(up), again: sourceOf(up), waiting } });
  assert.deepEqual((await started.call("again/echo", ECHO)).output, ECHO);
});

test("a reload that asks for a secret which is missing takes that source's operations away, and no others", async (t) => {
  const up = await startUpstream(t);
  const started = await startConfigured(t, { sources: { up: sourceOf(up), also: sourceOf(up) } });
  const waiting = sourceOf(up, { token: { env: "PINHOLE_NOT_SET" } });
  await started.configure({ sources: { up: waiting, also: sourceOf(up) } });
  assert.equal((await started.call("up/echo", ECHO)).error?.code, "NOT_FOUND");
  assert.deepEqual((await started.call("also/echo", ECHO)).output, ECHO);
});

test("a file with a secret is followed: when it comes, when it changes and when it goes", async (t) => {
  const up = await startUpstream(t);
  const token = { file: "./secrets/up" };
  const started = await startConfigured(t, { sources: { up: sourceOf(up, { token }) } });
  assert.match((await listed(started, "up"))?.reason ?? "", /there is no file .*up/);
  const isThere = () => started.gateway.registry.snapshot().find("up/echo") !== undefined;
  const file = join(started.directory, "up-token");
  await started.configure({ sources: { up: sourceOf(up, { token: { file: "./up-token" } }) } });
  await writeFile(file, "first-secret\n");
  await until(isThere);
  await started.call("up/echo", ECHO);
  await writeFile(file, "second-secret\n");
  await until(() => bearers(up, "tools/list").includes("Bearer second-secret"));
  while ((await listed(started, "up"))?.state !== "healthy");
  await started.call("up/echo", ECHO);
  assert.deepEqual(bearers(up, "tools/call"), ["Bearer first-secret", "Bearer second-secret"]);
  await rm(file);
  await until(() => !isThere());
  assert.equal((await listed(started, "up"))?.state, "unhealthy");
  assert.equal((await started.call("up/echo", ECHO)).error?.code, "NOT_FOUND");
  assert.ok(!started.logged().includes("-secret"));
});
