export { accept, compare, type Difference } from "./lock.ts";
export { LockGate, offerTo, type ReadLock } from "./lock-gate.ts";
export { lockPath, readLock, writeLock } from "./pins.ts";
