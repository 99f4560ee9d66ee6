import { isBuiltin } from "node:module";
import { posix } from "node:path";

/** What one folder, or one file at the top, may import. */
export interface Row {
  /** Other rows of the table. */
  readonly imports: readonly string[];
  /** Packages of npm. */
  readonly packages?: readonly string[];
  /** Modules of Node; all of them unless false. */
  readonly node?: false;
  /** The one file that may import what it computes: plugins, whose names an operator writes. */
  readonly loader?: string;
  /** The file through which others enter the folder, if not `index.ts`. */
  readonly entry?: string;
}

/** Folder, or file at the top → what it may import. A folder that has rows below it holds only files itself. */
export type Table = Readonly<Record<string, Row>>;

/** Files by their path in `src`. */
export type Sources = ReadonlyMap<string, string>;

const MAX_LINES = 300;
const FILE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.ts$/;
const FOLDER_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Every way in which the files break the table or the rules for files, as sentences. */
export function findViolations(sources: Sources, table: Table): readonly string[] {
  return [
    ...[...sources].flatMap(([path, text]) => problemsOfFile(path, text)),
    ...[...sources].flatMap(([path, text]) => problemsOfImports(path, text, { sources, table })),
    ...findCircles(graphOf(sources)).map(
      (circle) =>
        `${circle.map(shown).join(" → ")} is a circle of imports; move what they share into a file of its own.`,
    ),
  ];
}

interface Surroundings {
  readonly sources: Sources;
  readonly table: Table;
}

function problemsOfFile(path: string, text: string): readonly string[] {
  const names = path.split("/");
  const file = names.pop() ?? "";
  const lines = text.replace(/\n$/, "").split("\n").length;
  return [
    ...(lines > MAX_LINES
      ? [
          `${shown(path)} has ${lines} lines, but a file has at most ${MAX_LINES}; split it by stage or by thing.`,
        ]
      : []),
    ...(FILE_NAME.test(file) && names.every((name) => FOLDER_NAME.test(name))
      ? []
      : [`${shown(path)} is not named in kebab-case.`]),
  ];
}

function problemsOfImports(path: string, text: string, around: Surroundings): readonly string[] {
  const unit = unitOf(path, around.table);
  if (unit === undefined) return [`${shown(path)} lies in no folder of the table; give its folder a row.`];
  const { specifiers, computed } = importsOf(text);
  const problems = specifiers.map((specifier) =>
    specifier.startsWith(".")
      ? problemOfFile({ path, unit, specifier }, around)
      : problemOfPackage({ path, unit, specifier }, around.table),
  );
  if (computed > 0 && !isTest(path) && path !== around.table[unit]?.loader) {
    problems.push(
      `${shown(path)} computes what it imports, so nothing can check it; write the name as a string.`,
    );
  }
  return problems.filter((problem) => problem !== undefined);
}

interface Importing {
  readonly path: string;
  readonly unit: string;
  readonly specifier: string;
}

function problemOfPackage({ path, unit, specifier }: Importing, table: Table): string | undefined {
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const imports = `${shown(path)} imports ${specifier}, but`;
  if (name === "pinhole" || name.startsWith("#")) return `${imports} files of src import each other by path.`;
  if (isTest(path)) return undefined;
  const { node, packages = [] } = table[unit] ?? { imports: [] };
  if (isBuiltin(specifier)) return node === false ? `${imports} ${unit} uses no module of Node.` : undefined;
  return packages.includes(name) ? undefined : `${imports} ${unit} may use ${listed(packages, "package")}.`;
}

function problemOfFile(
  { path, unit, specifier }: Importing,
  { sources, table }: Surroundings,
): string | undefined {
  const target = resolve(path, specifier);
  const imports = `${shown(path)} imports ${shown(target)}, but`;
  if (target.startsWith("..")) return isTest(path) ? undefined : `${imports} that lies outside of src.`;
  if (!sources.has(target)) return `${imports} there is no such file.`;
  if (isTest(target)) return `${imports} nothing imports a test.`;
  const targetUnit = unitOf(target, table);
  if (targetUnit === undefined) return undefined; // reported once, for the target
  if (targetUnit === unit) {
    const inner = isTest(path) ? undefined : innerEntry(path, target, sources);
    return inner === undefined
      ? undefined
      : `${imports} that folder is entered through ${shown(inner)} only.`;
  }
  const row = table[unit] ?? { imports: [] };
  if (!isTest(path) && !row.imports.includes(targetUnit)) {
    return `${imports} ${unit} may import ${listed(row.imports, "other folder")}.`;
  }
  const entry = entryOf(targetUnit, table);
  return target === entry ? undefined : `${imports} ${targetUnit} is entered through ${shown(entry)} only.`;
}

/** The `index.ts` of the outermost folder that holds the target and not the importing file, if it has one. */
function innerEntry(path: string, target: string, sources: Sources): string | undefined {
  const folders = posix.dirname(target).split("/");
  const entries = folders
    .map((_, depth) => folders.slice(0, depth + 1).join("/"))
    .filter((folder) => !path.startsWith(`${folder}/`))
    .map((folder) => `${folder}/index.ts`)
    .filter((entry) => sources.has(entry));
  return entries[0] === target ? undefined : entries[0];
}

function entryOf(unit: string, table: Table): string {
  return unit.endsWith(".ts") ? unit : `${unit}/${table[unit]?.entry ?? "index.ts"}`;
}

function unitOf(path: string, table: Table): string | undefined {
  const units = Object.keys(table);
  const unit = units
    .filter((unit) => path === unit || path.startsWith(`${unit}/`))
    .sort((a, b) => b.length - a.length)[0];
  const holdsOnlyFiles = units.some((other) => other.startsWith(`${unit}/`));
  return holdsOnlyFiles && posix.dirname(path) !== unit ? undefined : unit;
}

function graphOf(sources: Sources): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...sources]
      .filter(([path]) => !isTest(path))
      .map(([path, text]) => {
        const relative = importsOf(text).specifiers.filter((specifier) => specifier.startsWith("."));
        return [path, relative.map((specifier) => resolve(path, specifier))];
      }),
  );
}

function resolve(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

function shown(path: string): string {
  return posix.join("src", path);
}

function listed(allowed: readonly string[], noun: string): string {
  return allowed.length === 0 ? `no ${noun}` : `only ${allowed.join(", ")}`;
}

/** Which file imports which. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** One shortest circle for each group of files that reach each other: `[a, b, a]`. */
export function findCircles(graph: Graph): readonly (readonly string[])[] {
  const circles: (readonly string[])[] = [];
  const known = new Set<string>();
  for (const start of graph.keys()) {
    if (known.has(start)) continue;
    const circle = shortestPath(graph, start, start);
    if (circle === undefined) continue;
    circles.push(circle);
    for (const file of graph.keys()) {
      const sameGroup = shortestPath(graph, start, file) && shortestPath(graph, file, start);
      if (sameGroup) known.add(file);
    }
  }
  return circles;
}

/** From a file over at least one import to another file, or back to itself. */
function shortestPath(graph: Graph, from: string, to: string): readonly string[] | undefined {
  const seen = new Set<string>();
  let paths: (readonly string[])[] = [[from]];
  while (paths.length > 0) {
    const longer: (readonly string[])[] = [];
    for (const path of paths) {
      for (const next of graph.get(path.at(-1) ?? from) ?? []) {
        if (next === to) return [...path, next];
        if (seen.has(next)) continue;
        seen.add(next);
        longer.push([...path, next]);
      }
    }
    paths = longer;
  }
  return undefined;
}

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
