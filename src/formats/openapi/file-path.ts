/** Target of a reference: a file of the document (empty for the main one) and a JSON pointer into it. */
export interface Place {
  readonly file: string;
  readonly fragment: string;
}

/** Resolves a reference relative to its file; undefined for another host. */
export function placeOf(reference: string, from: string): Place | undefined {
  const hash = reference.indexOf("#");
  const address = hash === -1 ? reference : reference.slice(0, hash);
  const fragment = hash === -1 ? "" : reference.slice(hash + 1);
  if (address === "") return { file: from, fragment };
  if (/^[a-z][a-z0-9+.-]*:|^\/\/|^\/|\\/i.test(address)) return undefined;
  return { file: joinPath(from, address), fragment };
}

function joinPath(from: string, relative: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of relative.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}
