import { plaintextAddresses, remoteRules, tokensOnly } from "../../config/index.ts";
import { secretsOfRemote } from "../../credentials/index.ts";
import { adviseOnCredential, defineSource } from "../source/index.ts";
import { PEER_KEYS, type PeerConfig } from "./config.ts";

/** Other nodes, over the call protocol. */
export const PEER_SOURCE = defineSource<PeerConfig>({
  kind: "peer",
  keys: PEER_KEYS,
  // Calls go to a peer with or without a credential.
  rules: (config) => [
    ...remoteRules(config, {}),
    ...tokensOnly(config),
    ...plaintextAddresses(config, { peer: config.peer }),
  ],
  secrets: secretsOfRemote,
  addresses: ({ peer }) => [peer],
  start: async (wanted, surroundings) => (await import("./start.ts")).startPeer(wanted, surroundings),
  claims: (reference) => /^wss?:\/\//i.test(reference),
  inspect: async (options) => (await import("./inspect.ts")).inspectPeer(options),
  advise: adviseOnCredential,
});
