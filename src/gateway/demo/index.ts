export { createDemo } from "./create-demo.ts";
export { DEMO } from "./local-operations.ts";
