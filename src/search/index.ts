export { createServices } from "./services.ts";
