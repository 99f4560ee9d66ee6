import {
  type ClientSecret,
  TokenCache as ProductCache,
  ClientCredentials as ProductCredentials,
} from "../../../src/credentials/client-credentials.ts";
import { transcript } from "./transcript.ts";

export * from "../../../src/credentials/client-credentials.ts";

/** Keeps tokens as the product does, and notes them. */
export class TokenCache extends ProductCache {
  override get: ProductCache["get"] = async (...given) => {
    const token = await super.get(...given);
    transcript.secret(token);
    return token;
  };
}

/** Gets tokens as the product does, and notes them. */
export class ClientCredentials extends ProductCredentials {
  override async token(secret: ClientSecret, what: string): Promise<string> {
    const token = await super.token(secret, what);
    transcript.secret(token);
    transcript.secret(secret.clientSecret);
    return token;
  }
}
