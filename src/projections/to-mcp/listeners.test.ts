import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CORE_FACET } from "../../contract/index.ts";
import { CallError, type Caller, completeSpec, type Entrance, Registry } from "../../core/index.ts";
import { findTools } from "./facet-tools.ts";
import { Listeners } from "./listeners.ts";
import { createListed } from "./tools.ts";

const CALLER: Caller = { identity: { id: "ada", authenticated: true, scopes: [] }, internal: false };
const ENTRANCE = {
  identity: CALLER.identity,
  caller: CALLER,
  within: (): Entrance => ENTRANCE,
} as unknown as Entrance;

/** Someone who listens, and what became of it. */
function listening(listeners: Listeners, enter: () => Promise<Entrance> = async () => ENTRANCE) {
  const seen = { told: 0, ended: 0, entered: 0, rules: 1 };
  const readmission = {
    rules: () => seen.rules,
    enter: () => {
      seen.entered++;
      return enter();
    },
  };
  const tell = () => void seen.told++;
  const leave = listeners.add(
    { entrance: ENTRANCE, readmission, tell, end: () => void seen.ended++ },
    () => "a",
  );
  return Object.assign(seen, { leave });
}

const refused = async () => {
  throw new CallError("FORBIDDEN", "The token is not known.");
};
const look = (listeners: Listeners, listed: string, recheck = false) => listeners.look(() => listed, recheck);

describe("listeners", () => {
  test("listeners are told once of each change of their list", async () => {
    const listeners = new Listeners();
    const one = listening(listeners);
    await look(listeners, "a");
    assert.equal(one.told, 0);
    await look(listeners, "b");
    await look(listeners, "b");
    assert.deepEqual([one.told, one.entered], [1, 0], "tokens are not looked at for each change");
    one.leave();
    await look(listeners, "c");
    assert.equal(one.told, 1);
  });

  test("listeners whose token is no longer known are ended and told nothing", async () => {
    for (const change of [(seen: { rules: number }) => void seen.rules++, undefined]) {
      const listeners = new Listeners();
      const one = listening(listeners, refused);
      change?.(one);
      await look(listeners, "b", change === undefined);
      assert.deepEqual([one.ended, one.told, one.entered], [1, 0, 1]);
    }
  });

  test("listeners stay while their token cannot be checked", async () => {
    const listeners = new Listeners();
    const one = listening(listeners, () =>
      Promise.reject(new CallError("UNAVAILABLE", "The issuer is down.")),
    );
    await look(listeners, "b", true);
    assert.deepEqual([one.ended, one.told], [0, 1]);
  });

  test("listeners are not told under rules by which they have not been authenticated", async () => {
    const listeners = new Listeners();
    const one = listening(listeners);
    const looking = look(listeners, "b");
    one.rules++;
    await looking;
    assert.equal(one.told, 0);
    await look(listeners, "b");
    assert.deepEqual([one.told, one.entered], [1, 1]);
  });

  test("listeners are a bounded number", () => {
    const listeners = new Listeners();
    for (let n = 0; n < 1_023; n++) listening(listeners);
    assert.equal(listeners.hasRoomFor(ENTRANCE, 2_000), true);
    listening(listeners);
    assert.equal(listeners.hasRoomFor(ENTRANCE, 2_000), false);
  });

  test("listeners of one caller are as many as its limit of connections, and take no room of others", () => {
    const listeners = new Listeners();
    const [first] = [listening(listeners), listening(listeners)];
    const own = { identity: { ...CALLER.identity, limits: { connections: 3 } } } as Entrance;
    const other = { identity: { ...CALLER.identity, id: "bob" } } as Entrance;
    assert.deepEqual(
      [ENTRANCE, own, other].map((entrance) => listeners.hasRoomFor(entrance, 2)),
      [false, true, true],
    );
    first.leave();
    assert.equal(listeners.hasRoomFor(ENTRANCE, 2), true);
  });
});

test("callers who see the same tools share the work of listing them", () => {
  const registry = new Registry();
  let looks = 0;
  const listed = createListed(registry, (snapshot) => {
    looks++;
    return findTools(CORE_FACET, snapshot);
  });
  const callers = Array.from({ length: 100 }, (_, n) => ({
    ...CALLER,
    identity: { ...CALLER.identity, id: `caller-${n}` },
  }));
  assert.equal(new Set(callers.map(listed)).size, 1);
  assert.equal(looks, 1);
  const spec = completeSpec({ name: "a/b", type: "query", description: "B." });
  const registration = {
    spec,
    handler: { kind: "once" as const, run: () => null },
    provenance: "local" as const,
  };
  registry.apply({ replace: [{ source: { name: "a" }, registrations: [registration] }] });
  callers.map(listed);
  assert.equal(looks, 2);
});
