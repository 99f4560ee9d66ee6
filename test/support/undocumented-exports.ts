const EXPORT =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type) (\w+)/;

/** The names of a file's exported declarations that stand under no doc comment; of overloads, the first counts. */
export function undocumentedExports(source: string): readonly string[] {
  const lines = source.split("\n");
  const documented = new Set<string>();
  const undocumented = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const name = EXPORT.exec(line)?.[1];
    if (name === undefined) continue;
    if (lines[index - 1]?.trimEnd().endsWith("*/") === true) documented.add(name);
    else if (!documented.has(name)) undocumented.add(name);
  }
  return [...undocumented];
}
