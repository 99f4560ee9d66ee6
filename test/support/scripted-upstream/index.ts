/** An MCP server whose every answer is written by the test, in three settings: alone, as a fetch, and behind a gateway. */
export * from "./behind-gateway.ts";
export * from "./fetch.ts";
export * from "./script.ts";
export * from "./server.ts";
