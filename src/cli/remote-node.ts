import type { CallErrorJson } from "../core/index.ts";
import type { ActionAnswer } from "../operator/index.ts";
import { answered } from "./answered.ts";
import { CommandFailed } from "./command.ts";
import { CALL_EXIT } from "./node-options.ts";
import type { Action, PinholeNode } from "./pinhole-node.ts";

/** URL of a running node, and the token. */
export interface RemoteNodeOptions {
  readonly url: URL;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}

/** A running node, over plain HTTP. */
export function createRemoteNode({ url, token, signal }: RemoteNodeOptions): PinholeNode {
  const where = url.href.replace(/\/$/, "");

  async function post(path: Action | "subscribe", body: object): Promise<Response> {
    const headers = {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    try {
      return await fetch(new URL(path, url), { method: "POST", headers, body: JSON.stringify(body), signal });
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable(reasonOf(error));
    }
  }

  async function read(response: Response): Promise<ActionAnswer> {
    const text = await response.text();
    try {
      const answer: unknown = JSON.parse(text);
      if (typeof answer === "object" && answer !== null) return answer as ActionAnswer;
    } catch {
      // Told below.
    }
    throw unreachable(`it answers with status ${response.status}, but not as Pinhole does`);
  }

  /** Adds to an error without a token how to pass one to this program. */
  function withAdvice(answer: ActionAnswer, { status }: Response): ActionAnswer {
    if (answer.error === undefined || status !== 401 || token !== undefined) return answer;
    const message = `${answer.error.message} Put one into PINHOLE_TOKEN, or name its variable with --token-env.`;
    return { error: { ...answer.error, message } };
  }

  function unreachable(reason: string): CommandFailed {
    const message = `${where} cannot be reached: ${reason}. Is it running? Start one with: pinhole serve`;
    return new CommandFailed(CALL_EXIT.unreachable, message, {
      code: "UNREACHABLE",
      message,
      retryable: true,
    });
  }

  return {
    where,
    async ask(action, input) {
      const response = await post(action, input);
      return withAdvice(await read(response), response);
    },
    async *follow(call) {
      const response = await post("subscribe", call);
      if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
        answered(withAdvice(await read(response), response));
        throw unreachable("it answers a subscription without a stream");
      }
      const { readEvents } = await import("../formats/index.ts");
      const cutOff = () => {
        signal.throwIfAborted();
        return unreachable("the stream was cut off");
      };
      for await (const { event, data } of orElse(readEvents(response.body), cutOff)) {
        if (event === "end") return;
        if (event === "error") answered({ error: JSON.parse(data) as CallErrorJson });
        yield JSON.parse(data);
      }
      throw cutOff();
    },
    async mcp({ headers, body }) {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const options = { method: "POST", headers: { ...headers, ...authorization }, body, signal };
      return fetch(new URL("mcp", url), options).catch((error: unknown) => {
        signal.throwIfAborted();
        throw unreachable(reasonOf(error));
      });
    },
    async close() {},
  };
}

/** The items of a stream; maps the error of a broken connection. */
async function* orElse<Item>(items: AsyncIterable<Item>, error: () => Error): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch {
    throw error();
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && "code" in cause) return String(cause.code);
  return error instanceof Error ? error.message : String(error);
}
