"""Lobbies sent to a service by `POST /v1/lobbies`."""
import contextlib
import http.client
import json
import os
import queue
import sys
import time

from harness import BINARY, process

BLOCK_BYTES = 1 << 20
START_SECONDS = 30


def ops_port(server):
    """The port of the ops plane, which a server prints last."""
    with contextlib.suppress(queue.Empty):
        while line := server.lines.get(timeout=START_SECONDS):
            if line.startswith("ops plane on "):
                return int(line.rsplit(":", 1)[1])
    sys.exit("bench: matchcloud serve does not listen")


def post_seconds(folder, path, lobbies, arguments):
    """Sends the file `path` of new lobbies to a service that is started with `arguments` and logs
    into `folder`. `lobbies`: their number. Returns the seconds."""
    command = [BINARY, "serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"]
    with process("matchcloud serve", command + arguments,
                 os.path.join(folder, "serve.log")) as server:
        port = ops_port(server)
        os.sync()
        client = http.client.HTTPConnection("127.0.0.1", port)
        begun = time.monotonic()
        with open(path, "rb") as lines:
            client.request("POST", "/v1/lobbies", body=iter(lambda: lines.read(BLOCK_BYTES), b""),
                           headers={"Content-Type": "application/x-ndjson"}, encode_chunked=True)
            answer = json.loads(client.getresponse().read())
        seconds = time.monotonic() - begun
    if answer.get("accepted") != lobbies:
        sys.exit(f"bench: POST /v1/lobbies returned {str(answer)[:500]}")
    return seconds
