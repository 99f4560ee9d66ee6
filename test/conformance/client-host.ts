import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { createOutbound } from "../../src/outbound/index.ts";
import { type ClientContext, createOperator } from "./client-login.ts";
import { type Task, workThrough } from "./client-work.ts";

/** What the suite tells a client by its arguments and its environment. */
interface Told {
  readonly url: string;
  readonly scenario: string;
  readonly context: ClientContext & Pick<Task, "toolCalls">;
}

/** How many clients work at a time. */
const AT_ONCE = 4;

/**
 * Does the work of all clients that the suite starts, while `run` runs it with the environment given. The suite starts them
 * all at once and answers none meanwhile, so that on a small machine they would miss their timeouts: the work begins when so
 * many are there, a few at a time.
 */
export async function hostClients<Result>(
  least: number,
  run: (env: Readonly<Record<string, string>>) => Promise<Result>,
): Promise<Result> {
  const waiting: Socket[] = [];
  let seen = 0;
  let working = 0;
  const next = async () => {
    const client = working < AT_ONCE ? waiting.shift() : undefined;
    if (!client) return;
    working++;
    const error = await text(client)
      .then((told) => work(JSON.parse(told)))
      .then(() => "", String);
    client.end(error);
    working--;
    void next();
  };
  // A client has said everything before the work begins, and waits for how it ended.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on("error", () => {});
    waiting.push(client);
    seen++;
    if (seen === least) for (let each = 0; each < AT_ONCE; each++) void next();
    else if (seen > least) void next();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await run({ PINHOLE_CONFORMANCE_HOST: String((server.address() as AddressInfo).port) });
  } finally {
    server.close();
    for (const client of waiting) client.destroy();
  }
}

/** One scenario: works through what the server offers, and logs in as often as it says so. */
async function work({ url: address, scenario, context: { toolCalls, ...context } }: Told): Promise<void> {
  const url = new URL(address);
  const outbound = createOutbound({ allowPrivate: true });
  const task = { url, scenario, outbound, ...(toolCalls && { toolCalls }) };
  const { oauth, follow } = scenario.startsWith("auth/")
    ? createOperator({ scenario, url, outbound, context })
    : { oauth: undefined, follow: async () => false };
  try {
    for (let isDone = false; !isDone; ) {
      try {
        await workThrough({ ...task, oauth });
        isDone = true;
      } catch (error) {
        if (!(await follow(error))) throw error;
      }
    }
  } finally {
    await outbound.close();
  }
}
