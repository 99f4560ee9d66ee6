import {
  Capabilities,
  type CapabilityProvider,
  ImportError,
  type Imported,
  keepImported,
  type Log,
  type OnSet,
  RecentMap,
  type SourceOptions,
} from "../../core/index.ts";
import type { UpstreamSource } from "../source/index.ts";
import { groupHandler } from "./group-handler.ts";
import { mergeLists } from "./group-lists.ts";
import { importList } from "./import-list.ts";
import type { PeerDirectory } from "./peer-directory.ts";

/** Changes of members are told, so that looking from time to time is for nothing but peace of mind. */
const REFRESH_MS = 3_600_000;
const CALLERS_KEPT = 256;

/** Options of a group of peers. */
interface GroupSourceOptions
  extends Pick<
    SourceOptions,
    "name" | "title" | "description" | "external" | "scopes" | "public" | "operations"
  > {
  /** Names of peers, in order of preference. */
  readonly members: readonly string[];
  readonly directory: PeerDirectory;
  /** Settles when the first attempts of all members have ended. */
  readonly attempted: Promise<unknown>;
  /** The id of this node. */
  readonly nodeId: string;
  readonly log: Log;
}

/** Keeps the operations of a group of peers imported: those that its members list, whether or not they are connected. */
export function createGroupSource(options: GroupSourceOptions, onSet: OnSet): UpstreamSource {
  const { name, title, description, members, directory, nodeId, log, attempted } = options;
  const source = { name, ...(title && { title }), ...(description && { description }) };
  const known = () =>
    members.flatMap((each) => {
      const member = directory.find(each);
      return member ? [{ ...member, name: each }] : [];
    });
  const secrets = () => known().flatMap((member) => member.secrets?.() ?? []);
  const firstList = new Promise<void>((resolve) => {
    if (known().length > 0) resolve();
    const unfollow = directory.follow((changed) => {
      if (!members.includes(changed)) return;
      unfollow();
      resolve();
    });
  });

  async function attempt(): Promise<Imported> {
    await Promise.race([firstList, attempted]);
    const lists = known();
    if (lists.length === 0) throw noneConnected(members);
    const { operations, leftOut } = mergeLists(lists, nodeId);
    const membersOf = (remoteName: string) => operations.get(remoteName)?.members ?? [];
    const namesOf = (remoteName: string) =>
      lists.flatMap((member) => {
        const own = membersOf(remoteName).includes(member.name) ? member.names.get(remoteName) : undefined;
        return own ?? [];
      });
    const imported = importList(
      [...operations.values()].map(({ listed }) => listed),
      {
        ...options,
        prefix: name,
        secrets,
        capabilities: redactedFor(known),
        handlerOf: (spec, remoteName) =>
          groupHandler(spec, { group: name, remoteName, members: membersOf(remoteName), directory }),
        runsAs: namesOf,
      },
    );
    return {
      set: { source, registrations: imported.registrations },
      leftOut: [...leftOut, ...imported.leftOut],
      warnings: imported.warnings,
    };
  }

  const kept = keepImported({ name, log, refreshMs: REFRESH_MS, secrets, attempt, onSet });
  const unfollow = directory.follow((changed) => {
    if (members.includes(changed)) void kept.refresh();
  });

  return {
    ...kept,
    firstAttempt: Promise.all([kept.firstAttempt, attempted.then(() => kept.refresh())]).then(() => {}),
    health() {
      const health = kept.health();
      if (health.state !== "healthy" || known().some((member) => member.isConnected())) return health;
      const { code, message: reason } = noneConnected(members);
      return { state: "unhealthy", code, reason };
    },
    async close() {
      unfollow();
      await kept.close();
    },
  };
}

/** The handler takes the credential of the member that it calls; here they are only kept out of what the call answers. */
function redactedFor(
  members: () => readonly { readonly capabilities?: CapabilityProvider | undefined }[],
): CapabilityProvider {
  const compiled = new RecentMap<string, Capabilities>(CALLERS_KEPT);
  return async (principal, signal) => {
    const found = await Promise.allSettled(
      members().map(async ({ capabilities }) => capabilities?.(principal, signal)),
    );
    const redacted = found.flatMap((each) =>
      each.status === "fulfilled" ? (each.value?.redacted() ?? []) : [],
    );
    return compiled.get(JSON.stringify(redacted), () => new Capabilities({}, redacted));
  };
}

function noneConnected(members: readonly string[]): ImportError {
  return new ImportError(
    "TRANSPORT",
    `None of its members is connected: ${members.join(", ")}. What is wrong with each of them is said there.`,
  );
}
