export { accept, compare, type Difference } from "./lock.ts";
export { LockGate, type ReadLock } from "./lock-gate.ts";
export { lockPath, readLock, writeLock } from "./pins.ts";
