import { randomBytes } from "node:crypto";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { isRecord, type UnknownRecord } from "../../core/index.ts";
import type { Session } from "./session-ids.ts";

/** The id of the handshake that is played to the server; no client can choose it, because its answer never leaves. */
const HANDSHAKE = `handshake-${randomBytes(9).toString("base64url")}`;

/** Options of an exchange. */
interface ExchangeOptions {
  readonly keepAliveMs: number;
  /** Ids of the requests in the POST. */
  readonly requests: readonly RequestId[];
  /** Counts one more open question, until the returned function is called; throws where there are too many. */
  readonly ask: () => () => void;
}

/** True if a message gives up a request, as clients and servers of these revisions do. */
export function isCancel({ method }: { readonly method?: unknown }): boolean {
  return method === "notifications/cancelled";
}

/** The id of the request that a cancel gives up, as the message has it. */
export function cancelledBy({ params }: { readonly params?: unknown }): RequestId {
  return (isRecord(params) ? params.requestId : undefined) as RequestId;
}

/**
 * One POST of a session and the stream that answers it. Its client may cancel a request of it, or answer a question that
 * came on the stream, by another POST: that message is delivered here.
 */
export class SessionExchange extends WebStandardStreamableHTTPServerTransport {
  /** Makes the ids of questions unique in the session: the SDK numbers them from zero in each exchange. */
  readonly #mark = randomBytes(9).toString("base64url");
  /** Requests that are neither answered nor cancelled. */
  readonly #running: Set<RequestId>;
  /** Open questions by the id that the client knows. */
  readonly #questions = new Map<string, { readonly id: RequestId; readonly over: () => void }>();
  readonly #ask: ExchangeOptions["ask"];
  #onIntroduced = () => {};

  constructor({ keepAliveMs, requests, ask }: ExchangeOptions) {
    super({ keepAliveMs });
    this.#running = new Set(requests);
    this.#ask = ask;
  }

  /** Tells the server, which was built for this POST, what the client said of itself when its session began. */
  async introduce({ revision, capabilities }: Session): Promise<void> {
    const introduced = new Promise<void>((resolve) => {
      this.#onIntroduced = resolve;
    });
    const params = {
      protocolVersion: revision,
      capabilities,
      clientInfo: { name: "session", version: "0" },
    };
    this.onmessage?.({ jsonrpc: "2.0", id: HANDSHAKE, method: "initialize", params });
    await introduced;
  }

  /** Takes a message that came by another POST of the session; false if it belongs to another exchange. */
  deliver(message: UnknownRecord): boolean {
    return isCancel(message) ? this.#cancel(message) : this.#answer(message);
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (isJSONRPCRequest(message)) return super.send(this.#asQuestion(message), options);
    if (isJSONRPCNotification(message)) return super.send(this.#withdrawing(message), options);
    if (message.id === HANDSHAKE) return this.#onIntroduced();
    await super.send(message, options);
    if (message.id !== undefined) this.#running.delete(message.id);
    await this.#closeIfOver();
  }

  override async close(): Promise<void> {
    for (const { over } of this.#questions.values()) over();
    this.#questions.clear();
    await super.close();
  }

  #cancel(message: UnknownRecord): boolean {
    if (!this.#running.delete(cancelledBy(message))) return false;
    this.onmessage?.(message as unknown as JSONRPCMessage);
    void this.#closeIfOver();
    return true;
  }

  #answer(message: UnknownRecord): boolean {
    const question = this.#questions.get(message.id as string);
    if (!question) return false;
    this.#questions.delete(message.id as string);
    question.over();
    this.onmessage?.({ ...message, id: question.id } as unknown as JSONRPCMessage);
    return true;
  }

  #asQuestion<Message extends { readonly id: RequestId }>(message: Message): Message {
    const id = this.#nameOf(message.id);
    this.#questions.set(id, { id: message.id, over: this.#ask() });
    return { ...message, id };
  }

  /** A question that the server gives up has another name at the client. */
  #withdrawing<Message extends { readonly method: string; readonly params?: object | undefined }>(
    message: Message,
  ): Message {
    if (!isCancel(message)) return message;
    const id = this.#nameOf(cancelledBy(message));
    this.#questions.get(id)?.over();
    this.#questions.delete(id);
    return { ...message, params: { ...message.params, requestId: id } };
  }

  #nameOf(id: RequestId): string {
    return `${this.#mark}.${id}`;
  }

  /** The SDK leaves the stream open where a cancelled request gets no answer. */
  async #closeIfOver(): Promise<void> {
    if (this.#running.size === 0) await this.close();
  }
}
