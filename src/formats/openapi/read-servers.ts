import { isRecord, type Steps, type UnknownRecord } from "../../core/index.ts";
import { DocumentRefused } from "./check-document.ts";

/** Longer addresses are left out. */
const MAX_URL = 8_000;

/** A server URL of a document, with its variables in braces. */
interface Server {
  readonly url: string;
  readonly variables: UnknownRecord;
}

/** Fills in the variables of servers, with the operator's values or the document's defaults. */
export class ServerReader {
  readonly #given: Readonly<Record<string, string>>;
  /** The variables of the document with their allowed values; undefined for any value. */
  readonly #known = new Map<string, Set<string> | undefined>();

  constructor(given: Readonly<Record<string, string>>) {
    this.#given = given;
  }

  /** The URLs of a list of servers; first those that match the given values. */
  *read(list: unknown): Steps<readonly string[] | undefined> {
    const servers = (Array.isArray(list) ? list : []).filter(isRecord).flatMap(toServer);
    if (servers.length === 0) return undefined;
    const found: { readonly url: string; readonly meant: number }[] = [];
    for (const server of servers) {
      yield;
      this.#learn(server.variables);
      if (!this.#fits(server.variables)) continue;
      const url = this.#fillIn(server);
      if (url.length <= MAX_URL) found.push({ url, meant: this.#meant(server) });
    }
    return found.sort((one, other) => other.meant - one.meant).map(({ url }) => url);
  }

  /** Refuses a value for an unknown variable, or one that no server allows. */
  check(): void {
    for (const [name, value] of Object.entries(this.#given)) {
      const allowed = this.#known.get(name);
      if (!this.#known.has(name)) {
        const names = [...this.#known.keys()].slice(0, 20).join(", ");
        const has = names === "" ? "the servers of this document have no variables" : `there are: ${names}`;
        throw new DocumentRefused(`variables.${name} is not a variable of a server; ${has}.`);
      }
      if (allowed && !allowed.has(value)) {
        const values = [...allowed].slice(0, 50).join(", ");
        throw new DocumentRefused(
          `variables.${name} cannot be ${JSON.stringify(value)}; the document allows: ${values}.`,
        );
      }
    }
  }

  #learn(variables: UnknownRecord): void {
    for (const [name, variable] of Object.entries(variables)) {
      const values = valuesOf(variable);
      const known = this.#known.get(name);
      const isOpen = !values || (this.#known.has(name) && !known);
      if (isOpen) this.#known.set(name, undefined);
      else if (known) for (const value of values) known.add(value);
      else this.#known.set(name, new Set(values));
    }
  }

  #fits(variables: UnknownRecord): boolean {
    return Object.entries(variables).every(([name, variable]) => {
      const value = this.#givenFor(name);
      return value === undefined || (valuesOf(variable)?.includes(value) ?? true);
    });
  }

  #meant({ variables }: Server): number {
    return Object.keys(variables).filter((name) => this.#givenFor(name) !== undefined).length;
  }

  /** A variable may occur in a URL a thousand times: stops when it is too long. */
  #fillIn({ url, variables }: Server): string {
    let length = url.length;
    return url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
      if (length > MAX_URL) return whole;
      const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (!isRecord(variable)) return whole;
      const value = this.#givenFor(name) ?? variable.default ?? valuesOf(variable)?.[0];
      if (value === undefined) return whole;
      const text = String(value);
      length += text.length - whole.length;
      return text;
    });
  }

  #givenFor(name: string): string | undefined {
    return Object.hasOwn(this.#given, name) ? this.#given[name] : undefined;
  }
}

/** The address that a document of Swagger 2 says in three parts. */
export function readSwaggerServers({ schemes, host, basePath }: UnknownRecord): readonly string[] {
  const path = typeof basePath === "string" ? basePath : "/";
  if (typeof host !== "string" || host === "") return [path];
  const rest = `//${host}${path.startsWith("/") ? "" : "/"}${path}`;
  // The scheme of the document's own URL, as the specification says; a file has none.
  if (!Array.isArray(schemes) || schemes.length === 0) return [rest, `https:${rest}`];
  return [`${schemes.includes("https") || !schemes.includes("http") ? "https" : "http"}:${rest}`];
}

function toServer({ url, variables }: UnknownRecord): readonly Server[] {
  return typeof url === "string" ? [{ url, variables: isRecord(variables) ? variables : {} }] : [];
}

function valuesOf(variable: unknown): readonly string[] | undefined {
  if (!isRecord(variable) || !Array.isArray(variable.enum) || variable.enum.length === 0) return undefined;
  return variable.enum.map(String);
}
