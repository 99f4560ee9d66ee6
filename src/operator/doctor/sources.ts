import type { Config } from "../../config/index.ts";
import { isRecord, type Registry, SchemaUnusable } from "../../core/index.ts";
import { createSchemaValidator } from "../../formats/index.ts";
import type { ListedSource, UpstreamReport } from "../../gateway/sources/index.ts";
import { withoutSecrets } from "../../gateway/sources/index.ts";
import { createOutbound, OutboundError } from "../../outbound/index.ts";
import type { Catalogue } from "../index.ts";
import { isOwnAddress, isPrivateHost } from "../inspect/index.ts";
import { type Check, fine, note, wrong } from "./check.ts";

type SourceConfig = Config["sources"][string];

const SHOWN = 5;
const MOST_SCHEMAS = 20_000;
const PATIENCE_MS = 5_000;

const ADVICE = {
  UNAUTHORIZED: (name: string) => `Renew the credential of ${name}: its token was refused.`,
  TRANSPORT: (name: string) =>
    `See that the server of ${name} runs and that its address in sources.${name} is right.`,
  DISCOVERY_FAILED: (name: string) =>
    `See whether the address in sources.${name} is that of an MCP server or document.`,
  SCHEMA_PARSE: (name: string) => `Fix the document of ${name}, or what sources.${name} says about it.`,
  NAME_COLLISION: (name: string) => `Rename ${name} or the source that has the same names.`,
} as const;

/** How each server and API fares. */
export async function checkSources(catalogue: Catalogue): Promise<readonly Check[]> {
  const checks = await Promise.all(catalogue.report().map((report) => checkSource(report, catalogue)));
  return [...checks, ...catalogue.sources().flatMap(checkSettings)];
}

function checkSettings({ name, warnings = [] }: ListedSource): readonly Check[] {
  return warnings.map((warning) =>
    note(name, `sources.${name}.${warning}.`, "Correct or remove it; pinhole search shows the names."),
  );
}

async function checkSource(
  { name, kind, health, redactor, withheld = [] }: UpstreamReport,
  catalogue: Catalogue,
): Promise<Check> {
  const clean = (text: string) => withoutSecrets(text, redactor);
  if (health.state === "connecting")
    return wrong(
      name,
      "It has not answered in time.",
      `See that the server of ${name} runs and is not overloaded.`,
    );
  if (health.state === "unhealthy") {
    const source = catalogue.loaded.config.sources[name];
    return wrong(name, `${health.code}: ${clean(health.reason)}`, await adviceFor(name, health.code, source));
  }
  const source = catalogue.loaded.config.sources[name];
  if (source && isOwnAddress(source.mcp ?? source.peer ?? source.openapi, catalogue.loaded.config))
    return wrong(name, "It is this gateway itself.", `Remove it: pinhole remove ${name}`);
  const count = `${health.operations} operation${health.operations === 1 ? "" : "s"}`;
  const service = kind === "openapi" ? await tryService(name, source, catalogue) : undefined;
  if (service?.problem !== undefined)
    return note(
      name,
      `${service.problem} ${count} from its document are offered all the same.`,
      ADVICE.TRANSPORT(name),
    );
  const answers = service?.answers ?? (kind === "plugin" ? "It loads" : "It answers");
  if (withheld.length > 0)
    return note(
      name,
      `${answers}: ${count}; ${withheld.length} of its definitions were not accepted and are withheld.`,
      "Run pinhole lock to review them.",
    );
  if (health.leftOut.length === 0) return fine(name, `${answers}: ${count}.`);
  const left = health.leftOut.slice(0, SHOWN).map((reason) => `\n    ${clean(reason)}`);
  const rest = health.leftOut.length - SHOWN;
  return note(
    name,
    `${answers}: ${count}; ${health.leftOut.length} could not be taken as they are:${left.join("")}${rest > 0 ? `\n    … and ${rest} more` : ""}`,
    `What is left out of ${name} cannot be called; tell whoever runs it.`,
  );
}

async function adviceFor(
  name: string,
  code: keyof typeof ADVICE,
  source: SourceConfig | undefined,
): Promise<string> {
  if (source?.plugin !== undefined && code !== "NAME_COLLISION")
    return `Fix ${source.plugin}, or remove the source: pinhole remove ${name}`;
  if (code === "TRANSPORT" && source?.openapi !== undefined && !URL.canParse(source.openapi))
    return `Put the document at ${source.openapi}, or correct sources.${name}.openapi.`;
  if (code === "UNAUTHORIZED" && source?.oauth) return `Log in: pinhole login ${name}`;
  if (code === "UNAUTHORIZED" && source && !source.token && !source.credentials) {
    const browser = `; or oauth: {} if people sign in there with a browser, and then: pinhole login ${name}`;
    return `Give ${name} a credential: under sources.${name}, token: { env: NAME }${source.mcp === undefined ? "" : browser}`;
  }
  // An address that is refused for where it lies may be right, and its server may well run.
  if (code === "TRANSPORT" && source && !source.allowPrivate && (await liesNear(source)))
    return `Write allowPrivate: true under sources.${name} if its server is meant to lie on this machine or in a private network.`;
  return ADVICE[code](name);
}

async function liesNear({ mcp, peer, openapi, server }: SourceConfig): Promise<boolean> {
  const addresses = [mcp, peer, openapi, server].filter((each) => each !== undefined && URL.canParse(each));
  const near = await Promise.all(addresses.map((each) => isPrivateHost(new URL(String(each)).hostname)));
  return near.includes(true);
}

/** A document says nothing about whether the API runs, so where its calls go is asked for a sign of life. */
async function tryService(
  name: string,
  source: SourceConfig | undefined,
  { registry }: Catalogue,
): Promise<{ readonly answers?: string; readonly problem?: string }> {
  const registrations = registry.snapshot().sources.get(name)?.registrations ?? [];
  const places = [source?.server, ...registrations.map(({ target }) => isRecord(target) && target.server)];
  const origin = places.map((place) => URL.parse(String(place))?.origin).find(Boolean);
  if (!origin)
    return { answers: "Its document is read; the API was not tried because no address of it is known" };
  const outbound = createOutbound({ allowPrivate: source?.allowPrivate ?? false, tries: 1 });
  try {
    const init = { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(PATIENCE_MS) } as const;
    const response = await outbound.fetch(origin, init);
    await response.body?.cancel();
    return { answers: `Its document is read, and ${origin} answers` };
  } catch (error) {
    const reason = error instanceof OutboundError ? error.happened : String(error);
    return { problem: `Its document is read, but the API does not answer: ${reason}` };
  } finally {
    await outbound.close();
  }
}

/** Operations whose inputs cannot be checked, since their schemas make no sense. */
export function checkSchemas(registry: Registry): readonly Check[] {
  const validator = createSchemaValidator();
  const unusable = registry
    .snapshot()
    .entries()
    .slice(0, MOST_SCHEMAS)
    .flatMap(({ registration: { spec } }) => {
      try {
        validator.check(spec.inputSchema, {});
        return [];
      } catch (error) {
        return error instanceof SchemaUnusable ? [{ name: spec.name, reason: error.message }] : [];
      }
    });
  return unusable
    .slice(0, SHOWN)
    .map(({ name, reason }) =>
      note(
        "schemas",
        `${name}: ${reason}`,
        `The input schema of ${name} is broken where it comes from; calls may be refused.`,
      ),
    );
}
