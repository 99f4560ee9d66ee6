import type { ErrorDefinition, JsonSchema } from "../../core/index.ts";
import type { ApiError, ApiOperation } from "../../formats/index.ts";
import { RETRYABLE } from "./answer.ts";
import { STREAM_ERROR } from "./call-operation.ts";

/** Every status that the document does not declare. */
const ANY_STATUS: ErrorDefinition = Object.freeze({
  code: "HTTP_*",
  description: "Any other status that the service answers with; details hold it and the parsed body.",
  httpStatus: 502,
});
/** Statuses about the gateway's credential; a caller would take them to be about its own. */
const OF_THE_GATEWAY: readonly number[] = [401, 407];
const BAD_GATEWAY = 502;

interface Numbered {
  readonly index: number;
  readonly definition: ErrorDefinition;
}

/** The errors of one document's operations. Operations are many, and their lists of errors are few. */
export class ErrorLists {
  readonly #definitions = new Map<ApiError, Numbered>();
  readonly #lists = new Map<string, readonly ErrorDefinition[]>();

  /** The errors of an operation; operations with the same errors share one list. */
  listOf({ errors, type }: ApiOperation): readonly ErrorDefinition[] {
    const key = `${type === "subscription"} ${errors.map((error) => this.#definitionOf(error).index).join()}`;
    const known = this.#lists.get(key);
    if (known) return known;
    const other = errors.find(({ status }) => status === "other");
    const list = [
      ...errors.filter((error) => error !== other).map((error) => this.#definitionOf(error).definition),
      other ? this.#definitionOf(other).definition : ANY_STATUS,
      ...(type === "subscription" ? [STREAM_ERROR] : []),
    ];
    this.#lists.set(key, list);
    return list;
  }

  #definitionOf(error: ApiError): Numbered {
    const known = this.#definitions.get(error);
    if (known) return known;
    const made = { index: this.#definitions.size, definition: toDefinition(error) };
    this.#definitions.set(error, made);
    return made;
  }
}

/** The details of an error hold the body of the response besides its status. */
function toDefinition({ status, description, body }: ApiError): ErrorDefinition {
  const more = body === undefined ? {} : { schema: detailsOf(body) };
  if (status === "other") {
    const said = description === "" ? {} : { description: `${ANY_STATUS.description} "${description}"` };
    return { ...ANY_STATUS, ...said, ...more };
  }
  if (typeof status === "string") {
    const httpStatus = status === "4XX" ? 400 : BAD_GATEWAY;
    return { code: `HTTP_${status[0]}*`, description, httpStatus, ...more };
  }
  const retryable = RETRYABLE.includes(status) && { retryable: true };
  const httpStatus = status < 400 || OF_THE_GATEWAY.includes(status) ? BAD_GATEWAY : status;
  return { code: `HTTP_${status}`, description, httpStatus, ...retryable, ...more };
}

function detailsOf(body: JsonSchema): JsonSchema {
  if (typeof body === "boolean") return { properties: { body } };
  const { $defs, ...own } = body;
  return { properties: { body: own }, ...($defs !== undefined && { $defs }) };
}
