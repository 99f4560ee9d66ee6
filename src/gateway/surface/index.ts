export { directTokensOf, measureSurface, measureTools, type Surface } from "./surface.ts";
