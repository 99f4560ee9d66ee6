/** Calls without a pause over 64 connections, without regard for limits; prints the address that it calls. */
import { runLoad } from "../support/http-load.ts";

const [address = "", token = "", body = ""] = process.argv.slice(2);
const url = new URL(address);
const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
console.log(url.href);
// Ended from outside; answered or refused, it goes on.
await runLoad({ url, headers, body, expect: "" }, 64, 600_000);
