import { existsSync, rmSync } from "node:fs";
import { createServer, type ListenOptions } from "node:net";
import { resolve } from "node:path";
import { definitionOf } from "../../adapters/index.ts";
import { type Config, ConfigError, hostAndPort, type LoadedConfig } from "../../config/index.ts";
import { cannotListen, readCertificate, whyNoSocket } from "../../gateway/server/index.ts";
import { tryAuditFile } from "../../observe/index.ts";
import { createOutbound } from "../../outbound/index.ts";
import { type Finding, fine, note, wrong } from "./check.ts";

const PATIENCE_MS = 5_000;
const adviceOn = (about: string) => `Fix the ${about} first: as it is, the gateway does not start.`;

/** Tries everything that a start of the gateway needs of this machine, and releases it again. */
export async function checkServing(loaded: LoadedConfig): Promise<readonly Finding[]> {
  return [
    ...checkAudit(loaded),
    ...checkCertificate(loaded),
    await checkPort(loaded),
    ...(await checkStreams(loaded)),
  ];
}

function checkAudit({ config, directory }: LoadedConfig): readonly Finding[] {
  const { file } = config.audit;
  if (file === undefined) return [];
  const path = resolve(directory, file);
  const wasThere = existsSync(path);
  return tried("audit", `${path} can be written.`, () => {
    tryAuditFile(path);
    if (!wasThere) rmSync(path);
  });
}

function checkCertificate(loaded: LoadedConfig): readonly Finding[] {
  const { tls } = loaded.config.server;
  if (!tls) return [];
  return tried("tls", `${tls.cert} and its key belong together.`, () => readCertificate(tls, loaded));
}

function tried(about: string, text: string, work: () => void): readonly Finding[] {
  try {
    work();
    return [fine(about, text)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [wrong(about, error.message, adviceOn(about))];
  }
}

async function checkPort({ config: { server } }: LoadedConfig): Promise<Finding> {
  const { host, port, tls } = server;
  const error = await problemOfListening({ host, port });
  if (!error) return fine("port", port === 0 ? "Any free port will be taken." : `${host}:${port} is free.`);
  const { message } = cannotListen(error, host, port);
  if (error.code !== "EADDRINUSE") return wrong("port", message, adviceOn("port"));
  const there = `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return (await isGateway(there))
    ? note(
        "port",
        `A gateway runs there already. Another one would not start: ${message}`,
        `If ${there} is not the one you mean, stop it or set server.port to another one.`,
      )
    : note("port", message, "Stop it, or set server.port to another one.");
}

async function isGateway(origin: string): Promise<boolean> {
  const asked = fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  const health: unknown = await asked.then((response) => response.json()).catch(() => undefined);
  return (health as { readonly status?: unknown } | undefined)?.status === "ok";
}

async function checkStreams({ config, directory }: LoadedConfig): Promise<readonly Finding[]> {
  const { tcp, unix } = config.server.callProtocol;
  const wanted = [
    ...(tcp === undefined ? [] : [{ name: tcp, address: hostAndPort(tcp) }]),
    ...(unix === undefined ? [] : [{ name: unix, address: { path: resolve(directory, unix) } }]),
  ];
  return Promise.all(
    wanted.map(async ({ name, address }) => {
      const error = await problemOfListening(address);
      if (!error) return fine("call protocol", `${name} can be listened on.`);
      // A start takes over a socket that is no longer in use.
      if (error.code === "EADDRINUSE")
        return note(
          "call protocol",
          `${name} is in use.`,
          `Check whether a gateway that is running already listens on ${name}.`,
        );
      return wrong(
        "call protocol",
        `Cannot listen on ${name}: ${whyNoSocket(error, address)}.`,
        adviceOn("call protocol"),
      );
    }),
  );
}

/** Listens for a moment. */
function problemOfListening(address: ListenOptions): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((settle) => {
    const server = createServer();
    server.once("error", (error) => settle(error));
    server.listen({ ...address, exclusive: true }, () => server.close(() => settle(undefined)));
  });
}

/** The shortest tokens are valid for about half a minute. */
const CLOCK_TOLERANCE_MS = 30_000;

/** Compares the clock of this machine with the Date header of the first source that sends one. */
export async function checkClock({ sources }: Config, signal: AbortSignal): Promise<readonly Finding[]> {
  for (const source of Object.values(sources)) {
    const [address = ""] = definitionOf(source)
      .addresses(source)
      .filter((each) => each !== undefined);
    if (!/^https?:\/\//i.test(address)) continue;
    const theirs = await dateAt(new URL(address), source.allowPrivate ?? false, signal);
    if (theirs === undefined) continue;
    const off = Math.round((Date.now() - theirs) / 1_000);
    const host = new URL(address).host;
    if (Math.abs(off) * 1_000 <= CLOCK_TOLERANCE_MS)
      return [fine("clock", `The clock agrees with that of ${host} (${Math.abs(off)} s apart).`)];
    const text = `The clock is ${Math.abs(off)} s ${off > 0 ? "ahead of" : "behind"} that of ${host}; tokens may be refused as too old or too new.`;
    return [wrong("clock", text, "Set the clock of this machine, best by NTP.")];
  }
  return [];
}

async function dateAt(url: URL, allowPrivate: boolean, signal: AbortSignal): Promise<number | undefined> {
  const outbound = createOutbound({ allowPrivate, tries: 1 });
  try {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    // Only the origin: the path or the query of an address may hold a secret.
    const response = await outbound.fetch(url.origin, {
      method: "HEAD",
      redirect: "manual",
      signal: patience,
    });
    await response.body?.cancel();
    const date = Date.parse(response.headers.get("date") ?? "");
    return Number.isNaN(date) ? undefined : date;
  } catch {
    // Another check reports unreachable sources.
    return undefined;
  } finally {
    await outbound.close();
  }
}
