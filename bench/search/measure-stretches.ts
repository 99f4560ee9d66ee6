import {
  ANONYMOUS,
  createSearchIndex,
  DEFAULT_POLICY,
  defineOperation,
  type Registration,
  Registry,
  type SourceSet,
} from "../../src/core.ts";
import { watchTurns } from "./watch-turns.ts";

const HITS = 10;
/** Number of operations in the source that is added later. */
const LATER = 5_000;
const TEXT = { query: "create an issue", many: "list the files of a folder and send them by mail " };

/** The longest time for which each stage of an index's life holds up the event loop, in milliseconds. */
export type Stretches = Readonly<Record<string, number>>;

/** Takes an index through its life and measures how long it keeps others waiting at most. */
export async function measureStretches(
  sources: readonly SourceSet[],
  { dense }: { readonly dense: boolean },
): Promise<Stretches> {
  const registry = new Registry();
  registry.apply({ replace: sources });
  const later = laterSource(sources);
  const watch = watchTurns();
  const index = await watch.during("build", async () => {
    const made = createSearchIndex(registry, { dense });
    await made.ready();
    return made;
  });
  const ask = (query: string, id: string) => index.search(query, { caller: callerOf(id), most: HITS });
  await watch.during("first query", () => ask(TEXT.query, "ada"));
  await watch.during("long query", () => ask(TEXT.many.repeat(80), "ada"));
  await watch.during("eight queries", () =>
    Promise.all(Array.from({ length: 8 }, (_, number) => ask(`${TEXT.query} ${number}`, "ada"))),
  );
  await watch.during("first map", () => index.namespaces(callerOf("bob")));
  registry.apply({ replace: [later] });
  await watch.during("5,000 more", () => ask(TEXT.query, "ada"));
  registry.apply({ policy: { ...DEFAULT_POLICY, deny: ["*/delete*"] } });
  await watch.during("other rules", () => ask(TEXT.query, "ada"));
  registry.apply({ remove: sources.filter((_, at) => at % 2 === 0).map(({ source }) => source.name) });
  await watch.during("half of it gone", () => ask(TEXT.query, "ada"));
  const stretches = await watch.stop();
  index.close();
  return stretches;
}

function callerOf(id: string) {
  return { identity: { ...ANONYMOUS, id, authenticated: true }, internal: false };
}

/** Operations that say what others say, under names of their own. */
function laterSource(sources: readonly SourceSet[]): SourceSet {
  const specs = sources.flatMap(({ registrations }) => registrations.map(({ spec }) => spec)).slice(0, LATER);
  const registrations = specs.map(
    ({ description, inputSchema }, number): Registration => ({
      ...defineOperation({
        name: `added-later/operation_${number}`,
        type: "query",
        description,
        inputSchema,
        handler: () => null,
      }),
      provenance: "from-mcp",
    }),
  );
  return { source: { name: "added-later" }, registrations };
}
