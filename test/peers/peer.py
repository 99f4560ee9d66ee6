"""A peer of the call protocol over a byte stream, written from docs/call-protocol.md with the standard library alone.

    peer.py unix:/path/to/socket
    peer.py tcp:127.0.0.1:7465

Runs the conversation of `main` and prints one JSON line for each step; the test reads them.
"""

import json
import secrets
import socket
import struct
import sys
import threading

WINDOW = 32
GRANT = 16
MAX_BYTES = 64 * 1024 * 1024


class CallFailed(Exception):
    def __init__(self, payload):
        super().__init__(payload["message"])
        self.code = payload["code"]
        self.details = payload.get("details")


class Waiting:
    """What one call of ours has received and not taken; `stream` says whether more than one answer may come."""

    def __init__(self, stream):
        self.stream = stream
        self.items = []
        self.end = None
        self.changed = threading.Condition()

    def put(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify()

    def finish(self, end):
        with self.changed:
            self.end = end
            self.changed.notify()

    def take(self, timeout=10):
        """("item", value), ("completed", None) or ("error", payload)."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.items or self.end, timeout):
                raise TimeoutError("nothing came in")
            return ("item", self.items.pop(0)) if self.items else self.end


class Peer:
    def __init__(self, wire, operations):
        self.wire = wire
        self.operations = operations
        self.prefix = secrets.token_hex(4)
        self.count = 0
        self.waiting = {}
        self.serving = {}
        self.lock = threading.Lock()
        self.closed_because = None
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    # calling

    def request(self, operation, payload, stream=False):
        waiting = Waiting(stream)
        with self.lock:
            self.count += 1
            call_id = f"{self.prefix}-{self.count}"
            self.waiting[call_id] = waiting
        self.send("call.requested", call_id, {"operationId": operation, "stream": stream, **payload})
        return call_id, waiting

    def call(self, operation, value, **said):
        call_id, waiting = self.request(operation, {"input": value, **said})
        kind, result = waiting.take()
        self.waiting.pop(call_id, None)
        if kind == "error":
            raise CallFailed(result)
        return result

    def subscribe(self, operation, value, **said):
        call_id, waiting = self.request(operation, {"input": value, **said}, stream=True)
        taken = 0
        try:
            while True:
                kind, result = waiting.take()
                if kind == "completed":
                    return
                if kind == "error":
                    raise CallFailed(result)
                yield result
                taken += 1
                if taken % GRANT == 0:
                    self.send("call.credit", call_id, {"n": GRANT})
        finally:
            if self.waiting.pop(call_id, None) and waiting.end is None:
                self.send("call.aborted", call_id, {})

    # the wire

    def send(self, kind, call_id, payload):
        data = json.dumps({"type": kind, "id": call_id, "payload": payload}).encode()
        with self.lock:
            self.wire.sendall(struct.pack(">I", len(data)) + data)

    def receive_exactly(self, count):
        data = b""
        while len(data) < count:
            more = self.wire.recv(count - len(data))
            if not more:
                raise ConnectionError("the other side hung up")
            data += more
        return data

    def read(self):
        try:
            while self.closed_because is None:
                (length,) = struct.unpack(">I", self.receive_exactly(4))
                if not 0 < length <= MAX_BYTES:
                    raise ConnectionError("a length that cannot be")
                self.handle(json.loads(self.receive_exactly(length)))
        except (ConnectionError, OSError) as error:
            self.closed_because = self.closed_because or str(error)
        gone = {"code": "UNAVAILABLE", "message": self.closed_because, "retryable": True}
        for waiting in list(self.waiting.values()):
            waiting.finish(("error", gone))

    def handle(self, envelope):
        kind, call_id, payload = envelope["type"], envelope["id"], envelope["payload"]
        waiting = self.waiting.get(call_id)
        if kind == "call.requested":
            self.serve(call_id, payload)
        elif kind == "call.credit" and call_id in self.serving:
            self.serving[call_id].grant(payload["n"])
        elif kind == "call.aborted" and call_id in self.serving:
            self.serving[call_id].abort()
        elif kind == "connection.closed":
            self.closed_because = payload["reason"]
        elif waiting is None:
            pass  # crossed the end of its call
        elif kind == "call.responded":
            waiting.put(payload["output"])
        elif kind == "call.completed":
            waiting.finish(("completed", None))
        elif kind == "call.error":
            waiting.finish(("error", payload))
        elif kind == "call.aborted":
            waiting.finish(("error", {"code": "ABORTED", "message": "given up", "retryable": False}))

    # serving

    def serve(self, call_id, payload):
        operation = self.operations.get(payload["operationId"])
        if operation is None:
            error = {"code": "NOT_FOUND", "message": "There is no such operation here.", "retryable": False}
            self.send("call.error", call_id, error)
        elif payload.get("stream"):
            producing = Producing(self, call_id, operation(payload.get("input")))
            self.serving[call_id] = producing
            threading.Thread(target=producing.run, daemon=True).start()
        else:
            self.send("call.responded", call_id, {"output": operation(payload.get("input"))})


class Producing:
    """One stream that we serve: never further than its credit."""

    def __init__(self, peer, call_id, items):
        self.peer, self.call_id, self.items = peer, call_id, items
        self.credit = WINDOW
        self.open = True
        self.sent = 0
        self.changed = threading.Condition()

    def grant(self, n):
        with self.changed:
            self.credit += n
            self.changed.notify()

    def abort(self):
        with self.changed:
            self.open = False
            self.changed.notify()
        self.peer.serving.pop(self.call_id, None)
        say("aborted", sent=self.sent)

    def run(self):
        for item in self.items:
            with self.changed:
                self.changed.wait_for(lambda: self.credit > 0 or not self.open)
                if not self.open:
                    return
                self.credit -= 1
                self.sent += 1
            self.peer.send("call.responded", self.call_id, {"output": item})
        self.peer.serving.pop(self.call_id, None)
        self.peer.send("call.completed", self.call_id, {})


def say(step, **facts):
    print(json.dumps({"step": step, **facts}), flush=True)


def code_of(work):
    try:
        return {"output": work()}
    except CallFailed as failed:
        return {"code": failed.code, "details": failed.details}


def connect(address):
    kind, _, rest = address.partition(":")
    if kind == "unix":
        wire = socket.socket(socket.AF_UNIX)
        wire.connect(rest)
        return wire
    host, _, port = rest.rpartition(":")
    return socket.create_connection((host, int(port)))


def count_up(value):
    number = 0
    while value is None or number < value:
        yield number
        number += 1


def main(address):
    token = {"authToken": "peer-token"}
    peer = Peer(connect(address), {"/peer/shout": lambda value: value.upper(), "/peer/count": count_up})
    say("echo", output=peer.call("/demo/echo", {"text": "schön 𝄞"}, **token))
    say("whoami", **code_of(lambda: peer.call("/demo/whoami", {}, forwardedFor="a person", **token)))
    say("nobody", **code_of(lambda: peer.call("/demo/whoami", {}, authToken="wrong")))
    say("fail", **code_of(lambda: peer.call("/demo/fail", {}, **token)))
    say("late", **code_of(lambda: peer.call("/demo/hang", {}, deadlineMs=50, **token)))
    say("kind", **code_of(lambda: peer.call("/demo/count", {}, **token)))
    items = list(peer.subscribe("/demo/count", {"to": 1000}, **token))
    say("stream", inOrder=items == list(range(1000)))
    some = peer.subscribe("/demo/count", {}, **token)
    first = [next(some) for _ in range(40)]
    some.close()
    say("left", inOrder=first == list(range(40)))
    say("ready")
    # From here on the node calls; it ends the conversation by closing.
    peer.reader.join()
    say("closed", reason=peer.closed_because)


if __name__ == "__main__":
    main(sys.argv[1])
