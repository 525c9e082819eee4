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
import re
import statistics
import subprocess
import sys
import tempfile
import time

import idle
import servers
import wire
from harness import (BINARY, ROOT, add_parts, machine, refuse_other_builds, run_part,
                     write_result)

GEOIP = [os.path.join(ROOT, "var", "geoip", f"dbip-city-ipv{v}.mmdb") for v in (4, 6)]
PLAYER = "X-Forwarded-For: 81.2.69.142"
GROUP = '{"display_name": "Bench group"}'
WARM_UP_SECONDS = 1
CORES = sorted(os.sched_getaffinity(0))[:2]  # the servers', wrk's
OTHERS_PERCENT = 5  # of the servers' core, taken by other processes: more spoils a number
BUSY_PERCENT = 90  # a server below it was not what limited the round
MEDIA_BYTES = 100_000
AVATAR_COUNTS = (5, 100, 10_000)
AVATAR_GAME = "00000000-0000-4000-8000-0000000000b1"
PARTS = ("regions", "groups", "avatars", "media", "idle")


def parsed_arguments():
    parser = argparse.ArgumentParser(
        prog="script/bench http", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="per server (%(default)s)")
    parser.add_argument("--seconds", type=int, default=5, help="of a round (%(default)s)")
    parser.add_argument("--connections", type=int, default=64, help="of wrk (%(default)s)")
    parser.add_argument("--idle-connections", type=int, default=10000, help="(%(default)s)")
    add_parts(parser, PARTS)
    arguments = parser.parse_args()
    if min(arguments.rounds, arguments.seconds, arguments.connections) < 1:
        parser.error("--rounds, --seconds and --connections are at least 1")
    if arguments.idle_connections < 2 * idle.STEPS:
        parser.error(f"--idle-connections is at least {2 * idle.STEPS}")
    return arguments


def wrk(address, path, arguments, seconds, method="GET", body=None):
    command = servers.pinned(CORES[1]) + [
        "wrk", "-t1", f"-c{arguments.connections}", f"-d{seconds}s", "--timeout", "10s",
        "-H", PLAYER, "-s", os.path.join(ROOT, "bench", "http", "report.lua"),
        f"http://{address[0]}:{address[1]}{path}", "--", method] + ([body] if body else [])
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"^wrk-result (.*)$", done.stdout, re.MULTILINE)
    if done.returncode or not found:
        sys.exit(f"bench: wrk failed:\n{done.stdout}{done.stderr}")
    return json.loads(found.group(1))


def round_of(name, child, address, path, arguments, **what):
    before, core = servers.cpu_seconds(child.pid), servers.core_busy_seconds(CORES[0])
    begin = time.monotonic()
    result = wrk(address, path, arguments, arguments.seconds, **what)
    passed = time.monotonic() - begin
    spent = servers.cpu_seconds(child.pid) - before
    others = servers.core_busy_seconds(CORES[0]) - core - spent
    if result["bad_status"] or result["socket_errors"] or result["timeouts"]:
        sys.exit(f"bench: {name} did not answer everything with success: {result}")
    return {
        "requests_per_second": result["requests"] / result["microseconds"] * 1e6,
        "p50_us": result["p50_us"], "p99_us": result["p99_us"],
        "server_cpu_percent": 100 * spent / passed,
        "others_cpu_percent": 100 * max(0, others) / passed}


def measured(targets, path, arguments, **what):
    """{name: rounds}, interleaved; targets: {name: (child, address)}."""
    for name, (_, address) in targets.items():
        wrk(address, path, arguments, WARM_UP_SECONDS, **what)
    rounds = {name: [] for name in targets}
    for number in range(arguments.rounds):
        for name, (child, address) in targets.items():
            one = round_of(name, child, address, path, arguments, **what)
            rounds[name].append(one)
            print(f"  round {number + 1}: {name:8} {one['requests_per_second']:9.0f} req/s",
                  file=sys.stderr, flush=True)
    return rounds


def summary(rounds):
    rates = [one["requests_per_second"] for one in rounds]
    median = statistics.median(rates)
    middle = {key: statistics.median(one[key] for one in rounds)
              for key in ("p50_us", "p99_us", "server_cpu_percent", "others_cpu_percent")}
    return {"median": median, "min": min(rates), "max": max(rates),
            "spread_percent": 100 * (max(rates) - min(rates)) / median, **middle}


def table(title, results, baseline):
    """Prints one part; `baseline` names the server that the last column compares with."""
    print(f"\n{title}")
    print(f"  {'server':8} {'median req/s':>12} {'min':>8} {'max':>8} {'spread':>7} "
          f"{'p50 us':>7} {'p99 us':>7} {'CPU':>5} {'reply':>6} {'x ' + baseline:>9}")
    for name, of in results.items():
        one = of["summary"]
        ratio = one["median"] / results[baseline]["summary"]["median"]
        print(f"  {name:8} {one['median']:12.0f} {one['min']:8.0f} {one['max']:8.0f} "
              f"{one['spread_percent']:6.1f}% {one['p50_us']:7.0f} {one['p99_us']:7.0f} "
              f"{one['server_cpu_percent']:4.0f}% {of['reply_bytes']:6} {ratio:9.2f}")
        if one["others_cpu_percent"] > OTHERS_PERCENT:
            print(f"  {'':8} (other processes had {one['others_cpu_percent']:.0f}% of the core of "
                  f"{name}: do not quote this number)")
        elif one["server_cpu_percent"] < BUSY_PERCENT:
            print(f"  {'':8} ({name} was not busy: what limited it here is wrk)")


def checked_replies(targets, what):
    """One reply of each target, all with the same body, or there is nothing to compare."""
    replies = {name: wire.fetch(address, **what) for name, (_, address) in targets.items()}
    first = next(iter(replies.values()))
    for name, reply in replies.items():
        if reply.status != 200:
            sys.exit(f"bench: {name} answers {reply.status}: {reply.body[:300]!r}")
        if reply.body != first.body:
            sys.exit(f"bench: {name} answers with other bytes: {reply.body[:300]!r}")
    return replies


def compare(title, targets, arguments, baseline, method, path, body=None):
    what = {"method": method, "path": path, "headers": [PLAYER], "body": (body or "").encode()}
    replies = checked_replies(targets, what)
    rounds = measured(targets, path, arguments, method=method, body=body)
    results = {name: {"reply_bytes": replies[name].size, "summary": summary(rounds[name]),
                      "rounds": rounds[name]} for name in targets}
    table(title, results, baseline)
    return results


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
        return compare(f"GET {path} ({MEDIA_BYTES} bytes)", targets, arguments, "nginx", "GET",
                       path)


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
        return compare(f"GET {path}: {count} avatars, one connection", targets, alone,
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
                result["groups"] = compare("POST /cloud/groups/validate", targets, arguments,
                                           "httplib", "POST", "/cloud/groups/validate", GROUP)
            if "regions" in arguments.parts:
                path = "/matchmaker/regions"
                reply = wire.fetch(targets["loops"][1], path=path, headers=[PLAYER])
                targets["nginx"] = stack.enter_context(servers.nginx(reply, folder, core=CORES[0]))
                result["regions"] = compare(f"GET {path}", targets, arguments, "nginx", "GET",
                                            path)
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
    if len(CORES) < 2:
        sys.exit("bench: needs two cores, one for the server and one for wrk")
    servers.raise_descriptor_limit()
    with tempfile.TemporaryDirectory(prefix="matchcloud-bench-") as folder:
        result = run(arguments, folder)
    write_result("http", result)


if __name__ == "__main__":
    run_part(main)
