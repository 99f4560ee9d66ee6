import type { CredentialKey, InspectedSource } from "../../../operator/inspect/index.ts";
import { type Invocation, UsageError } from "../../command.ts";
import { envNameFor, problemOfEnvName } from "../../env-name.ts";
import { ask } from "../../questions.ts";

/** The answer for a source without a credential. */
const NONE = "none";
/** The answer for a login with a browser. */
const LOGIN = "login";

/** Authorization of a source: credentials in variables, or a login. */
export interface Credentials {
  /** The environment variables, by the keys of the source. */
  readonly variables: Readonly<Partial<Record<CredentialKey, string>>>;
  readonly login: boolean;
}

/** Determines the authorization of a source: from the options, otherwise by asking for names of variables, never for secrets. */
export async function credentialsFor(
  invocation: Invocation,
  name: string,
  { kind, wants, signsIn, isPartlyOpen }: InspectedSource,
): Promise<Credentials> {
  const { options, switches, env } = invocation;
  const given = options["token-env"];
  if (switches.has(LOGIN)) {
    if (kind !== "mcp") throw new UsageError("--login is for MCP servers; this is not one.");
    return { variables: {}, login: true };
  }
  if (given !== undefined) {
    const problem = problemOfEnvName(given);
    if (problem) throw new UsageError(`--token-env: ${problem}`);
    return { variables: given === NONE ? {} : { token: given }, login: false };
  }
  const variables: Partial<Record<CredentialKey, string>> = {};
  for (const key of wants) {
    const variable = envNameFor(name, key);
    // An unset variable disables the whole source, also operations that work without it.
    const isNeeded = !isPartlyOpen || Boolean(env[variable]);
    const usual = kind === "mcp" && signsIn ? LOGIN : isNeeded ? variable : NONE;
    const answer = switches.has("dry-run") ? usual : await askFor(invocation, key, { usual, kind });
    if (answer === NONE) break;
    if (answer === LOGIN && kind === "mcp") return { variables: {}, login: true };
    variables[key] = answer;
  }
  return { variables, login: false };
}

function askFor(
  invocation: Invocation,
  key: CredentialKey,
  { usual, kind }: { readonly usual: string; readonly kind: InspectedSource["kind"] },
): Promise<string> {
  const login = kind === "mcp" ? `, ${LOGIN} to sign in with a browser` : "";
  return ask(invocation, {
    text: `\nIt wants a credential (${key}). Name of the environment variable that holds it${login}, ${NONE} for no credential`,
    fallback: usual,
    instead: `--token-env NAME${kind === "mcp" ? ", --login" : ""}, or --yes for the usual answer`,
    problem: problemOfEnvName,
  });
}
