export { ImportError, type ImportErrorCode } from "./import-error.ts";
export { createMcpSource, type McpSource, type OnSet, type SourceHealth } from "./mcp-source.ts";
export { type McpSourceOptions, TOKEN } from "./options.ts";
