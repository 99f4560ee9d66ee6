import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import type { TestContext } from "node:test";
import { ROOT } from "./source-files.ts";

/** Serves an empty page at / and the modules of `src` as a browser can load them. Answers its address. */
export async function serveSources(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://server").pathname);
    if (path === "/") return void response.setHeader("content-type", "text/html").end("<!doctype html>");
    if (!path.startsWith("/src/") || !path.endsWith(".ts")) return void response.writeHead(404).end();
    readFile(join(ROOT, path), "utf8").then(
      (text) => response.setHeader("content-type", "text/javascript").end(stripTypeScriptTypes(text)),
      () => response.writeHead(404).end(),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
