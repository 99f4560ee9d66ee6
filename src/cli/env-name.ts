/** Pattern of the name of an environment variable. */
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const ENDINGS = {
  token: "TOKEN",
  username: "USERNAME",
  password: "PASSWORD",
  apiKey: "API_KEY",
  clientId: "CLIENT_ID",
  clientSecret: "CLIENT_SECRET",
} as const;

/** The name of the variable that usually holds a credential of a source: `GITHUB_TOKEN` for the token of `github`. */
export function envNameFor(source: string, key: keyof typeof ENDINGS): string {
  const start = source.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
  return `${/^[0-9]/.test(start) ? "_" : ""}${start}_${ENDINGS[key]}`;
}

/** The problem of an invalid variable name; does not quote it, because it may be a pasted secret. */
export function problemOfEnvName(text: string): string | undefined {
  if (ENV_NAME.test(text) && text.length <= 80) return undefined;
  return "This is not the name of an environment variable: use letters, digits and _ only, such as GITHUB_TOKEN. Do not paste the secret itself.";
}
