"""Bearer tokens in a data directory, made before the server that requires them starts."""
import json

import servers
import wire
from harness import BINARY, process

NAMESPACE = "00000000-0000-4000-8000-000000000011"  # of the demo's data


PLAYER = {"kind": "player", "namespace_id": NAMESPACE}


def made(data, count, limits=None, wanted=None):
    """The texts of `count` new tokens, for players unless `wanted` says otherwise, each with its
    own `limits`, if any.

    They are made by a server without trusted proxies. With those of a benchmark, which are all of
    this machine, the ops plane would require a token from its clients, too.
    """
    wanted = {"name": "bench", **(wanted or PLAYER)}
    if limits:
        wanted["limits"] = limits
    log = data + ".tokens.log"
    command = [BINARY, "serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0",
               "--data-dir", data]
    with process("the server that makes tokens", command, log) as child:
        ops_plane = servers.wait_for_listener(child, "the ops plane", log, "ops plane on")
        return [text_of(wire.fetch(ops_plane, "POST", path="/v1/tokens",
                                   body=json.dumps(wanted).encode())) for _ in range(count)]


def text_of(reply):
    if reply.status != 201:
        raise SystemExit(f"bench: could not make a token: {reply.status}: {reply.body!r}")
    return json.loads(reply.body)["token"]
