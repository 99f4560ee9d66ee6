/** One word of an expression. */
export interface Token {
  /** `name`, `quoted`, `literal`, `number`, `end`, or punctuation such as `[?`, which is its own type. */
  readonly type: string;
  /** The source text. */
  readonly text: string;
  /** The place of its first character, counted from 1. */
  readonly place: number;
  /** The name, number or literal that it means. */
  readonly value: unknown;
}

const WORD =
  /[ \t\r\n]*(?:(?<name>[A-Za-z_]\w*)|(?<quoted>"(?:[^"\\]|\\.)*")|(?<raw>'(?:[^'\\]|\\.)*')|(?<json>`(?:[^`\\]|\\.)*`)|(?<number>-?\d+)|(?<mark>\[\?|\[\]|&&|\|\||[=!<>]=|[.*,:{}[\]()@&|!<>])|(?<end>$))/sy;
const HYPHENATED = /[A-Za-z_][\w-]*/y;
const CLOSING: Readonly<Record<string, string>> = { '"': "name", "'": "text", "`": "literal" };

/** Splits an expression into tokens; throws an Error that names the wrong character. */
export function tokensOf(expression: string): readonly Token[] {
  const tokens: Token[] = [];
  const word = new RegExp(WORD);
  for (;;) {
    const { lastIndex } = word;
    const found = word.exec(expression)?.groups;
    if (!found) throw new Error(slipAt(expression, lastIndex));
    const token = toToken(found, word.lastIndex);
    const isHyphen = token.text.startsWith("-") && tokens.at(-1)?.type === "name";
    if (isHyphen) throw new Error(slipAt(expression, lastIndex));
    tokens.push(token);
    if (token.type === "end") return tokens;
  }
}

function toToken(found: Partial<Record<string, string>>, end: number): Token {
  const [kind = "", text = ""] = Object.entries(found).find(([, part]) => part !== undefined) ?? [];
  const place = end - text.length + 1;
  switch (kind) {
    case "quoted":
      return { type: kind, text, place, value: parsed(text, place) };
    case "raw":
      return { type: "literal", text, place, value: text.slice(1, -1).replaceAll("\\'", "'") };
    case "json":
      return { type: "literal", text, place, value: literalOf(text, place) };
    case "number":
      return { type: kind, text, place, value: Number(text) };
    default:
      return { type: kind === "mark" ? text : kind, text, place, value: text };
  }
}

/** JSON between backticks. A bare word is a text, as in older versions of JMESPath. */
function literalOf(text: string, place: number): unknown {
  const json = text.slice(1, -1).replaceAll("\\`", "`").trim();
  const isWord = !/^(?:[[{"]|-?\d)/.test(json) && !["true", "false", "null"].includes(json);
  return frozen(parsed(isWord ? `"${json}"` : json, place));
}

function parsed(json: string, place: number): unknown {
  try {
    return JSON.parse(json, (_, value) => {
      if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new Error();
      return value;
    });
  } catch {
    throw new Error(`what is quoted at character ${place} is not valid JSON; write a text as 'text'`);
  }
}

/** Frozen, because a literal may be part of many results. */
function frozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

function slipAt(expression: string, from: number): string {
  const index = from + (/\S/.exec(expression.slice(from))?.index ?? 0);
  const character = String.fromCodePoint(expression.codePointAt(index) ?? 0);
  const quote = CLOSING[character];
  if (quote) return `the ${quote} that starts at character ${index + 1} has no closing ${character}`;
  if (character === "=") return `compare with == instead of = at character ${index + 1}`;
  if (character === "-") {
    const start = /\w*$/.exec(expression.slice(0, index))?.index ?? index;
    const hyphenated = new RegExp(HYPHENATED);
    hyphenated.lastIndex = start;
    const [name = "first-name"] = hyphenated.exec(expression) ?? [];
    return `a name with a hyphen needs double quotes: "${name}"`;
  }
  return `${JSON.stringify(character)} at character ${index + 1} has no meaning in JMESPath; @ is the whole output, and other names need double quotes`;
}
