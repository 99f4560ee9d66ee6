import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { screenAddress } from "./screen-address.ts";

/**
 * A lookup that answers with public addresses only. What it answers is what is connected to, so no second answer of a
 * name service can slip in between.
 */
export function screenLookup(
  lookup: LookupFunction,
  refuse: (host: string, reason: string) => Error,
): LookupFunction {
  return (host, options, callback) =>
    lookup(host, { ...options, all: true }, (error, answer) => {
      if (error) return callback(error, "");
      const addresses: readonly LookupAddress[] =
        typeof answer === "string" ? [{ address: answer, family: isIP(answer) }] : answer;
      const reasons = addresses.map(({ address }) => screenAddress(address));
      const allowed = addresses.filter((_, index) => reasons[index] === undefined);
      const [first] = allowed;
      if (first === undefined) callback(refuse(host, reasons[0] ?? "no address"), "");
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
}
