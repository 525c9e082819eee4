#!/usr/bin/env python3
"""Requests per second of both transports against nginx, and the memory of idle connections.

Every server has one core and one loop or worker, wrk has another core. Rounds are interleaved
(loops, httplib, nginx, loops, ...), so that what else happens on the machine falls on all alike.
nginx answers with a constant: the body and headers of our own reply, which it need not compute;
or, for an image, sends the same file with sendfile.
"""
import argparse
import contextlib
import hashlib
import json
import os
import subprocess
import tempfile

import idle
import servers
import wire
from harness import (BINARY, ROOT, add_parts, machine, refuse_other_builds, run_part,
                     write_result)
from load import (CORES, Load, Target, add_load_options, checked_replies, compare,
                  refuse_one_core)

GEOIP = [os.path.join(ROOT, "var", "geoip", f"dbip-city-ipv{v}.mmdb") for v in (4, 6)]
PLAYER = "X-Forwarded-For: 81.2.69.142"
GROUP = '{"display_name": "Bench group"}'
MEDIA_BYTES = 100_000
AVATAR_COUNTS = (5, 100, 10_000)
AVATAR_GAME = "00000000-0000-4000-8000-0000000000b1"
PARTS = ("regions", "groups", "avatars", "media", "idle")


def parsed_arguments():
    parser = argparse.ArgumentParser(
        prog="script/bench http", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add_load_options(parser)
    parser.add_argument("--idle-connections", type=int, default=10000, help="(%(default)s)")
    add_parts(parser, PARTS)
    arguments = parser.parse_args()
    if arguments.idle_connections < 2 * idle.STEPS:
        parser.error(f"--idle-connections is at least {2 * idle.STEPS}")
    return arguments


def compare_replies(title, listening, arguments, baseline, method, path, body=None):
    """Servers that must all answer this one request alike; listening: {name: (child, address)}."""
    checked_replies({name: address for name, (_, address) in listening.items()},
                    {"method": method, "path": path, "headers": [PLAYER],
                     "body": (body or "").encode()})
    load = Load(path, [PLAYER], "http/constant.lua", lambda _: [method] + ([body] if body else []))
    return compare(title, [Target(name, child, address, load, baseline)
                           for name, (child, address) in listening.items()], arguments)


def compare_media(folder, geoip, arguments):
    """A download of one image, the same file for both servers."""
    upload_id, content = "00000000-0000-4000-8000-0000000000a1", os.urandom(MEDIA_BYTES)
    name = hashlib.sha256(content).hexdigest()[:32]
    path = f"/media/avatars/{upload_id}/{name}.png"
    files = []

    def prepare(data):
        below = os.path.join(data, "media", name[-2:])
        os.makedirs(below)
        files.append(os.path.join(below, f"{upload_id}.{name}.png"))
        with open(files[0], "wb") as file:
            file.write(content)

    with contextlib.ExitStack() as stack:
        targets = {"loops": stack.enter_context(servers.matchcloud(
            BINARY, "loops", folder, geoip, core=CORES[0], prepare=prepare))}
        reply = wire.fetch(targets["loops"][1], path=path)
        targets["nginx"] = stack.enter_context(
            servers.nginx(reply, folder, core=CORES[0], body_file=files[0]))
        return compare_replies(f"GET {path} ({MEDIA_BYTES} bytes)", targets, arguments, "nginx",
                               "GET", path)


def import_avatars(data, count):
    """Gives a game of its own `count` avatars that have no image."""
    game = {"games": [{"game_id": AVATAR_GAME, "display_name": "Avatars"}]}
    lines = (json.dumps({
        "game_id": AVATAR_GAME, "upload_id": f"00000000-0000-4000-9000-{number:012}",
        "display_name": f"Avatar {number}", "create_ts": 1767225600000 + number,
        "content_length": 100_000, "complete": False}) for number in range(count))
    for kind, text in ("catalog", json.dumps(game)), ("avatars", "\n".join(lines)):
        subprocess.run([BINARY, "import", kind, "--data-dir", data, "-"], check=True, text=True,
                       input=text, stdout=subprocess.DEVNULL)


def compare_avatars(folder, count, arguments):
    """A listing from the cache against one that is read and rendered each time."""
    flags = {"cached": [], "uncached": ["--avatar-cache-bytes", "0"]}
    with contextlib.ExitStack() as stack:
        targets = {name: stack.enter_context(servers.matchcloud(
            BINARY, "loops", folder, [], core=CORES[0], arguments=more,
            prepare=lambda data: import_avatars(data, count))) for name, more in flags.items()}
        path = f"/cloud/games/{AVATAR_GAME}/avatars"
        # Who waits for the same list gets the same rendering: only one at a time has its own.
        alone = argparse.Namespace(**{**vars(arguments), "connections": 1})
        return compare_replies(f"GET {path}: {count} avatars, one connection", targets, alone,
                               "cached", "GET", path)


def run(arguments, folder):
    geoip = [path for path in GEOIP if os.path.exists(path)]
    if not geoip:
        print("bench: no GeoIP data in var/geoip (script/setup geoip): players have no location, "
              "and ranking them costs less than it would", flush=True)
    result = {"machine": machine(), "rounds": arguments.rounds, "seconds": arguments.seconds,
              "connections": arguments.connections, "geoip": bool(geoip)}
    if "regions" in arguments.parts or "groups" in arguments.parts:
        with contextlib.ExitStack() as stack:
            targets = {name: stack.enter_context(
                servers.matchcloud(BINARY, name, folder, geoip, core=CORES[0]))
                for name in ("loops", "httplib")}
            if "groups" in arguments.parts:
                path = "/cloud/groups/validate"
                result["groups"] = compare_replies(f"POST {path}", targets, arguments, "httplib",
                                                   "POST", path, GROUP)
            if "regions" in arguments.parts:
                path = "/matchmaker/regions"
                reply = wire.fetch(targets["loops"][1], path=path, headers=[PLAYER])
                targets["nginx"] = stack.enter_context(servers.nginx(reply, folder, core=CORES[0]))
                result["regions"] = compare_replies(f"GET {path}", targets, arguments, "nginx",
                                                    "GET", path)
    if "avatars" in arguments.parts:
        result["avatars"] = {count: compare_avatars(folder, count, arguments)
                             for count in AVATAR_COUNTS}
    if "media" in arguments.parts:
        result["media"] = compare_media(folder, geoip, arguments)
    if "idle" in arguments.parts:
        with servers.matchcloud(BINARY, "loops", folder, geoip, core=CORES[0]) as (child, address):
            result["idle"] = idle.measured(child.pid, address, arguments.idle_connections)
        idle.table(result["idle"])
    return result


def main():
    arguments = parsed_arguments()
    refuse_other_builds()
    refuse_one_core()
    servers.raise_descriptor_limit()
    with tempfile.TemporaryDirectory(prefix="matchcloud-bench-") as folder:
        result = run(arguments, folder)
    write_result("http", result)


if __name__ == "__main__":
    run_part(main)
