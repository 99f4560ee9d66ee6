import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { type Socket, Socket as TcpSocket } from "node:net";
import { test } from "node:test";
import type { WebSocket } from "ws";
import type { CloseReason } from "../index.ts";
import { toWsTransport } from "./ws-transport.ts";

test("a peer that is in the middle of a large message is alive, one that sends nothing is gone", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const webSocket = Object.assign(new EventEmitter(), {
    pause() {},
    resume() {},
    ping() {},
    terminate() {},
  }) as unknown as WebSocket;
  const socket = new TcpSocket();
  t.after(() => socket.destroy());
  let bytesRead = 0;
  Object.defineProperty(socket, "bytesRead", { get: () => bytesRead });
  const transport = toWsTransport({ webSocket, socket: socket as Socket, heartbeatMs: 1_000 });
  const reasons: CloseReason[] = [];
  transport.open({ message: () => {}, drained: () => {}, closed: (reason) => reasons.push(reason) });
  for (let beat = 0; beat < 10; beat++) {
    bytesRead += 100;
    t.mock.timers.tick(1_000);
  }
  assert.deepEqual(reasons, []);
  t.mock.timers.tick(1_000);
  assert.deepEqual(reasons, [{ code: "lost", message: "The peer gave no sign of life." }]);
});
