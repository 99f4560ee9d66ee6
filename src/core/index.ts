export * from "./access/index.ts";
export * from "./call/index.ts";
export * from "./model/index.ts";
export * from "./registry/index.ts";
