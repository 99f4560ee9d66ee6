import {
  defineOperation,
  type Identity,
  type OperationContext,
  type Preset,
  type Registration,
  type SourceSet,
} from "pinhole/core";
import type { PrivilegeCase } from "./cases.ts";

/** One way into the gateway, as one caller. Every wire that is to be held against the table implements it. */
export interface Door {
  /** `ok` or the code of the error. */
  call(operation: string): Promise<string>;
  /** Where the wire can carry a stream. */
  subscribe?(operation: string): Promise<string>;
  batch(operations: readonly string[]): Promise<readonly string[]>;
  /** The names that each of these shows. */
  list(): Promise<readonly string[]>;
  search(query: string): Promise<readonly string[]>;
  /** The operations of a namespace. */
  browse(namespace: string): Promise<readonly string[]>;
  schema(name: string): Promise<readonly string[]>;
  /** The names that schema suggests for one that it does not know. */
  nearest(name: string): Promise<readonly string[]>;
  /** The code that a composer answers with, which is the outcome of what it composed. */
  compose(operation: string): Promise<string>;
  /** Lets go of what the door stands in. */
  close?(): Promise<void>;
}

/** Opens a door for a caller onto the sources and the policy of a case. */
export type OpenDoor = (setting: DoorSetting) => Promise<Door>;

/** What stands behind a door and who stands before it. */
export interface DoorSetting {
  readonly sources: readonly SourceSet[];
  readonly presets: readonly Preset[];
  readonly policy: PrivilegeCase["policy"];
  readonly caller: Identity;
}

/** What all calls of a door bring; one resource among many is found by it. */
export const INPUT = { id: "1" } as const;

/** Other names of the first operation of a case: a tool made from it, and an old name. */
export const PRESETS: readonly Preset[] = [
  { name: "made/one", operation: "target/one" },
  { name: "old/one", operation: "target/one", isAlias: true },
];

/** The operations of a case: one that answers, one that streams, and two that compose the first. */
export function sourcesOf(given: PrivilegeCase): readonly SourceSet[] {
  const shared = {
    description: "A needle in the haystack.",
    visibility: given.visibility ?? "external",
    access: given.access ?? {},
    inputSchema: { type: "object", properties: { id: { type: "string" } } },
  } as const;
  const one = defineOperation({
    ...shared,
    name: "target/one",
    aliases: ["other-name/one"],
    type: "query",
    handler: () => "answer",
  });
  const many = defineOperation({
    ...shared,
    name: "target/many",
    aliases: ["other-name/many"],
    type: "subscription",
    async *handler() {
      yield "item";
    },
  });
  const imported = (registration: Registration): Registration => ({
    ...registration,
    provenance: given.provenance ?? "local",
    ...(given.public !== undefined && { public: given.public }),
  });
  return [
    {
      source: { name: "target" },
      registrations: [imported(one), imported(many)],
      ...(given.ownership && { ownership: given.ownership }),
    },
    {
      source: { name: "composers" },
      registrations: [
        composer("with-authority", { scopes: ["guarded"], resources: { "thing:1": ["read"] } }),
        composer("without-authority", undefined),
      ],
    },
  ];
}

/** Answers with the outcome of `target/one`, whoever calls. */
function composer(name: string, authority: Registration["authority"]): Registration {
  return defineOperation({
    name: `compose/${name}`,
    type: "query",
    description: "Composes.",
    inputSchema: true,
    composes: ["target/*"],
    ...(authority && { authority }),
    handler: (_input: unknown, { env }: OperationContext) =>
      env.invoke("target/one", INPUT).then(
        () => "ok",
        (error: { code: string }) => error.code,
      ),
  });
}
