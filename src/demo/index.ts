export { createDemo, DEMO } from "./demo.ts";
