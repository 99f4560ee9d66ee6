import { type Log, problemOfPreset, type Registry } from "../../core/index.ts";

/** Logs each alias that cannot work with its operation, once for each reason. One whose operation is not there may only be early. */
export function tellWithheldAliases(registry: Registry, log: Log): void {
  let told: ReadonlySet<string> = new Set();
  registry.onChange((_, snapshot) => {
    const found = [...snapshot.presets.values()].flatMap((known) => {
      const { name, operation, isAlias } = known.preset;
      if (!isAlias || snapshot.policy.denies(name) || !snapshot.find(operation)) return [];
      const reason = problemOfPreset(snapshot, known);
      return reason === undefined ? [] : [{ alias: name, operation, reason }];
    });
    for (const each of found) if (!told.has(JSON.stringify(each))) log.warn("An alias is withheld", each);
    told = new Set(found.map((each) => JSON.stringify(each)));
  });
}
