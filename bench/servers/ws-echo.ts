/** The floor: ws, sending back what comes in. */
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

const server: WebSocketServer = new WebSocketServer({ port: 0, host: "127.0.0.1" }, () =>
  console.log(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`),
);
server.on("connection", (socket) => socket.on("message", (data) => socket.send(data)));
