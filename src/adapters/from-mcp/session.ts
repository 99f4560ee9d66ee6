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
/** Some servers send nothing of the stream on which they speak unasked before they speak. */
const UNASKED_PATIENCE_MS = 250;
/** How long a server has to take note that its session has ended. */
const FAREWELL_MS = 1_000;

/** Where a session goes, who opens it, and who is told about it. */
export interface SessionOptions extends TransportOptions {
  readonly version: string;
  /** The secrets of the source at the moment. */
  readonly secrets?: (() => readonly string[]) | undefined;
  readonly watch?: Watch | undefined;
  /** Whether a server may ask the callers; yes unless it is false. */
  readonly relayQuestions?: boolean | undefined;
}

/** A client that has shaken hands with a server. It lives until it is retired and its last work is done. */
export class Session {
  readonly client: Client;
  readonly era: ProtocolEra | undefined;
  /** Whether the server keeps it too, and so may lose it. */
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

  /** Connects and shakes hands. */
  static async open(options: SessionOptions): Promise<Session> {
    const { client, transport } = await connect(options);
    // Many servers ask and tell on the stream that is just being opened, and what comes too early is lost.
    if (client.getProtocolEra() !== "modern")
      await Promise.race([transport.unaskedSettled, pause(UNASKED_PATIENCE_MS)]);
    if (options.watch) watchLists(client, options.watch);
    return new Session(client, transport);
  }

  /** Does work that the session is kept for; before 2026-07-28 a server asks about it while it runs. */
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

  /** Takes no more work; closes when what is running has ended. */
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
    return await shakeHands(options, "auto");
  } catch (error) {
    // Some servers of before 2026-07-28 break on the question which revision they speak.
    const isBroken = error instanceof SdkHttpError && error.code === SdkErrorCode.EraNegotiationFailed;
    if (!isBroken) throw error;
    return shakeHands(options, "legacy").catch(() => {
      throw error;
    });
  }
}

async function shakeHands(options: SessionOptions, mode: "auto" | "legacy"): Promise<Connected> {
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
  // Every request fails by itself; this hears only of streams that nobody waits for.
  client.onerror = () => {};
  return client;
}

/** Before 2026-07-28 a server asks on the open connection, which many callers share. */
function answerQuestions(client: Client, transport: FailFastTransport): void {
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const asker = transport.whoIsAsked();
    if (asker) return (await asker(params as Form)) as ElicitResult;
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      "it is not certain which call this question belongs to; ask on the stream of the call, or take the values as arguments",
    );
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

const LISTS = ["tools", "resources", "prompts"] as const;
const ACKNOWLEDGE_TIMEOUT_MS = 10_000;

/** Who wants to know what becomes of a server's lists. */
export interface Watch {
  /** The server says that a list has changed. */
  readonly changed: () => void;
  /** From now on changes would go unnoticed. */
  readonly lost: () => void;
}

/** Watches the lists of a server as far as it tells of changes; a server that does not is asked from time to time. */
export function watchLists(client: Client, watch: Watch): void {
  for (const list of LISTS)
    client.setNotificationHandler(`notifications/${list}/list_changed`, watch.changed);
  if (client.getProtocolEra() === "modern") void subscribe(client, watch);
}

/** Since 2026-07-28 changes are told on a stream that has to be asked for. */
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
    // A server that cannot be listened to is asked from time to time.
  }
}
