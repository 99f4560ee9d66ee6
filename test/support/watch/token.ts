import { resolveInTurn as create } from "../../../src/identity/token.ts";
import { transcript } from "./transcript.ts";

export * from "../../../src/identity/token.ts";

/** Finds out who presents a token as the product does, and notes the token. */
export const resolveInTurn: typeof create = (resolvers) => {
  const resolve = create(resolvers);
  return (token, signal) => {
    transcript.secret(token);
    return resolve(token, signal);
  };
};
