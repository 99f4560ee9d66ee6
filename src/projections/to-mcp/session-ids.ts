import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  type ClientCapabilities,
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { isRecord } from "../../core/index.ts";

/** Time after which a client has to initialize again. */
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1_000;

/** The session of a client of a revision before 2026-07-28, as its id says it. */
export interface Session {
  /** Tells sessions apart, in all replicas. */
  readonly number: string;
  readonly principal: string;
  readonly revision: string;
  /** The kinds of question that the client can answer. */
  readonly capabilities: ClientCapabilities;
}

/** A client's description of itself when it initializes. */
interface InitializingClient {
  readonly protocolVersion: string;
  readonly capabilities: unknown;
}

/** Issues and checks the ids of sessions. All that is known of a session is in its id, so any replica with the key can check it. */
interface SessionIds {
  issue(principal: string, client: InitializingClient): string;
  /** Undefined for an id that is forged, expired, or of another principal, endpoint or key. */
  read(id: string, principal: string): Session | undefined;
}

/** number.time of issue.revision.capabilities.signature */
const FORMAT = /^([\w-]{22})\.([0-9a-z]{8,9})\.(\d{4}-\d\d-\d\d)\.(f?s?)\.([\w-]{43})$/;

/** Builds the ids of one endpoint. Principal and endpoint are signed without being in the id. */
export function createSessionIds(
  key: Uint8Array,
  endpoint: string,
  now: () => number = Date.now,
): SessionIds {
  // A key of its own: nothing else that the given key has signed can pass for a session.
  const own = createHmac("sha256", key).update("mcp sessions").digest();
  const sign = (content: string, principal: string) =>
    createHmac("sha256", own)
      .update(JSON.stringify([endpoint, principal, content]))
      .digest();

  return {
    issue(principal, { protocolVersion, capabilities }) {
      const revision = SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)
        ? protocolVersion
        : LATEST_PROTOCOL_VERSION;
      const number = randomBytes(16).toString("base64url");
      const content = [number, now().toString(36), revision, lettersOf(capabilities)].join(".");
      return `${content}.${sign(content, principal).toString("base64url")}`;
    },

    read(id, principal) {
      const [, number = "", issued = "", revision = "", letters = "", signature = ""] = FORMAT.exec(id) ?? [];
      if (number === "") return undefined;
      const content = id.slice(0, -signature.length - 1);
      if (!timingSafeEqual(sign(content, principal), Buffer.from(signature, "base64url"))) return undefined;
      if (Number.parseInt(issued, 36) + LIFETIME_MS <= now()) return undefined;
      return { number, principal, revision, capabilities: capabilitiesOf(letters) };
    },
  };
}

/** One letter for each thing that the server may ask a client for: forms (elicitation) and samples. */
function lettersOf(capabilities: unknown): string {
  if (!isRecord(capabilities)) return "";
  const { elicitation, sampling } = capabilities;
  // Before there were modes, every question was a form.
  const fillsForms = isRecord(elicitation) && ("form" in elicitation || !("url" in elicitation));
  return `${fillsForms ? "f" : ""}${isRecord(sampling) ? "s" : ""}`;
}

function capabilitiesOf(letters: string): ClientCapabilities {
  return {
    ...(letters.includes("f") && { elicitation: { form: {} } }),
    ...(letters.includes("s") && { sampling: {} }),
  };
}
