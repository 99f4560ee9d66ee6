const MAX_LENGTH = 100;
/** Names are cut after this many characters. */
const MAX_READ = 1_000;

/** Gives each operation of a document a name of its own. */
export class OperationNames {
  readonly #taken = new Set<string>();
  /** The number last given to a name, so that ten thousand of one name are not counted from the start each time. */
  readonly #numbers = new Map<string, number>();

  /** By its id, else by method and path: `get_pets_by_id`. A second one of the same name says its method, its path, a number. */
  nameFor(operationId: unknown, method: string, path: string): string {
    const byPath = `${method.toLowerCase()}${pathWords(path)}`;
    const id = typeof operationId === "string" ? safe(operationId) : "";
    const base = id === "" ? byPath : id;
    const candidates = [base, `${base}_${method.toLowerCase()}`, `${base}_${byPath}`];
    const free = candidates.map(shorten).find((name) => !this.#taken.has(name));
    const name = free ?? this.#numbered(shorten(base));
    this.#taken.add(name);
    return name;
  }

  #numbered(base: string): string {
    let count = this.#numbers.get(base) ?? 2;
    while (this.#taken.has(`${base}_${count}`)) count++;
    this.#numbers.set(base, count + 1);
    return `${base}_${count}`;
  }
}

/** Replaces invalid characters by underscores; slashes may group: `repos/list`. */
export function safe(text: string): string {
  return withoutMarks(text)
    .replaceAll(/[^A-Za-z0-9_./-]+/g, "_")
    .replaceAll(/\/+/g, "/")
    .replaceAll(/^[/_]+|[/_]+$/g, "");
}

/** Letters that a name cannot hold leave a hash behind: paths in other scripts would all become the same. */
function pathWords(path: string): string {
  const plain = withoutMarks(path);
  const lost = /[^\p{ASCII}]/u.test(plain) ? `_${hash(path)}` : "";
  const words = plain
    .replaceAll(/\{([^{}]+)\}/g, (_, name: string) => `_by_${name}`)
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  return words === "" ? lost || "_root" : `_${words}${lost}`;
}

function withoutMarks(text: string): string {
  return text
    .slice(0, MAX_READ)
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "");
}

/** A long name keeps its beginning, and a hash of the rest, so that it stays the same and its own. */
function shorten(name: string): string {
  if (name.length <= MAX_LENGTH) return name;
  const kept = name.slice(0, MAX_LENGTH - 8).replace(/[/_.-]+$/, "");
  return `${kept}_${hash(name)}`;
}

/** FNV-1a, 32 bit: only to tell names apart. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value.toString(36).padStart(7, "0").slice(-7);
}
