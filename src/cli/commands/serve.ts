import { DEMO } from "../../gateway/index.ts";
import { createRuntime } from "../../runtime/index.ts";

/** `pinhole serve`: until the server stands, one call through the whole path, shown step by step. */
export async function serve(): Promise<void> {
  const { gateway, registry } = createRuntime({ sources: DEMO });
  const count = registry.snapshot().entries().length;
  console.log(`Pinhole: ${count} operations in one registry.\n`);

  const input = { text: "A small opening shows the whole landscape. A small one is enough." };
  await show("services/search", { query: "count the words of a text", limit: 2 });
  await show("text/report", input, "{words: statistics.words, checksum: checksum}");
  await show("text/reprot", input);

  async function show(operation: string, given: unknown, select?: string): Promise<void> {
    console.log(`call ${operation} ${JSON.stringify(given)}${select ? `\n  select ${select}` : ""}`);
    const envelope = await (await gateway.enter()).call({ operation, input: given, select });
    const answer = "output" in envelope ? envelope.output : { error: envelope.error };
    console.log(`${JSON.stringify(answer, null, 2).replaceAll(/^/gm, "  ")}\n`);
  }
}
