import { defineSource } from "../source/index.ts";
import { GROUP_KEYS, type GroupConfig, memberRules } from "./group-config.ts";

/** Groups of peers: the operations of the members under one name. */
export const GROUP_SOURCE = defineSource<GroupConfig>({
  kind: "any",
  keys: GROUP_KEYS,
  rules: memberRules,
  // Calls carry the credentials of the member that they go to.
  secrets: () => ({ forAll: {}, discovery: {} }),
  addresses: () => [],
  start: async (wanted, surroundings) => (await import("./start.ts")).startGroup(wanted, surroundings),
  claims: () => false,
  inspect: async () => ({
    problem: "a group of peers is written in the configuration, as any: [west, east]",
  }),
  advise: ({ any: members }, { name, code }) =>
    code === "TRANSPORT" ? `Fix the peers that ${name} names: ${members.join(", ")}.` : undefined,
});
