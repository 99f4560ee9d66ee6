export { type AnswerOptions, createAnswers } from "./answers.ts";
export { createApp } from "./app.ts";
export { createCallProtocol, whyNoSocket } from "./call-protocol.ts";
export { notFound } from "./failures.ts";
export { Issuers, signInOf } from "./issuers.ts";
export { RECHECK_MS } from "./reauthorized-streams.ts";
export { cannotListen, listen } from "./server.ts";
export { MAIN, type Serving } from "./serving.ts";
export { readCertificate } from "./tls.ts";
