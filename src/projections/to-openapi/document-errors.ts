import { HTTP_STATUS, WITHOUT_IDENTITY } from "../../contract/index.ts";
import { ERROR_TABLE, type TableCode } from "../../core/index.ts";
import { FAILURE } from "./document-schemas.ts";

interface Kind {
  readonly code: string;
  readonly meaning: string;
  readonly retryable: boolean;
}

const RETRY_AFTER = {
  "retry-after": { description: "Seconds to wait, where that is known.", schema: { type: "integer" } },
};
const CHALLENGE = { "www-authenticate": { schema: { type: "string" } } };

/** What the table does not have: requests that never became a call. */
const BEFORE_A_CALL: readonly (readonly [number, string])[] = [
  [400, "the body is not JSON, not UTF-8, or nested too deeply"],
  [413, "the body is too large"],
  [415, "the body is not declared as JSON, or compressed"],
];

const BY_STATUS = groupByStatus();
/** Not `default`, which generators take for a success as well. */
const DECLARED = { "4XX": ref("ErrorDeclared"), "5XX": ref("ErrorDeclared") };

/** Each status of the table of errors as a response of the document. */
export function errorResponses(): object {
  const responses = [...BY_STATUS].map(([status, kinds]) => [nameOf(status), responseOf(status, kinds)]);
  return {
    ...Object.fromEntries(responses),
    ErrorDeclared: {
      description: "An error that the operation declares (see schema), with the status that it declares.",
      content: { "application/json": { schema: FAILURE } },
    },
  };
}

/** References to them, by status: to these, or to all and to what operations declare. */
export function refsTo(...statuses: readonly number[]): object {
  const chosen = [...BY_STATUS.keys()].filter((status) => statuses.length === 0 || statuses.includes(status));
  const refs = chosen.map((status) => [String(status), ref(nameOf(status))]);
  return { ...Object.fromEntries(refs), ...(statuses.length === 0 && DECLARED) };
}

function groupByStatus(): ReadonlyMap<number, readonly Kind[]> {
  const codes = Object.keys(ERROR_TABLE) as TableCode[];
  const forbidden = { code: "FORBIDDEN", meaning: "needs an identity", retryable: false };
  const all: (readonly [number, Kind])[] = [
    ...codes.map((code) => [HTTP_STATUS[code], { code, ...ERROR_TABLE[code] }] as const),
    [WITHOUT_IDENTITY, forbidden],
    ...BEFORE_A_CALL.map(
      ([status, meaning]) => [status, { code: "INVALID_INPUT", meaning, retryable: false }] as const,
    ),
  ];
  const groups = new Map<number, Kind[]>();
  for (const [status, kind] of all.sort(([a], [b]) => a - b)) {
    groups.set(status, [...(groups.get(status) ?? []), kind]);
  }
  return groups;
}

function responseOf(status: number, kinds: readonly Kind[]): object {
  const [first] = kinds;
  const error = first && { code: first.code, message: `${first.meaning}.`, retryable: first.retryable };
  const headers = {
    ...(kinds.some(({ code }) => code === "FORBIDDEN") && CHALLENGE),
    ...(kinds.some(({ retryable }) => retryable) && RETRY_AFTER),
  };
  return {
    description: kinds.map(({ code, meaning }) => `${code}: ${meaning}`).join("; "),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: {
      "application/json": {
        schema: FAILURE,
        example: { error, requestId: `00000000-0000-4000-8000-000000000${status}` },
      },
    },
  };
}

function nameOf(status: number): string {
  return `Error${status}`;
}

function ref(name: string): object {
  return { $ref: `#/components/responses/${name}` };
}
