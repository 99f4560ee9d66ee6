/** What a file names in `import`, `import type`, `export … from`, `import()` and `require()`. */
export interface Imports {
  readonly specifiers: readonly string[];
  /** How many `import()` compute what they import, so that no table can judge it. */
  readonly computed: number;
}

const FROM = /\b(?:import|export)\b[\w$\s{},*]*?\bfrom\s*"(\d+)"/g;
const SIDE_EFFECT = /\bimport\s*"(\d+)"/g;
const CALL = /(?<![\w$.])(?:import|require)\s*\(\s*(?:"(\d+)"\s*[,)])?/g;

/** Finds the imports of a TypeScript file. */
export function importsOf(source: string): Imports {
  const { code, strings } = withoutText(source);
  const calls = [...code.matchAll(CALL)];
  const found = [...code.matchAll(FROM), ...code.matchAll(SIDE_EFFECT), ...calls];
  return {
    specifiers: found.flatMap((match) => (match[1] === undefined ? [] : (strings[Number(match[1])] ?? []))),
    computed: calls.filter((match) => match[1] === undefined).length,
  };
}

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/y;
const STRING = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const TEMPLATE_TEXT = /(?:\\[\s\S]|[^`\\$]|\$(?!\{))*(?:`|\$\{)/y;
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{;>]|\b(?:return|typeof|case|of|in|yield|await))$/;

/** The code without comments, regular expressions and template texts; each string is its number in `strings`. */
function withoutText(source: string): { readonly code: string; readonly strings: readonly string[] } {
  const strings: string[] = [];
  const holes: number[] = []; // for each open `${`, the braces that are open inside it
  let code = "";
  let at = 0;
  while (at < source.length) {
    const letter = source.charAt(at);
    const closesHole = letter === "}" && holes.at(-1) === 0;
    if (take(COMMENT) !== undefined) code += " ";
    else if (letter === "`" || closesHole) {
      if (closesHole) holes.pop();
      at++;
      if (take(TEMPLATE_TEXT)?.endsWith("{") === true) holes.push(0);
      code += "`";
    } else if (letter === '"' || letter === "'") {
      const text = take(STRING);
      if (text === undefined) at++;
      else code += `"${strings.push(text.slice(1, -1)) - 1}"`;
    } else if (letter === "/" && BEFORE_REGEX.test(code.trimEnd().slice(-20)) && take(REGEX) !== undefined)
      code += "/";
    else {
      const depth = holes.pop();
      if (depth !== undefined) holes.push(depth + (letter === "{" ? 1 : letter === "}" ? -1 : 0));
      code += letter;
      at++;
    }
  }
  return { code, strings };

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    at += text?.length ?? 0;
    return text;
  }
}
