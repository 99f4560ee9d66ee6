import assert from "node:assert/strict";
import { test } from "node:test";
import { CALLERS, type CallerName, PRIVILEGE_CASES, type PrivilegeCase } from "./cases.ts";
import { type Door, type OpenDoor, PRESETS, sourcesOf } from "./door.ts";

/** Holds one way into the gateway against the whole table. */
export function runPrivilegeSuite(wire: string, openDoor: OpenDoor): void {
  for (const given of PRIVILEGE_CASES) {
    for (const caller of Object.keys(CALLERS) as CallerName[]) {
      // Without a port an owner is a plain caller.
      if (caller === "owner" && !given.ownership) continue;
      test(`${wire}: ${given.title}, called by ${caller}`, async () => {
        const door = await openDoor({
          sources: sourcesOf(given),
          presets: PRESETS,
          policy: given.policy,
          caller: CALLERS[caller],
        });
        try {
          await checkDirect(door, given, caller);
          await checkComposed(door, given, caller);
        } finally {
          await door.close?.();
        }
      });
    }
  }
}

async function checkDirect(door: Door, given: PrivilegeCase, caller: CallerName): Promise<void> {
  const expected = given.direct[caller];
  assert.equal(await door.call("target/one"), expected, "call");
  assert.equal(await door.call("/target/one"), expected, "call with a slash");
  assert.equal(await door.call("other-name/one"), expected, "call by alias");
  for (const { name } of PRESETS) assert.equal(await door.call(name), expected, `call by ${name}`);
  if (door.subscribe) assert.equal(await door.subscribe("target/many"), expected, "subscribe");
  const other = expected === "ok" ? "INVALID_OPERATION_TYPE" : expected;
  assert.equal(await door.call("target/many"), other, "call what streams");
  if (door.subscribe) assert.equal(await door.subscribe("target/one"), other, "subscribe to what answers");
  assert.deepEqual(
    await door.batch(["target/one", "target/many", "target/none"]),
    [expected, other, "NOT_FOUND"],
    "batch",
  );

  // Where nobody is anonymous, the services themselves are closed to those without identity.
  if (given.policy?.anonymous === false && !CALLERS[caller].authenticated) return;
  const seen = expected === "ok";
  const streams = door.subscribe !== undefined;
  assert.equal((await door.list()).includes("target/one"), seen, "list");
  assert.equal((await door.list()).includes("target/many"), seen && streams, "list what streams");
  assert.equal((await door.search("needle haystack")).includes("target/one"), seen, "search");
  assert.equal((await door.search("target")).includes("target/one"), seen, "search by name");
  assert.equal((await door.browse("target")).includes("target/one"), seen, "search in the namespace");
  assert.equal((await door.browse("target")).includes("target/many"), seen && streams, "browse what streams");
  assert.equal((await door.nearest("target/onne")).includes("target/one"), seen, "nearest names");
  assert.deepEqual(await door.schema("target/one"), seen ? ["target/one"] : [], "schema");
  assert.deepEqual(await door.schema("other-name/one"), seen ? ["target/one"] : [], "schema by alias");
  for (const { name } of PRESETS)
    assert.deepEqual(await door.schema(name), seen ? [name] : [], `schema of ${name}`);
  assert.deepEqual(await door.nearest("old/onne"), [], "nearest names of an old name");
}

async function checkComposed(door: Door, given: PrivilegeCase, caller: CallerName): Promise<void> {
  if (given.policy?.anonymous === false && !CALLERS[caller].authenticated) return;
  assert.equal(
    await door.compose("compose/with-authority"),
    given.composed.withAuthority,
    "composed with authority",
  );
  assert.equal(
    await door.compose("compose/without-authority"),
    given.composed.withoutAuthority,
    "composed without",
  );
}
