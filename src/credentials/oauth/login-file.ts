import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeFileAtomically } from "../../config/index.ts";
import { parseJson } from "../../core/index.ts";
import { type Login, type LoginStore, LoginStoreError, loginFrom } from "./login.ts";

const OWNER_ONLY = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;
/** Heartbeat of a held lock, and the age at which a lock is stale. */
const SIGN_OF_LIFE_MS = 5_000;
const STALE_MS = 60_000;
const LOOK_MS = 50;
/** Longest wait for a lock whose holder is alive. */
const PATIENCE_MS = 120_000;

/** The file of a source's login. */
export function loginPath(directory: string, source: string): string {
  return join(directory, `${source}.json`);
}

/**
 * Keeps the login of one source in a file that only its owner may read. Every process may renew it, but one at a time:
 * most authorization servers end a login whose refresh token is used twice.
 */
export class LoginFile implements LoginStore {
  readonly path: string;
  readonly #source: string;

  constructor(directory: string, source: string) {
    this.path = loginPath(directory, source);
    this.#source = source;
  }

  async read(): Promise<Login | undefined> {
    const text = await readFile(this.path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw this.#unusable(`it cannot be read (${error.code})`);
    });
    if (text === undefined) return undefined;
    const { source, login } = parse(text);
    const found = loginFrom(login);
    if (!found) throw this.#unusable("it is damaged");
    // On some systems two names that differ by case only are one file.
    return source === this.#source ? found : undefined;
  }

  async exclusively<Result>(
    work: (login: Login | undefined, save: (login: Login) => Promise<void>) => Promise<Result>,
  ): Promise<Result> {
    const release = await this.#lock();
    try {
      // A damaged login must not prevent a new one.
      const kept = await this.read().catch(() => undefined);
      return await work(kept, (login) => this.#write(login));
    } finally {
      await release();
    }
  }

  /** Deletes the login; false if there was none. A renewal that runs finishes first, and cannot bring it back. */
  async forget(): Promise<boolean> {
    if (!(await ageOf(this.path))) return false;
    const release = await this.#lock();
    try {
      await rm(this.path, { force: true });
    } finally {
      await release();
    }
    return true;
  }

  async #lock(): Promise<() => Promise<void>> {
    try {
      await prepareDirectory(dirname(this.path));
      return await acquire(`${this.path}.lock`);
    } catch (error) {
      if (error instanceof LoginStoreError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      throw new LoginStoreError(
        `The login cannot be stored: ${dirname(this.path)} cannot be written to (${code}). Change its permissions, or set logins.directory.`,
      );
    }
  }

  async #write(login: Login): Promise<void> {
    const text = JSON.stringify({ source: this.#source, login }, undefined, 2);
    await writeFileAtomically(this.path, `${text}\n`, { mode: OWNER_ONLY });
  }

  #unusable(reason: string): LoginStoreError {
    return new LoginStoreError(
      `The login in ${this.path} cannot be used: ${reason}. Log in again: pinhole login ${this.#source}`,
    );
  }
}

/** Creates the directory for its owner alone, and keeps it out of version control. */
async function prepareDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  await writeFile(join(directory, ".gitignore"), "*\n", { flag: "wx", mode: OWNER_ONLY }).catch(() => {});
}

/** Waits for the lock; a stale one is taken over. */
async function acquire(path: string): Promise<() => Promise<void>> {
  const owner = randomBytes(12).toString("hex");
  const began = performance.now();
  let seen: { readonly modified: number; readonly at: number } | undefined;
  for (;;) {
    try {
      await writeFile(path, owner, { flag: "wx", mode: OWNER_ONLY });
      return hold(path, owner);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const held = await ageOf(path);
    if (!held) continue;
    const now = performance.now();
    if (seen?.modified !== held.modified) seen = { modified: held.modified, at: now };
    // By the clock, and by watching the lock in case the clock was set back.
    if (held.milliseconds > STALE_MS || now - seen.at > STALE_MS) await clearAway(path, held.modified);
    else if (now - began > PATIENCE_MS) throw busy(path);
    else await sleep(LOOK_MS);
  }
}

/** Holds the lock until the returned function is called, which leaves another owner's lock alone. */
function hold(path: string, owner: string): () => Promise<void> {
  const alive = setInterval(() => {
    const now = new Date();
    void utimes(path, now, now).catch(() => {});
  }, SIGN_OF_LIFE_MS);
  return async () => {
    clearInterval(alive);
    if ((await readFile(path, "utf8").catch(() => "")) === owner) await rm(path, { force: true });
  };
}

/** If several processes find a stale lock, one renames it away; a fresh lock taken by mistake is put back. */
async function clearAway(path: string, modified: number): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString("hex")}`;
  await rename(path, aside).catch(() => {});
  const moved = await ageOf(aside);
  if (moved && moved.modified !== modified) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

interface Age {
  readonly modified: number;
  readonly milliseconds: number;
}

async function ageOf(path: string): Promise<Age | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && { modified: found.mtimeMs, milliseconds: Date.now() - found.mtimeMs };
}

function busy(path: string): LoginStoreError {
  return new LoginStoreError(
    `Another program has been changing this login for ${PATIENCE_MS / 60_000} minutes. Stop it, or remove ${path} if none runs.`,
  );
}

function parse(text: string): { readonly source?: unknown; readonly login?: unknown } {
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? value : {};
}
