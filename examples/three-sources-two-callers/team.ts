import { defineOperation, definePlugin } from "pinhole/core";

const whoami = defineOperation({
  name: "team/whoami",
  type: "query",
  description: "Tells who calls, and with which scopes.",
  access: { authenticated: true },
  outputSchema: { type: "object", title: "caller" },
  handler: (_, { identity }) => ({ id: identity.id, scopes: identity.scopes }),
});

export default definePlugin({ name: "team", description: "About the team.", operations: [whoami] });
