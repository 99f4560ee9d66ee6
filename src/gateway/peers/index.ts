export { Peers } from "./peers.ts";
