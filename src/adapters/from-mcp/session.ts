import { setTimeout as sleep } from "node:timers/promises";
import {
  Client,
  type ElicitResult,
  type ProtocolEra,
  ProtocolError,
  ProtocolErrorCode,
  SdkErrorCode,
  SdkHttpError,
} from "@modelcontextprotocol/client";
import type { Asker, Form } from "./questions.ts";
import { FailFastTransport, type TransportOptions } from "./transport.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const PROBE_TIMEOUT_MS = 5_000;
/** Some servers send no headers of the stream of unsolicited messages before the first message. */
const UNASKED_PATIENCE_MS = 250;
/** Time for a server to end its session. */
const FAREWELL_MS = 1_000;

/** Options of a session. */
export interface SessionOptions extends TransportOptions {
  readonly version: string;
  /** The current secrets of the source. */
  readonly secrets?: (() => readonly string[]) | undefined;
  readonly watch?: Watch | undefined;
  /** The server may ask callers for input; true by default. */
  readonly relayQuestions?: boolean | undefined;
}

/** An initialized client of a server. It lives until it is retired and its last request has ended. */
export class Session {
  readonly client: Client;
  readonly era: ProtocolEra | undefined;
  /** The server keeps the session too, so it may lose it. */
  readonly isKept: boolean;
  readonly #transport: FailFastTransport;
  readonly #done: Promise<void>;
  #finish: () => void = () => {};
  #users = 0;
  #retired = false;

  private constructor(client: Client, transport: FailFastTransport) {
    this.client = client;
    this.era = client.getProtocolEra();
    this.isKept = transport.sessionId !== undefined;
    this.#transport = transport;
    this.#done = new Promise<void>((resolve) => {
      this.#finish = resolve;
    }).then(() => this.#close());
  }

  /** Connects and initializes. */
  static async open(options: SessionOptions): Promise<Session> {
    const { client, transport } = await connect(options);
    // Many servers send questions and changes on the stream that is being opened; a call before that would miss them.
    if (client.getProtocolEra() !== "modern")
      await Promise.race([transport.unaskedSettled, pause(UNASKED_PATIENCE_MS)]);
    if (options.watch) watchLists(client, options.watch);
    return new Session(client, transport);
  }

  /** Runs work on the session; before 2026-07-28 a server asks for input while the work runs. */
  async use<Result>(work: (client: Client) => Promise<Result>, asker?: Asker): Promise<Result> {
    this.#users++;
    try {
      if (!asker || this.era === "modern") return await work(this.client);
      return await this.#transport.asking(asker, () => work(this.client));
    } finally {
      this.#users--;
      this.#finishIfDone();
    }
  }

  /** Takes no more work; closes when the running work has ended. */
  retire(): Promise<void> {
    this.#retired = true;
    this.#finishIfDone();
    return this.#done;
  }

  #finishIfDone(): void {
    if (this.#retired && this.#users === 0) this.#finish();
  }

  async #close(): Promise<void> {
    const farewell = this.#transport.terminateSession().catch(() => {});
    await Promise.race([farewell, pause(FAREWELL_MS)]);
    await this.client.close().catch(() => {});
  }
}

interface Connected {
  readonly client: Client;
  readonly transport: FailFastTransport;
}

async function connect(options: SessionOptions): Promise<Connected> {
  try {
    return await initialize(options, "auto");
  } catch (error) {
    // Some servers before 2026-07-28 fail when they are asked for their revision.
    const isBroken = error instanceof SdkHttpError && error.code === SdkErrorCode.EraNegotiationFailed;
    if (!isBroken) throw error;
    return initialize(options, "legacy").catch(() => {
      throw error;
    });
  }
}

async function initialize(options: SessionOptions, mode: "auto" | "legacy"): Promise<Connected> {
  const transport = new FailFastTransport(options);
  const client = createClient(options, mode, transport);
  try {
    await client.connect(transport, { timeout: CONNECT_TIMEOUT_MS });
    return { client, transport };
  } catch (error) {
    await transport.close().catch(() => {});
    throw error;
  }
}

function createClient(
  { version, relayQuestions = true }: SessionOptions,
  mode: "auto" | "legacy",
  transport: FailFastTransport,
): Client {
  const client = new Client(
    { name: "pinhole", version },
    {
      capabilities: relayQuestions ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode, probe: { timeoutMs: PROBE_TIMEOUT_MS } },
      inputRequired: { autoFulfill: false },
    },
  );
  if (relayQuestions) answerQuestions(client, transport);
  client.fallbackRequestHandler = async ({ method }) => {
    const reason = `${method} is not answered by a gateway; take what is needed as arguments`;
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, reason);
  };
  // Every request reports its own failure; here only streams arrive that no request waits for.
  client.onerror = () => {};
  return client;
}

/** Before 2026-07-28 a server asks on the connection, which many callers share. */
function answerQuestions(client: Client, transport: FailFastTransport): void {
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const asker = transport.askerOfQuestion();
    if (asker) return (await asker(params as Form)) as ElicitResult;
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      "it is not certain which call this question belongs to; ask on the stream of the call, or take the values as arguments",
    );
  });
}

function pause(milliseconds: number): Promise<void> {
  return sleep(milliseconds, undefined, { ref: false });
}

const LISTS = ["tools", "resources", "prompts"] as const;
const ACKNOWLEDGE_TIMEOUT_MS = 10_000;

/** Receives changes of a server's lists. */
export interface Watch {
  /** The server says that a list has changed. */
  readonly changed: () => void;
  /** From now on changes would be missed. */
  readonly lost: () => void;
}

/** Watches the lists of a server if it reports changes; other servers are polled. */
function watchLists(client: Client, watch: Watch): void {
  for (const list of LISTS)
    client.setNotificationHandler(`notifications/${list}/list_changed`, watch.changed);
  if (client.getProtocolEra() === "modern") void subscribe(client, watch);
}

/** Since 2026-07-28 changes arrive on a stream that the client has to request. */
async function subscribe(client: Client, watch: Watch): Promise<void> {
  const capabilities = client.getServerCapabilities() ?? {};
  const wanted = LISTS.filter((list) => capabilities[list]?.listChanged === true);
  if (wanted.length === 0) return;
  const filter = Object.fromEntries(wanted.map((list) => [`${list}ListChanged`, true]));
  try {
    const subscription = await client.listen(filter, { timeout: ACKNOWLEDGE_TIMEOUT_MS });
    const end = await subscription.closed;
    const wasHeard = Object.keys(subscription.honoredFilter).length > 0;
    if (end !== "local" && wasHeard) watch.lost();
  } catch {
    // Without the stream the server is polled.
  }
}
