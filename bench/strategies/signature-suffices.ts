const PLAIN = /^(string|number|integer|boolean|null|"[^"]*"|-?[\d.]+|true|false)$/;

/**
 * True if a signature is enough to write a call: nothing of the input is cut short, and every required parameter is of a
 * plain type, a list of such or a choice between such. What is inside an object, a signature does not say.
 */
export function signatureSuffices(signature: string): boolean {
  const input = /^\((.*)\) → /s.exec(signature)?.[1];
  if (input === undefined || input.includes("…")) return false;
  return splitParameters(input).every((parameter) => {
    const [, name = "", type = ""] = /^(.+?): (.*)$/s.exec(parameter) ?? [];
    return name.endsWith("?") || parameter === "" || isPlain(type);
  });
}

function isPlain(type: string): boolean {
  const item = type.replace(/(\[\])+$/, "").replace(/^\((.*)\)$/, "$1");
  return item.split(" | ").every((choice) => PLAIN.test(choice.replace(/(\[\])+$/, "")));
}

/** At the commas that stand outside of braces, brackets and quotes. */
function splitParameters(input: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let quoted = false;
  let start = 0;
  for (const [at, character] of [...input].entries()) {
    if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if ("{(".includes(character)) depth++;
    else if ("})".includes(character)) depth--;
    else if (character === "," && depth === 0) {
      parts.push([...input].slice(start, at).join("").trim());
      start = at + 1;
    }
  }
  return [...parts, [...input].slice(start).join("").trim()];
}
