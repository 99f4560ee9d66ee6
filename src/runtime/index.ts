export { createRuntime, type Runtime, type RuntimeOptions } from "./runtime.ts";
