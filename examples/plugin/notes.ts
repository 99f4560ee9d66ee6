import { CallError, defineOperation, definePlugin } from "pinhole/core";

const notes = new Map<string, string>();

const text = { type: "string", minLength: 1 } as const;

const write = defineOperation({
  name: "notes/write",
  type: "mutation",
  description: "Writes a note under a title, in place of an older one.",
  inputSchema: {
    type: "object",
    properties: { title: text, text },
    required: ["title", "text"],
    additionalProperties: false,
  },
  outputSchema: { type: "object", title: "written", properties: { notes: { type: "integer" } } },
  handler: (input) => {
    notes.set(input.title, input.text);
    return { notes: notes.size };
  },
});

const read = defineOperation({
  name: "notes/read",
  type: "query",
  description: "Reads the note with a title.",
  inputSchema: {
    type: "object",
    properties: { title: text },
    required: ["title"],
    additionalProperties: false,
  },
  outputSchema: { type: "string" },
  errors: [{ code: "NO_NOTE", description: "There is no note with this title", httpStatus: 404 }],
  handler: ({ title }) => {
    const note = notes.get(title);
    if (note !== undefined) return note;
    const titles = [...notes.keys()].join(", ") || "none yet";
    throw new CallError("NO_NOTE", `There is no note ${JSON.stringify(title)}. There are: ${titles}.`);
  },
});

// It calls the operation above through the same path as everybody else, under the authority that `composes` grants.
const shout = defineOperation({
  name: "notes/shout",
  type: "query",
  description: "Reads a note in capitals.",
  inputSchema: read.spec.inputSchema,
  outputSchema: { type: "string" },
  errors: read.spec.errors,
  composes: ["notes/read"],
  handler: async (input, { env }) => String(await env.invoke("notes/read", input)).toUpperCase(),
});

export default definePlugin({ name: "notes", operations: [write, read, shout] });
