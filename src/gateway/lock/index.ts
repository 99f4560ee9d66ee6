export {
  accept,
  compare,
  type Difference,
  type LockMode,
  reportDifferences,
  type Screened,
  screen,
} from "./lock.ts";
export { LOCK_FILE, lockPath, type Pins, readLock, writeLock } from "./lock-file.ts";
export { LockGate, offerTo, type ReadLock } from "./lock-gate.ts";
export { type Definition, type Pin, pinOf } from "./pin.ts";
