/**
 * The client that the official suite puts to the test. It gets the address of a server as its last argument, and by the
 * environment what to do there. Nothing else is loaded before it is its turn.
 */
import { myTurn } from "./turns.ts";

await myTurn();
await import("./client-main.ts");
