import {
  and,
  comparison,
  current,
  type Evaluate,
  field,
  filter,
  flatten,
  inTurn,
  item,
  literal,
  multiSelectHash,
  multiSelectList,
  not,
  or,
  projection,
  slice,
  valueProjection,
} from "./evaluators.ts";
import { call, type FunctionArgument } from "./functions.ts";
import { type Token, tokensOf } from "./lexer.ts";

const MAX_LENGTH = 2_000;
const MAX_DEPTH = 200;

/** Binding powers of tokens; all others end an expression. */
const POWERS: ReadonlyMap<string, number> = new Map([
  ["|", 1],
  ["||", 2],
  ["&&", 3],
  ...["==", "!=", "<", "<=", ">", ">="].map((mark) => [mark, 5] as const),
  ["[]", 9],
  ["*", 20],
  ["[?", 21],
  [".", 40],
  ["!", 45],
  ["[", 55],
]);
/** A token with a lower binding power ends a projection: what follows applies to the whole list. */
const ENDS_PROJECTION = 10;

/** Compiles an expression; throws an Error that explains its problem. */
export function parseExpression(expression: string): Evaluate {
  if (expression.length > MAX_LENGTH) throw new Error(`it is longer than ${MAX_LENGTH} characters`);
  return new Parser(tokensOf(expression)).parse();
}

/** Reads the grammar of https://jmespath.org/specification.html by the power of its marks (Pratt). */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Evaluate {
    const whole = this.#expression(0);
    if (this.#type !== "end") throw unexpected(this.#next());
    return whole;
  }

  get #type(): string {
    return this.#peek(0).type;
  }

  #peek(ahead: number): Token {
    return (this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1)) as Token;
  }

  #next(): Token {
    const token = this.#peek(0);
    this.#at++;
    return token;
  }

  /** Consumes the next token if it has this type. */
  #takes(type: string): boolean {
    if (this.#type !== type) return false;
    this.#at++;
    return true;
  }

  #expect(type: string): Token {
    const token = this.#next();
    if (token.type !== type) throw unexpected(token, type);
    return token;
  }

  #expression(power: number): Evaluate {
    if (++this.#depth > MAX_DEPTH) throw new Error(`it is nested more than ${MAX_DEPTH} levels deep`);
    let left = this.#start();
    while (power < (POWERS.get(this.#type) ?? 0)) left = this.#continue(left);
    this.#depth--;
    return left;
  }

  /** Parses the start of an expression. */
  #start(): Evaluate {
    const token = this.#next();
    switch (token.type) {
      case "name":
        return this.#takes("(") ? call(token.text, this.#arguments()) : field(token.text);
      case "quoted":
        if (this.#type === "(") throw new Error(`the name of a function has no quotes: ${token.text}`);
        return field(String(token.value));
      case "literal":
        return literal(token.value);
      case "@":
        return current;
      case "!":
        return not(this.#expression(POWERS.get("!") ?? 0));
      case "(": {
        const inner = this.#expression(0);
        this.#expect(")");
        return inner;
      }
      case "*":
        return valueProjection(current, this.#projected("*"));
      case "[]":
        return projection(flatten(current), this.#projected("[]"));
      case "[?":
        return this.#filter(current);
      case "{":
        return this.#hash();
      case "[":
        return this.#bracket(current) ?? this.#list();
      default:
        throw unexpected(token);
    }
  }

  /** Parses what follows an expression. */
  #continue(left: Evaluate): Evaluate {
    const { type, text } = this.#next();
    const right = () => this.#expression(POWERS.get(type) ?? 0);
    switch (type) {
      case ".":
        return this.#takes("*")
          ? valueProjection(left, this.#projected("."))
          : inTurn(left, this.#member("."));
      case "|":
        return inTurn(left, right());
      case "||":
        return or(left, right());
      case "&&":
        return and(left, right());
      case "[?":
        return this.#filter(left);
      case "[]":
        return projection(flatten(left), this.#projected("[]"));
      case "[": {
        const found = this.#bracket(left);
        if (found) return found;
        throw unexpected(this.#next(), "a number, a slice or *");
      }
      case "*":
      case "!":
        throw unexpected(this.#peek(-1));
      default:
        return comparison(text, left, right());
    }
  }

  /** Parses the expression for each item of a projection. */
  #projected(mark: string): Evaluate {
    const power = POWERS.get(mark) ?? 0;
    if ((POWERS.get(this.#type) ?? 0) < ENDS_PROJECTION) return current;
    if (this.#takes(".")) return this.#member(mark);
    if (this.#type === "[" || this.#type === "[?") return this.#expression(power);
    throw unexpected(this.#next());
  }

  /** Parses what follows a dot. */
  #member(mark: string): Evaluate {
    const { type, place } = this.#peek(0);
    if (type === "name" || type === "quoted" || type === "*") return this.#expression(POWERS.get(mark) ?? 0);
    if (this.#takes("[")) return this.#list();
    if (this.#takes("{")) return this.#hash();
    throw new Error(`a name is missing after the dot, at character ${place}`);
  }

  /** Parses `1]`, `1:2]` or `*]`; undefined for anything else. */
  #bracket(of: Evaluate): Evaluate | undefined {
    if (this.#type === "*" && this.#peek(1).type === "]") {
      this.#at += 2;
      return projection(of, this.#projected("*"));
    }
    if (this.#type !== "number" && this.#type !== ":") return undefined;
    const bounds: (number | undefined)[] = [];
    do bounds.push(this.#type === "number" ? Number(this.#next().value) : undefined);
    while (bounds.length < 3 && this.#takes(":"));
    this.#expect("]");
    if (bounds.length === 1) return item(of, bounds[0] ?? 0);
    if (bounds[2] === 0) throw new Error("the step of a slice cannot be 0");
    return projection(slice(of, bounds), this.#projected("*"));
  }

  #filter(of: Evaluate): Evaluate {
    const condition = this.#expression(0);
    this.#expect("]");
    return filter(of, { condition, each: this.#projected("[?") });
  }

  #list(): Evaluate {
    const parts: Evaluate[] = [];
    do parts.push(this.#expression(0));
    while (this.#takes(","));
    this.#expect("]");
    return multiSelectList(parts);
  }

  #hash(): Evaluate {
    const parts: [string, Evaluate][] = [];
    do {
      const name = this.#next();
      if (name.type !== "name" && name.type !== "quoted") throw unexpected(name, "a name");
      this.#expect(":");
      parts.push([String(name.value), this.#expression(0)]);
    } while (this.#takes(","));
    this.#expect("}");
    return multiSelectHash(parts);
  }

  #arguments(): FunctionArgument[] {
    const found: FunctionArgument[] = [];
    if (this.#takes(")")) return found;
    do {
      const isReference = this.#takes("&");
      found.push({ isReference, evaluate: this.#expression(0) });
    } while (this.#takes(","));
    this.#expect(")");
    return found;
  }
}

function unexpected({ type, text, place }: Token, wanted?: string): Error {
  if (type === "end") return new Error(`it ends too early${wanted ? `: ${wanted} is missing` : ""}`);
  const advice = {
    name: "join parts with a dot, and steps with |",
    "&": "&expression is an argument of functions such as sort_by(items, &name)",
    number: "write numbers as `1`",
  }[type];
  const reason = wanted ? `${wanted} is missing before it` : advice;
  return new Error(`${text} at character ${place} is not expected there${reason ? `; ${reason}` : ""}`);
}
