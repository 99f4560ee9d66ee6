import assert from "node:assert/strict";
import type { SeenEnvelope } from "./call-wire.ts";

interface Game {
  readonly stream: boolean;
  granted: number;
  sent: number;
  over: boolean;
}

/** Watches one side of a connection serve: what it may send is decided by what has arrived there. */
export class Referee {
  readonly #games = new Map<string, Game>();
  /** Items that were sent, over all streams. */
  items = 0;
  /** True once a request had the id of a call that is not over: the connection must not outlive that. */
  sawReuse = false;

  /** Something arrived at the serving side. */
  received({ type, id, payload }: SeenEnvelope): void {
    const game = this.#games.get(id);
    if (type === "call.requested" && (!game || game.over)) {
      this.#games.set(id, { stream: payload?.stream === true, granted: 32, sent: 0, over: false });
    } else if (type === "call.requested") this.sawReuse = true;
    else if (type === "call.credit" && game) game.granted += Number(payload.n);
    else if (type === "call.aborted" && game) game.over = true;
  }

  /** The serving side sent something. */
  sent({ type, id }: SeenEnvelope): void {
    if (type !== "call.responded" && type !== "call.completed" && type !== "call.error") return;
    const game = this.#games.get(id);
    assert.ok(game, `${type} for ${id}, which nobody asked for`);
    assert.ok(!game.over, `${type} for ${id}, which is over`);
    if (type === "call.responded" && game.stream) {
      this.items++;
      assert.ok(++game.sent <= game.granted, `${game.sent} items for ${game.granted} of credit`);
    } else game.over = true;
  }

  /** Ids of calls that were neither answered nor aborted. */
  get unanswered(): readonly string[] {
    return [...this.#games].filter(([, { over }]) => !over).map(([id]) => id);
  }
}
