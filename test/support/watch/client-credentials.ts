import {
  type ClientSecret,
  ClientCredentials as Tokens,
} from "../../../src/credentials/oauth/client-credentials.ts";
import { transcript } from "./transcript.ts";

export * from "../../../src/credentials/oauth/client-credentials.ts";

/** Gets tokens as the product does, and notes them. */
export class ClientCredentials extends Tokens {
  override async token(secret: ClientSecret, what: string): Promise<string> {
    const token = await super.token(secret, what);
    transcript.secret(token);
    transcript.secret(secret.clientSecret);
    return token;
  }
}
