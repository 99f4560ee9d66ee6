import { definePlugin } from "../../src/core.ts";
import { modernBody, modernHeaders } from "../../test/support/mcp-wire.ts";
import { answerRequests } from "../../test/support/serve.ts";
import { makeOperations } from "../support/operations.ts";
import { hostileJson } from "./json.ts";
import type { HostileKind } from "./kind.ts";
import { randomOf } from "./random.ts";

const MIB = 2 ** 20;
const PLACES = ["/call", "/batch", "/search", "/mcp"] as const;
/** So that names that nothing has are looked for among many. */
const operations = makeOperations(20_000).map(({ registration }) => registration);
const answer = answerRequests({
  sources: [definePlugin({ name: "many", operations })],
  maxBodyBytes: 2 * MIB,
});

/** Bodies of requests, over HTTP and MCP: large ones, and batches of names that nothing has. */
export const bodies: HostileKind = {
  name: "bodies",
  cases: 600,
  generate(seed) {
    const random = randomOf(seed);
    const place = random.pick(PLACES);
    const { kind, text } =
      random.below(4) === 0 ? unknownNames(seed) : hostileJson(random, 1 + random.below(2 * MIB - 1_000));
    const { path, body, headers } = toRequest(place, text);
    return {
      title: `${kind} of ${body.length} bytes at ${place}`,
      bytes: body.length,
      async run() {
        const request = new Request(`http://127.0.0.1${path}`, { method: "POST", headers, body });
        const response = await answer(request);
        await response.arrayBuffer();
        return response.ok ? "answered" : "refused";
      },
    };
  },
};

function unknownNames(seed: number): { readonly kind: string; readonly text: string } {
  const calls = Array.from({ length: 50 }, (_, n) => ({ operation: `service${seed}/update_invoyce_${n}` }));
  return { kind: "names that nothing has", text: JSON.stringify(calls) };
}

function toRequest(place: (typeof PLACES)[number], text: string) {
  const host = { host: "127.0.0.1", "content-type": "application/json" };
  if (place === "/batch") return { path: place, body: `{"calls":${text}}`, headers: host };
  if (place !== "/mcp") {
    const body = `{"operation":"service1/update_issue1_40","query":"x","input":${text}}`;
    return { path: place, body, headers: host };
  }
  const params = { name: "call", arguments: { operation: "service1/update_issue1_40", input: "HERE" } };
  const body = JSON.stringify(modernBody("tools/call", params)).replace('"HERE"', text);
  return { path: place, body, headers: { ...host, ...modernHeaders("tools/call", "call") } };
}
