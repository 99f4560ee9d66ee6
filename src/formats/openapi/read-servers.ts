import { isRecord, type UnknownRecord } from "../../core/index.ts";

/** The addresses of a list of servers, with their variables filled in. */
export function readServers(servers: unknown): readonly string[] | undefined {
  if (!Array.isArray(servers)) return undefined;
  const urls = servers
    .filter(isRecord)
    .flatMap(({ url, variables }) => (typeof url === "string" ? [fillIn(url, variables)] : []));
  return urls.length > 0 ? urls : undefined;
}

/** The address that a document of Swagger 2 says in three parts. */
export function readSwaggerServers({ schemes, host, basePath }: UnknownRecord): readonly string[] {
  const path = typeof basePath === "string" ? basePath : "/";
  if (typeof host !== "string" || host === "") return [path];
  const offered = Array.isArray(schemes) ? schemes : [];
  const scheme = offered.includes("https") || !offered.includes("http") ? "https" : "http";
  return [`${scheme}://${host}${path.startsWith("/") ? "" : "/"}${path}`];
}

function fillIn(url: string, variables: unknown): string {
  return url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = isRecord(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (!isRecord(variable)) return whole;
    const value = variable.default ?? (Array.isArray(variable.enum) ? variable.enum[0] : undefined);
    return value === undefined ? whole : String(value);
  });
}
