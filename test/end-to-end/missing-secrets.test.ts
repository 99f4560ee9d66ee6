import assert from "node:assert/strict";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createLog, startGateway } from "pinhole";
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

test("a file with a secret is followed: when it comes, is written, is replaced and is swapped as a link", async (t) => {
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
  await writeFile(`${file}.new`, "third-secret\n");
  await rename(`${file}.new`, file);
  await until(() => bearers(up, "tools/list").includes("Bearer third-secret"));
  // As Kubernetes does it: the folder of the file is a link, which is put in the place of another.
  const folder = (name: string) => join(started.directory, name);
  await mkdir(folder("v1"));
  await writeFile(join(folder("v1"), "up"), "fourth-secret");
  await symlink("v1", folder("..data"));
  await symlink("..data/up", folder("linked"));
  await rename(folder("linked"), file);
  await until(() => bearers(up, "tools/list").includes("Bearer fourth-secret"));
  await mkdir(folder("v2"));
  await writeFile(join(folder("v2"), "up"), "fifth-secret");
  await symlink("v2", folder("..data_new"));
  await rename(folder("..data_new"), folder("..data"));
  await until(() => bearers(up, "tools/list").includes("Bearer fifth-secret"));
  assert.ok(!started.logged().includes("-secret"));
});

test("a file with a secret that is emptied or removed leaves the last secret in use, and one line in the log", async (t) => {
  const up = await startUpstream(t);
  const started = await startConfigured(t, {
    sources: { up: sourceOf(up, { token: { file: "./up-token" } }) },
  });
  const file = join(started.directory, "up-token");
  await writeFile(file, "first-secret\n");
  await until(() => started.gateway.registry.snapshot().find("up/echo") !== undefined);
  const lines = () => started.logged().match(/the last one stays in use/g)?.length ?? 0;
  await writeFile(file, "");
  await until(() => lines() === 1);
  assert.deepEqual((await started.call("up/echo", ECHO)).output, ECHO);
  await rm(file);
  await until(() => lines() === 2);
  assert.match(started.logged(), /the last one stays in use.*there is no file/);
  assert.deepEqual((await started.call("up/echo", ECHO)).output, ECHO);
  assert.deepEqual(new Set(bearers(up, "tools/call")), new Set(["Bearer first-secret"]));
  assert.equal((await listed(started, "up"))?.state, "healthy");
  await writeFile(file, "second-secret\n");
  await until(() => bearers(up, "tools/list").includes("Bearer second-secret"));
  assert.ok(!started.logged().includes("-secret"));
});

test("a changed file with a secret of the gateway itself is taken as a changed configuration is, an empty one is not", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-secret-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, "state-key");
  await writeFile(file, "first-secret-of-this-gateway");
  await writeFile(
    join(directory, "pinhole.yaml"),
    "server: { port: 0, stateKey: { file: ./state-key } }\nsources: {}\n",
  );
  const lines: string[] = [];
  const gateway = await startGateway({ directory, log: createLog("info", (line) => lines.push(line)) });
  t.after(() => gateway.close());
  await writeFile(`${file}.new`, "second-secret-of-this-gateway");
  await rename(`${file}.new`, file);
  await until(() => lines.join("").includes("Reloaded the config"));
  await writeFile(file, "");
  await until(() => lines.join("").includes("The config is not taken; the old one stays"));
});
