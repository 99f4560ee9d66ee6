export { type AuditState, tryAuditFile } from "./audit-file.ts";
export { CallCounts, type CallReport, counting } from "./call-counts.ts";
export { createLog, type GatewayLog } from "./log.ts";
export { Observers } from "./observers.ts";
export { SecretsInUse, withoutSecrets } from "./secrets-in-use.ts";
export { asSource } from "./stray-errors.ts";
