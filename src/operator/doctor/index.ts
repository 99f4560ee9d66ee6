export type { Check } from "./check.ts";
export { type ExamineOptions, examine } from "./examine.ts";
