import { type BrokenRule, EVERY_KIND, type SourceConfig, type SourceOf } from "../../config/index.ts";
import { nearest } from "../../core/index.ts";

/** Keys of a source of the kind any. */
export const GROUP_KEYS = {
  any: {
    type: "array",
    items: { type: "string", minLength: 1 },
    minItems: 1,
    maxItems: 64,
    description:
      "Names of peers among these sources, in order of preference: their operations under one name, each call at the first that is connected and has it.",
    advice: "Write the names of sources with the key peer, such as any: [west, east].",
  },
  ...EVERY_KIND,
} as const;

/** A source of the kind any, as the config has it: a group of peers. */
export type GroupConfig = SourceOf<"any", typeof GROUP_KEYS>;

/** Members that are not peers of the same config, or are named twice. */
export function memberRules(
  { any: members }: GroupConfig,
  sources: Readonly<Record<string, SourceConfig>>,
): readonly BrokenRule[] {
  return members.flatMap((member, at) => {
    const message = problemOf(member, members.indexOf(member) !== at, sources);
    return message === undefined ? [] : [{ keys: ["any", String(at)], message }];
  });
}

function problemOf(
  member: string,
  isTwice: boolean,
  sources: Readonly<Record<string, SourceConfig>>,
): string | undefined {
  const shown = JSON.stringify(member);
  if (isTwice) return `${shown} is named twice. Remove one of them.`;
  const kind = Object.hasOwn(sources, member) ? sources[member]?.kind : undefined;
  if (kind === "peer") return undefined;
  if (kind === "any") return `${shown} is a group itself. Name its members instead.`;
  if (kind !== undefined)
    return `${shown} is a source of the kind ${kind}, and members of a group are peers. Remove it.`;
  const [close] = nearest(member, Object.keys(sources), 1);
  const hint = close === undefined ? "Add it under sources, or remove it." : `Did you mean ${close}?`;
  return `there is no source ${shown}. ${hint}`;
}
