/** `pinhole`: the gateway. */
export * from "./core.ts";
export { DEMO } from "./gateway/index.ts";
