import type { Login, LoginStore } from "../../../src/credentials/oauth/index.ts";
import { LoginFile as File } from "../../../src/credentials/oauth/login-file.ts";
import { transcript } from "./transcript.ts";

export * from "../../../src/credentials/oauth/login-file.ts";

/** Keeps logins as the product does, and notes their tokens. */
export class LoginFile extends File {
  override async read(): Promise<Login | undefined> {
    const login = await super.read();
    if (login) note(login);
    return login;
  }

  override exclusively: LoginStore["exclusively"] = (work) =>
    super.exclusively((login, save) =>
      work(login, (next) => {
        note(next);
        return save(next);
      }),
    );
}

function note({ accessToken, refreshToken, client }: Login): void {
  for (const secret of [accessToken, refreshToken, client.clientSecret])
    if (secret !== undefined) transcript.secret(secret);
}
