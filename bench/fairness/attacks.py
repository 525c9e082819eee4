"""An honest client next to attackers that stay within the rate limits of addresses and tokens. Each
attack occupies the server's only core by what its requests cost, not by their number.

bodies    one address, 2,000 connections, versions of 17 kB with 1,001 unknown members
token     one game token, from enough addresses to use all of its limit, bodies of 6 kB
pings     /ping on 4,000 connections, as fast as answers arrive: nearly all 429
hellos    recorded ClientHellos, then a reset: the server pays for a signature, the client does not
mixed     all four at once, where `bodies` has a game token, too

The honest client and each attacker have addresses of their own (bench/network.py). The honest
client lists regions over plain keep-alive connections, or over TLS with a new connection for each
request ("new").
"""
import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time

import attackers
import chart
import network
import openloop
import servers
import tokens
from harness import BINARY, CORES, judged, processors, processors_line
from service_clock import CLOCK, Counters

HONEST = "honest"
HONEST_CONNECTIONS = 50
HONEST_RATE = 200
KEPT, NEW = "kept", "new"
TARGET = 5.0
GAME = {"kind": "game", "game_id": "00000000-0000-4000-8000-000000000001"}  # the demo's


class Server:
    """A server with both listeners, its counters, and files of its game tokens, if any."""

    def __init__(self, child, plain, tls, ops, game_tokens):
        self.child, self.plain, self.tls, self.ops = child, plain, tls, ops
        self.game_tokens = game_tokens


@contextlib.contextmanager
def serving(folder, tls, auth):
    """A server beyond loopback with the default limits."""
    files = []

    def prepare(data):
        if auth == "open":
            return
        for number, text in enumerate(tokens.made(data, 2, wanted=GAME)):
            files.append(os.path.join(folder, f"game-{number}.token"))
            with open(files[-1], "w", encoding="utf-8") as file:
                file.write(text + "\n")

    exposed = ["--insecure-open"] if auth == "open" else ["--auth", "required"]
    with servers.matchcloud(
            BINARY, "loops", folder, servers.GEOIP, core=CORES[0], proxies=(), prepare=prepare,
            limits=(), scheduled=attackers.SHARED, listen=f"{network.SERVER}:0",
            arguments=[*exposed, "--listen", f"{network.SERVER}:0/tls", "--tls-cert", tls.file,
                       "--tls-key", tls.key]) as (child, plain):
        secured = servers.wait_for_listener(child, "the listener with TLS", child.log, tls=tls)
        yield Server(child, plain, secured, servers.ops_address(child), files)


def honest_report(server, arguments, connections):
    """The report of matchcloud-load for the honest client, whatever its requests got."""
    address, more = (server.plain, ()) if connections == KEPT else (
        server.tls, ("--requests-per-connection", "1"))
    with tempfile.TemporaryDirectory(prefix="matchcloud-bench-") as folder:
        path = os.path.join(folder, "load.json")
        command = [*attackers.FIRST, *network.inside(HONEST), *openloop.command_of(
            address, arguments.seconds, HONEST_CONNECTIONS,
            ("--ramp", f"{openloop.RAMP_SECONDS}s", "--rate", HONEST_RATE, "--arrivals", "poisson",
             *openloop.NOBODYS_LISTINGS, *more), path)]
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=10 * arguments.seconds + 60)
        if done.returncode:
            sys.exit(f"bench: {' '.join(command)}: exit code {done.returncode}: "
                     f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def round_of(server, arguments, mixes, attack, connections):
    """A round of the honest client next to `attack`, or alone if that is None."""
    with contextlib.ExitStack() as stack:
        made = attack(stack, server, mixes) if attack else {}
        before, began = Counters(server.ops), time.monotonic()
        spent = servers.cpu_seconds(server.child.pid)
        report = honest_report(server, arguments, connections)
        after, elapsed = Counters(server.ops), time.monotonic() - began
        spent = servers.cpu_seconds(server.child.pid) - spent
    answered = report["by_status"].get("200", 0)
    others = after.answers_since(before)  # only the honest client lists regions
    handshakes = after.handshakes_since(before)
    generator = report["generator"]
    return {
        "p50_us": report["latency_us"]["p50"], "p99_us": report["latency_us"]["p99"],
        "server_p99_us": after.honest_p99_us(before, report),
        "answered": answered, "unanswered": report["intended"] - answered,
        "attackers_per_second": sum(others.values()) / elapsed,
        "attackers_429": others.get("429", 0), "attackers_503": others.get("503", 0),
        "attackers_by_status": {status: count for status, count in others.items() if count},
        "handshakes_per_second": handshakes / elapsed,
        "server_cpu_percent": 100 * spent / elapsed,
        "seconds": elapsed, "attackers": made,
        "generator_cpu_percent": generator["cpu_percent"],
        "bottleneck": generator["reason"] if generator["bottleneck"] else ""}


# Name: server, attack, connections of the honest client, the side that it is compared with.
SIDES = {
    "alone": ("open", None, KEPT, None),
    "bodies": ("open", attackers.bodies, KEPT, "alone"),
    "pings": ("open", attackers.pings, KEPT, "alone"),
    "hellos": ("open", attackers.hellos, KEPT, "alone"),
    "alone, new": ("open", None, NEW, None),
    "hellos, new": ("open", attackers.hellos, NEW, "alone, new"),
    "alone, tokens": ("required", None, KEPT, None),
    "token": ("required", attackers.token, KEPT, "alone, tokens"),
    "mixed": ("required", attackers.mixed, KEPT, "alone, tokens"),
}


def print_attackers(rounds):
    print(f"\n  {'':14} {'p99 alone':>10} {'p99, ms':>10} {'ratio':>7} {'honest not 200':>15} "
          f"{'attackers/s':>12} {'429':>9} {'503':>7} {'handshakes/s':>13} {'server CPU':>11}")
    for name, each in rounds.items():
        base = SIDES[name][3]
        value = openloop.median(each, "server_p99_us")
        alone = openloop.median(rounds[base], "server_p99_us") if base else value
        print(f"  {name:14} {alone / 1e3:10.3f} {value / 1e3:10.3f} {value / alone:7.1f} "
              f"{sum(one['unanswered'] for one in each):15} "
              + " ".join(f"{openloop.median(each, key):{width},.0f}" for key, width in (
                  ("attackers_per_second", 12), ("attackers_429", 9), ("attackers_503", 7),
                  ("handshakes_per_second", 13), ("server_cpu_percent", 10))) + "%")


def sides_of(text):
    """The sides named by `text`, and those that they are compared with."""
    names = [name for name in SIDES if name.split(",")[0] in text.split(",")]
    if not set(text.split(",")) <= set(names):
        raise argparse.ArgumentTypeError(f"choose from {', '.join(SIDES)}")
    return [name for name in SIDES if name in names or name in {SIDES[each][3] for each in names}]


def measured(folder, arguments):
    """The rounds, a chart's panel, and the targets."""
    sides = arguments.attacks or list(SIDES)
    mixes = attackers.write_mixes(folder)
    tls = servers.certificate(folder, addresses=("127.0.0.1", network.SERVER))
    with contextlib.ExitStack() as stack:
        stack.enter_context(network.clients((HONEST, *attackers.NAMES)))
        listening = {auth: stack.enter_context(serving(folder, tls, auth))
                     for auth in dict.fromkeys(SIDES[name][0] for name in sides)}
        calls = {}
        for name in sides:
            auth, attack, connections, _ = SIDES[name]
            calls[name] = lambda server=listening[auth], attack=attack, connections=connections: \
                round_of(server, arguments, mixes, attack, connections)
        for name in sides:
            if not SIDES[name][1]:
                calls[name]()  # a warm-up
        rounds = openloop.interleaved(calls, arguments.rounds, "server_p99_us")
    print(f"\n{HONEST_RATE} listings per second of one honest client, alone and next to attackers; "
          f"p99 by {CLOCK}\n  {processors_line(processors())}")
    openloop.print_rounds(rounds, ("p99_us", "p50_us", "server_p99_us", "generator_cpu_percent"))
    print_attackers(rounds)
    targets = []
    for name in sides:
        base = SIDES[name][3]
        if not base:
            continue
        ratio = (openloop.median(rounds[name], "server_p99_us")
                 / openloop.median(rounds[base], "server_p99_us"))
        targets.append(judged(f"p99 of the honest client next to {name}, to alone", ratio,
                              at_most=TARGET))
        targets.append(judged(f"honest requests next to {name} that got no 200",
                              sum(one["unanswered"] for one in rounds[name]), at_most=0))
    panel = chart.bars(f"The honest client next to attackers: p99 by {CLOCK}", "microseconds", {
        "p99": [openloop.bar(name, each, "server_p99_us") for name, each in rounds.items()]})
    return {"rounds": rounds, "clock": CLOCK}, panel, targets
