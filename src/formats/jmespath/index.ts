export { createSelector } from "./selector.ts";
