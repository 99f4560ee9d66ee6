import { definitionOf } from "../../adapters/index.ts";
import { referenceOf } from "../../adapters/source/index.ts";
import type { SourceConfig } from "../../config/index.ts";
import { adviceOnImport, type ImportErrorCode, type Registry, SchemaUnusable } from "../../core/index.ts";
import { createSchemaValidator } from "../../formats/index.ts";
import type { ListedSource, UpstreamReport } from "../../gateway/sources/index.ts";
import { withoutSecrets } from "../../observe/index.ts";
import type { Catalogue } from "../index.ts";
import { isOwnAddress, isPrivateHost } from "../inspect/index.ts";
import { type Finding, fine, note, wrong } from "./check.ts";

const SHOWN = 5;
const MOST_SCHEMAS = 20_000;

/** Reports the health of each server and API. */
export async function checkSources(catalogue: Catalogue): Promise<readonly Finding[]> {
  const checks = await Promise.all(catalogue.report().map((report) => checkSource(report, catalogue)));
  return [...checks, ...catalogue.sources().flatMap(checkSettings)];
}

function checkSettings({ name, warnings = [] }: ListedSource): readonly Finding[] {
  return warnings.map((warning) =>
    note(name, `sources.${name}.${warning}.`, "Correct or remove it; pinhole search shows the names."),
  );
}

async function checkSource(
  { name, health, redactor, withheld = [] }: UpstreamReport,
  catalogue: Catalogue,
): Promise<Finding> {
  const clean = (text: string) => withoutSecrets(text, redactor);
  if (health.state === "connecting")
    return wrong(
      name,
      "It has not answered in time.",
      `Check that the server of ${name} runs and is not overloaded.`,
    );
  const source = catalogue.loaded.config.sources[name];
  if (health.state === "unhealthy")
    return wrong(name, `${health.code}: ${clean(health.reason)}`, await adviceFor(name, health.code, source));
  if (!source) return fine(name, "It answers.");
  const definition = definitionOf(source);
  if (isOwnAddress(referenceOf(source), catalogue.loaded.config))
    return wrong(name, "It is this gateway itself.", `Remove it: pinhole remove ${name}`);
  const count = `${health.operations} operation${health.operations === 1 ? "" : "s"}`;
  const registrations = catalogue.registry.snapshot().sources.get(name)?.registrations ?? [];
  const service = await definition.probe?.(source, registrations);
  if (service?.problem !== undefined)
    return note(
      name,
      `${service.problem} ${count} from its document are offered all the same.`,
      adviceOnImport("TRANSPORT", name),
    );
  const answers = service?.answers ?? (definition.isOwnCode ? "It loads" : "It answers");
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
    `What is left out of ${name} cannot be called; tell its operator.`,
  );
}

async function adviceFor(
  name: string,
  code: ImportErrorCode,
  source: SourceConfig | undefined,
): Promise<string> {
  const own = source && definitionOf(source).advise(source, { name, code });
  if (own !== undefined) return own;
  // A private address is refused even if it is right and its server runs.
  if (code === "TRANSPORT" && source && !source.allowPrivate && (await liesNear(source)))
    return `Write allowPrivate: true under sources.${name} if its server is meant to be on this machine or in a private network.`;
  return adviceOnImport(code, name);
}

async function liesNear(source: SourceConfig): Promise<boolean> {
  const addresses = definitionOf(source)
    .addresses(source)
    .filter((each) => each !== undefined && URL.canParse(each));
  const near = await Promise.all(addresses.map((each) => isPrivateHost(new URL(String(each)).hostname)));
  return near.includes(true);
}

/** Operations whose inputs cannot be checked, since their schemas make no sense. */
export function checkSchemas(registry: Registry): readonly Finding[] {
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
