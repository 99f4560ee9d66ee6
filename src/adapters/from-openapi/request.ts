import { isRecord, type UnknownRecord } from "../../core/index.ts";
import { type ApiOperation, type ApiParameter, BODY_KEY } from "../../formats/index.ts";
import { toBody, type WrittenBody } from "./request-body.ts";
import { invalidInput, type Pair, toHeaderText, toPairs, toPathText, wellFormed } from "./serialise.ts";

/** A request before its credentials are added. */
export interface RequestParts {
  /** Without its query. */
  readonly address: string;
  readonly query: string[];
  readonly headers: [name: string, value: string][];
  readonly cookies: string[];
  readonly body: WrittenBody | undefined;
}

interface Destination {
  /** An absolute address. */
  readonly server: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A slash in every form that servers decode. */
const SLASH = /\/|\\|%2f|%5c/i;
/** A dot segment, also with the path parameters that some servers allow. */
const UPWARDS = /^(?:\.|%2e){1,2}(?:;|%3b|$)/i;
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The input of an operation as a request. Throws INVALID_INPUT for values that cannot be sent. */
export function toRequest(operation: ApiOperation, whole: unknown, destination: Destination): RequestParts {
  const input: UnknownRecord = isRecord(whole) ? whole : {};
  const given = ({ key }: ApiParameter) => (Object.hasOwn(input, key) ? input[key] : undefined);
  const present = operation.parameters.filter((each) => (given(each) ?? undefined) !== undefined);
  const pairsIn = (place: ApiParameter["place"]) =>
    present
      .filter((each) => each.place === place)
      .flatMap((each) => toPairs(given(each), each, each.allowReserved ? encodeLightly : encode))
      .map(joinPair);
  const { path, query } = splitPath(operation.path);
  const hasBody = operation.body && Object.hasOwn(input, BODY_KEY) && input[BODY_KEY] !== undefined;
  const body = hasBody && operation.body ? toBody(input[BODY_KEY], operation.body) : undefined;

  return {
    address: addressOf(destination.server, fillPath(path, operation.parameters, given)),
    query: [...query, ...pairsIn("query")],
    headers: [
      ["accept", operation.accept],
      ...(body === undefined ? [] : [["content-type", body.type] satisfies [string, string]]),
      ...Object.entries(destination.headers),
      ...present.filter(({ place }) => place === "header").flatMap((each) => headerOf(each, given(each))),
    ],
    cookies: pairsIn("cookie"),
    body,
  };
}

/** The whole address of a request. */
export function urlOf({ address, query }: RequestParts): string {
  return query.length === 0 ? address : `${address}?${query.join("&")}`;
}

/** The headers of a request; the last value of a name wins. */
export function headersOf({ headers, cookies }: RequestParts): Readonly<Record<string, string>> {
  const byName = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  if (cookies.length > 0) byName.set("cookie", cookies.join("; "));
  return Object.fromEntries(byName);
}

/** Encodes every character that could have a meaning. */
export function encode(text: string): string {
  return encodeURIComponent(wellFormed(text));
}

/** Keeps reserved characters, except those that would end the value. */
function encodeLightly(text: string): string {
  return encodeURI(wellFormed(text)).replaceAll(/[#&+]/g, encodeURIComponent);
}

function headerOf(parameter: ApiParameter, value: unknown): [name: string, value: string][] {
  const text = toHeaderText(value, parameter);
  if (text === undefined) return [];
  if (!HEADER_TEXT.test(text))
    throw invalidInput(parameter.key, "is sent as a header, which takes one line of Latin characters");
  return [[parameter.name, text]];
}

function joinPair([name, value]: Pair): string {
  return `${name}=${value}`;
}

/** Some documents distinguish operations of one path by a query or a fragment. */
function splitPath(written: string): { readonly path: string; readonly query: readonly string[] } {
  const [beforeHash = ""] = written.split("#", 1);
  const mark = beforeHash.indexOf("?");
  if (mark === -1) return { path: beforeHash, query: [] };
  return {
    path: beforeHash.slice(0, mark),
    query: beforeHash
      .slice(mark + 1)
      .split("&")
      .filter(Boolean),
  };
}

function fillPath(
  path: string,
  parameters: readonly ApiParameter[],
  given: (parameter: ApiParameter) => unknown,
): string {
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.place === "path" && each.name === name);
    const value = parameter && given(parameter);
    const text = parameter && value !== undefined && value !== null ? toPathText(value, parameter) : "";
    if (text === "") throw invalidInput(parameter?.key ?? name, "is part of the path and must not be empty");
    // Many servers decode slashes first. The first dot of a label is not part of the value.
    if (leadsUpwards(parameter?.style === "label" ? text.slice(1) : text))
      throw invalidInput(parameter?.key ?? name, "is part of the path and must not have . or .. as a part");
    return text;
  });
  // Dot segments would lead to the path of another operation.
  if (filled.split("/").some((segment) => UPWARDS.test(segment))) {
    throw invalidInput(
      "the path",
      `must not have . or .. as a part, as ${JSON.stringify(filled.slice(0, 100))} has`,
    );
  }
  return filled;
}

function leadsUpwards(text: string): boolean {
  return text.split(SLASH).some((segment) => UPWARDS.test(segment));
}

function addressOf(server: string, path: string): string {
  const base = new URL(server);
  const start = base.pathname.replace(/\/$/, "");
  return `${base.origin}${start}${path.startsWith("/") ? path : `/${path}`}`;
}
