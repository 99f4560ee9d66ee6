import { resolveSecret as resolve } from "../../../src/config/secret.ts";
import { transcript } from "./transcript.ts";

export * from "../../../src/config/secret.ts";

/** Finds secrets as the product does, and notes them. */
export const resolveSecret: typeof resolve = (reference, keys, surroundings) => {
  const secret = resolve(reference, keys, surroundings);
  transcript.secret(secret);
  return secret;
};
