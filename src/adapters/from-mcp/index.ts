export { ConnectionFailure, McpConnection } from "./connection.ts";
export { createMcpSource, type McpSource } from "./mcp-source.ts";
export { type McpSourceOptions, TOKEN } from "./options.ts";
export { toImportError } from "./to-import-error.ts";
