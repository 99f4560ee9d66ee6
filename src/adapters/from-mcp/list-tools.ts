import type { Client, Tool } from "@modelcontextprotocol/client";
import { ImportError, measureJson } from "../../core/index.ts";

const PAGE_TIMEOUT_MS = 30_000;
const MAX_PAGES = 2_000;
const MAX_TOOLS = 100_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** The tools of a server, and why there are no more of them where the list has no end. */
interface ToolList {
  readonly tools: readonly Tool[];
  readonly cut?: ImportError;
}

/** Reads all pages of a list, and of one without end a good part. The SDK's own function fails beyond 64 pages. */
export async function listTools(client: Client): Promise<ToolList> {
  const tools: Tool[] = [];
  const cursors = new Set<string>();
  let bytes = 0;
  let cursor: string | undefined;
  for (;;) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: "tools/list", params }, { timeout: PAGE_TIMEOUT_MS });
    for (const tool of page.tools) {
      bytes += measureJson(tool, MAX_BYTES).bytes;
      if (tools.length >= MAX_TOOLS || bytes > MAX_BYTES) return { tools, cut: cutAfter(tools) };
      tools.push(tool);
    }
    cursor = page.nextCursor;
    // Some servers begin again where the list ends, or end it with an empty cursor.
    if (!cursor || cursors.has(cursor)) return { tools };
    cursors.add(cursor);
    if (cursors.size >= MAX_PAGES) return { tools, cut: cutAfter(tools) };
  }
}

function cutAfter(tools: readonly Tool[]): ImportError {
  const last = JSON.stringify(tools.at(-1)?.name ?? "");
  return new ImportError(
    "DISCOVERY_FAILED",
    `the list of tools does not end within ${MAX_PAGES} pages, ${MAX_TOOLS} tools and ${MAX_BYTES} bytes; what follows ${last} is left out`,
  );
}
