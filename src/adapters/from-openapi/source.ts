import { remoteRules } from "../../config/index.ts";
import { secretsOfRemote } from "../../credentials/index.ts";
import { adviseOnCredential, defineSource } from "../source/index.ts";
import { OPENAPI_KEYS, type OpenapiConfig } from "./config.ts";

/** APIs with an OpenAPI or Swagger document. */
export const OPENAPI_SOURCE = defineSource<OpenapiConfig>({
  kind: "openapi",
  keys: OPENAPI_KEYS,
  isFile: true,
  rules: (config) => {
    const { server, openapi, documentAuth } = config;
    return remoteRules(config, { server, openapi: documentAuth === false ? undefined : openapi });
  },
  secrets: secretsOfRemote,
  addresses: ({ server, openapi }) => [server, openapi],
  start: async (wanted, surroundings) => (await import("./start.ts")).startOpenapi(wanted, surroundings),
  claims: (reference) => !/^(?:https?|wss?):\/\//i.test(reference) && !/\.[cm]?[jt]s$/i.test(reference),
  inspect: async (options) => (await import("./inspect.ts")).inspectDocument(options),
  probe: async (config, registrations) => (await import("./inspect.ts")).probeService(config, registrations),
  advise: (config, failure) =>
    failure.code === "TRANSPORT" && !URL.canParse(config.openapi)
      ? `Put the document at ${config.openapi}, or correct sources.${failure.name}.openapi.`
      : adviseOnCredential(config, failure),
});
