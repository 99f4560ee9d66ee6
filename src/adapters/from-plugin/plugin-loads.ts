import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Part of the address of a plugin's modules: the number of the load that they belong to. */
const MARK = "pinhole-load";

/** Files that can be edited, and are read again with the plugin; of others Node keeps what it has. */
const EDITABLE = /\.(?:[cm]?[jt]s|json)$/;

/** The code of the gateway itself: there must be one copy of it. */
const GATEWAY = new URL("../../", import.meta.url).href;

/** One load of a plugin. */
export interface PluginLoad {
  /** The address to import. */
  readonly url: string;
  /** Its own files so far, the plugin first; not those of packages. */
  readonly files: ReadonlySet<string>;
}

interface Load {
  readonly id: string;
  readonly files: Set<string>;
}

// Hooks hold for a process, and so do the modules that it has loaded.
const loads = new Map<string, Load>();
/** Loads by module, for modules whose address has no mark: CommonJS and packages. */
const loadsOfModules = new Map<string, Load>();
let isHooked = false;

/**
 * Prepares the import of a plugin. Node caches modules by their whole address, so each load has a mark, which the hook
 * passes on from a module to those that it imports. It touches only what a plugin imports.
 */
export function openLoad(path: string): PluginLoad {
  if (!isHooked) registerHooks({ resolve });
  isHooked = true;
  const load: Load = { id: String(loads.size + 1), files: new Set([path]) };
  const { href } = pathToFileURL(path);
  loads.set(load.id, load);
  loadsOfModules.set(href, load);
  return { url: marked(href, load), files: load.files };
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;

function resolve(...[specifier, context, next]: Parameters<Resolve>): ReturnType<Resolve> {
  const load = loadOf(context.parentURL);
  if (!load) return next(specifier, context);
  // Always that of the running gateway, so that errors and marks agree, whatever is installed beside the plugin.
  if (/^pinhole(?:\/|$)/.test(specifier)) return { url: import.meta.resolve(specifier), shortCircuit: true };
  const found = resolved(load, ...([specifier, context, next] as const));
  if (!found.url.startsWith("file:") || found.url.startsWith(GATEWAY)) return found;
  const [address = found.url] = found.url.split("?", 1);
  loadsOfModules.set(address, load);
  if (address.includes("/node_modules/") || !EDITABLE.test(address)) return found;
  load.files.add(fileURLToPath(address));
  return context.conditions.includes("import") ? { ...found, url: marked(found.url, load) } : found;
}

/** A file that is not there yet belongs to the load, too: it is loaded again when the file comes. */
function resolved(load: Load, ...[specifier, context, next]: Parameters<Resolve>): ReturnType<Resolve> {
  try {
    return next(specifier, context);
  } catch (error) {
    if (/^\.{0,2}\//.test(specifier)) load.files.add(fileURLToPath(new URL(specifier, context.parentURL)));
    throw error;
  }
}

function loadOf(parent: string | undefined): Load | undefined {
  if (loads.size === 0 || !parent?.startsWith("file:")) return undefined;
  const id = parent.includes(MARK) ? new URL(parent).searchParams.get(MARK) : undefined;
  return id ? loads.get(id) : loadsOfModules.get(parent);
}

function marked(address: string, { id }: Load): string {
  const url = new URL(address);
  url.searchParams.set(MARK, id);
  return url.href;
}
