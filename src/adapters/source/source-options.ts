import type { RemoteSource, SourceConfig } from "../../config/index.ts";
import type { SourceOptions } from "../../core/index.ts";
import { capabilitiesOf, ownSecretValues } from "../../credentials/index.ts";
import type { Failed, Startable } from "./define-source.ts";

/** What the config says about an imported source, whatever its kind. */
export function sourceOptionsOf({
  name,
  config,
  secrets,
}: Startable<SourceConfig & { readonly timeoutMs: number }>): SourceOptions & {
  readonly secrets: () => readonly string[];
} {
  const own = ownSecretValues(secrets);
  const { title, description, scopes, timeoutMs, operations } = config;
  return {
    name,
    title,
    description,
    capabilities: capabilitiesOf(name, secrets),
    secrets: () => own,
    external: [config.external ?? []].flat().map(String),
    scopes,
    public: config.public,
    operations,
    timeoutMs,
  };
}

/** What to do about a source that was refused and has no credential yet. */
export function adviseOnCredential(
  { token, credentials }: Pick<RemoteSource, "token" | "credentials">,
  { name, code }: Failed,
): string | undefined {
  if (code !== "UNAUTHORIZED" || token || credentials) return undefined;
  return `Give ${name} a credential: under sources.${name}, token: { env: NAME }`;
}
