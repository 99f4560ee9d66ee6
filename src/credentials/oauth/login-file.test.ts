import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Login } from "./login.ts";
import { LoginFile } from "./login-file.ts";

const LOGIN: Login = {
  id: "1",
  server: "https://example.test/mcp",
  issuer: "https://login.example.test",
  client: { clientId: "a client" },
  scopes: ["read"],
  accessToken: "access-9f3c1a7e5b",
  refreshToken: "refresh-2d8b6c4f0a",
  obtainedAt: 1,
};

async function makeDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "pinhole-logins-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return join(directory, "state", "logins");
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

const save = (file: LoginFile, login: Login) => file.exclusively((_, keep) => keep(login));

test("a login is readable by its owner alone, and no other file is left behind", async (t) => {
  const directory = await makeDirectory(t);
  const file = new LoginFile(directory, "up");
  assert.equal(await file.read(), undefined);
  await save(file, LOGIN);
  assert.deepEqual(await file.read(), LOGIN);
  assert.equal((await stat(directory)).mode & 0o777, 0o700);
  assert.equal((await stat(file.path)).mode & 0o777, 0o600);
  assert.deepEqual((await readdir(directory)).sort(), [".gitignore", "up.json"]);
  assert.equal(await readFile(join(directory, ".gitignore"), "utf8"), "*\n");
});

test("a login file that others could read is made private when it is written", async (t) => {
  const file = new LoginFile(await makeDirectory(t), "up");
  await save(file, LOGIN);
  await chmod(file.path, 0o644);
  await save(file, { ...LOGIN, id: "2" });
  assert.equal((await stat(file.path)).mode & 0o777, 0o600);
});

test("a login is changed by one at a time, and each sees the last change", async (t) => {
  const directory = await makeDirectory(t);
  const add = () =>
    new LoginFile(directory, "up").exclusively(async (login, keep) => {
      await keep({ ...LOGIN, obtainedAt: (login?.obtainedAt ?? 0) + 1 });
    });
  await Promise.all(Array.from({ length: 20 }, add));
  assert.equal((await new LoginFile(directory, "up").read())?.obtainedAt, 20);
});

test("the lock is released when the work fails, and a stale lock is taken over", async (t) => {
  const file = new LoginFile(await makeDirectory(t), "up");
  await assert.rejects(
    file.exclusively(() => Promise.reject(new Error("it failed"))),
    /it failed/,
  );
  await writeFile(`${file.path}.lock`, "");
  const longAgo = new Date(Date.now() - 600_000);
  await utimes(`${file.path}.lock`, longAgo, longAgo);
  await save(file, LOGIN);
  assert.deepEqual(await file.read(), LOGIN);
});

/** Each look at the monotonic clock finds it ten seconds later. */
function hurry(t: TestContext): void {
  let now = 0;
  t.mock.method(performance, "now", () => (now += 10_000));
}

test("a lock with a time in the future is taken over without a heartbeat", async (t) => {
  const file = new LoginFile(await makeDirectory(t), "up");
  await file.exclusively(async () => {});
  await writeFile(`${file.path}.lock`, "");
  const tomorrow = new Date(Date.now() + 86_400_000);
  await utimes(`${file.path}.lock`, tomorrow, tomorrow);
  hurry(t);
  assert.equal(await file.exclusively(async () => "mine"), "mine");
});

test("waiting for a lock whose holder is alive ends with an error after a while", async (t) => {
  const file = new LoginFile(await makeDirectory(t), "up");
  const lock = `${file.path}.lock`;
  let sign = Date.now();
  await file.exclusively(async () => {
    hurry(t);
    const alive = setInterval(() => {
      sign += 10;
      void utimes(lock, new Date(), new Date(sign));
    }, 1);
    await assert.rejects(
      file.exclusively(async () => {}),
      /Another program has been changing this login/,
    );
    clearInterval(alive);
  });
});

test("a lock that was taken over is not released by its former holder", async (t) => {
  const file = new LoginFile(await makeDirectory(t), "up");
  const lock = `${file.path}.lock`;
  const longAgo = new Date(Date.now() - 600_000);
  await file.exclusively(async () => {
    await utimes(lock, longAgo, longAgo);
    await new LoginFile(dirname(file.path), "up").exclusively(async (_, keep) => {
      assert.equal(await exists(lock), true);
      await keep(LOGIN);
    });
    await writeFile(lock, "somebody else");
  });
  assert.equal(await readFile(lock, "utf8"), "somebody else");
});

test("of many that find a stale lock, one holds it at a time", async (t) => {
  const directory = await makeDirectory(t);
  const file = new LoginFile(directory, "up");
  await save(file, { ...LOGIN, obtainedAt: 0 });
  await writeFile(`${file.path}.lock`, "");
  const longAgo = new Date(Date.now() - 600_000);
  await utimes(`${file.path}.lock`, longAgo, longAgo);
  const add = () =>
    new LoginFile(directory, "up").exclusively(async (login, keep) => {
      await keep({ ...LOGIN, obtainedAt: (login?.obtainedAt ?? 0) + 1 });
    });
  await Promise.all(Array.from({ length: 20 }, add));
  assert.equal((await file.read())?.obtainedAt, 20);
  assert.deepEqual((await readdir(directory)).sort(), [".gitignore", "up.json"]);
});

test("a login that is deleted during a renewal stays deleted", async (t) => {
  const file = new LoginFile(await makeDirectory(t), "up");
  assert.equal(await file.forget(), false);
  await save(file, LOGIN);
  let forgotten: Promise<boolean> | undefined;
  await file.exclusively(async (_, keep) => {
    forgotten = new LoginFile(dirname(file.path), "up").forget();
    await keep({ ...LOGIN, id: "2" });
  });
  assert.equal(await forgotten, true);
  assert.equal(await file.read(), undefined);
});

test("an invalid login file is refused with advice, and nothing of it is quoted", async (t) => {
  const file = new LoginFile(await makeDirectory(t), "up");
  await save(file, LOGIN);
  for (const text of ["", "{", "[]", "null", '{"source":"up","login":{"accessToken":"a secret"}}']) {
    await writeFile(file.path, text);
    await assert.rejects(file.read(), ({ message }: Error) => {
      assert.match(message, /cannot be used: it is damaged\. Log in again: pinhole login up$/);
      assert.doesNotMatch(message, /a secret/);
      return true;
    });
  }
});

test("a damaged login can be replaced", async (t) => {
  const file = new LoginFile(await makeDirectory(t), "up");
  await save(file, LOGIN);
  await writeFile(file.path, "{");
  await save(file, LOGIN);
  assert.deepEqual(await file.read(), LOGIN);
});

test("a login of another source is not used, whatever the file is called", async (t) => {
  const directory = await makeDirectory(t);
  await save(new LoginFile(directory, "up"), LOGIN);
  await writeFile(join(directory, "down.json"), await readFile(join(directory, "up.json")));
  assert.equal(await new LoginFile(directory, "down").read(), undefined);
});

test("a directory for logins that cannot be created is reported with advice", async (t) => {
  const directory = await makeDirectory(t);
  const outer = join(directory, "..", "..", "file");
  await writeFile(outer, "");
  await assert.rejects(
    save(new LoginFile(join(outer, "logins"), "up"), LOGIN),
    /cannot be written to \(\w+\)\. Change its permissions/,
  );
});
