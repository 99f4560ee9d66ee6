export { directTokensOf, type MeasuredOpening, measureSurface, type Surface, tokensOf } from "./surface.ts";
