import { isRecord, type UnknownRecord } from "../../core/index.ts";
import type { SecurityScheme } from "./model.ts";
import type { References } from "./references.ts";

const PLACES: readonly unknown[] = ["header", "query", "cookie"];

/** The security schemes of a document. */
export function readSchemes(declared: unknown, references: References): ReadonlyMap<string, SecurityScheme> {
  const entries = isRecord(declared) ? Object.entries(declared) : [];
  return new Map(entries.map(([id, value]) => [id, toScheme(id, references.follow(value, "")?.value ?? {})]));
}

/** The security requirements of an operation: alternative sets of schemes. */
export function readSecurity(
  declared: readonly unknown[],
  schemes: ReadonlyMap<string, SecurityScheme>,
): readonly (readonly SecurityScheme[])[] {
  return declared
    .filter(isRecord)
    .map((alternative) =>
      Object.entries(alternative).map(([name, scopes]) => withScopes(schemes.get(name), scopes)),
    );
}

function withScopes(scheme: SecurityScheme | undefined, scopes: unknown): SecurityScheme {
  if (!scheme) return { kind: "unsupported" };
  if (scheme.kind !== "oauth2" || !Array.isArray(scopes) || scopes.length === 0) return scheme;
  return { ...scheme, scopes: scopes.map(String) };
}

function toScheme(id: string, value: UnknownRecord): SecurityScheme {
  switch (value.type) {
    case "basic":
      return { kind: "basic" };
    case "http":
      return httpScheme(String(value.scheme).toLowerCase());
    case "apiKey":
      return typeof value.name === "string" && PLACES.includes(value.in)
        ? { kind: "apiKey", id, place: value.in as "header", name: value.name }
        : { kind: "unsupported" };
    case "oauth2":
      return { kind: "oauth2", scopes: [], ...tokenUrlOf(value) };
    case "openIdConnect":
      return { kind: "oauth2", scopes: [] };
    default:
      return { kind: "unsupported" };
  }
}

function httpScheme(scheme: string): SecurityScheme {
  if (scheme === "basic") return { kind: "basic" };
  return scheme === "bearer" ? { kind: "bearer" } : { kind: "unsupported" };
}

/** Client credentials, the only flow without a browser; `application` in Swagger 2. */
function tokenUrlOf({ flow, flows, tokenUrl }: UnknownRecord): { readonly tokenUrl?: string } {
  const flowUrl =
    isRecord(flows) && isRecord(flows.clientCredentials) ? flows.clientCredentials.tokenUrl : undefined;
  const url = flowUrl ?? (flow === "application" ? tokenUrl : undefined);
  return typeof url === "string" && url !== "" ? { tokenUrl: url } : {};
}
