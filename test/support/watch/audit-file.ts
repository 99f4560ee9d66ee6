import { openAuditFile as open } from "../../../src/observe/audit-file.ts";
import { transcript } from "./transcript.ts";

export * from "../../../src/observe/audit-file.ts";

/** The audit of the product; what would be in its file is noted too, unless it was asked to keep what callers sent or got. */
export const openAuditFile: typeof open = (options) => {
  const file = open(options);
  const isPlain = !options.inputs && !options.outputs;
  return {
    ...file,
    audit(entry, content) {
      if (isPlain) transcript.gaveAway(JSON.stringify(entry));
      file.audit(entry, content);
    },
  };
};
