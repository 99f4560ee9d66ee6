export { createApp, type McpDoor, type McpServing, type Serving } from "./app.ts";
export { createCallDoor, whyNoSocket } from "./call-door.ts";
export { Issuers, signInOf } from "./issuers.ts";
export { RECHECK_MS } from "./reauthorized-streams.ts";
export { cannotListen, listen } from "./server.ts";
export { readCertificate, watchCertificate } from "./tls.ts";
