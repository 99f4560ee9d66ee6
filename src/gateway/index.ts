export { DEMO } from "./demo.ts";
