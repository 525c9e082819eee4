"""Load by wrk in rounds that are interleaved over the servers, so that whatever else happens on the
machine affects all of them. The servers have one core, wrk has another."""
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections import namedtuple

import chart
import servers
import wire
from harness import CORES, ROOT, processors, processors_line

PLAYER = "X-Forwarded-For: 81.2.69.142"  # the client, where there is only one
WARM_UP_SECONDS = 1
WARM_UP_LIMIT_SECONDS = 60
OTHERS_PERCENT = 5  # of the servers' core: if other processes take more, the number means little
BUSY_PERCENT = 90  # below it, something other than the server limited the round

# What wrk sends: a path, header lines, and a Lua script below bench/ with a function that returns
# its arguments for a round's number. `warm_up_requests`: the minimum before the first round.
Load = namedtuple("Load", "path headers script words warm_up_requests", defaults=(0,))
# The server that wrk sends to. `baseline`: the server that it is compared with.
Target = namedtuple("Target", "name child address load baseline")


def constant(method, path, body=None, headers=()):
    """One request, repeated."""
    return Load(path, list(headers), "constant.lua",
                lambda _: [method] + ([body] if body else []))


def wrk(target, number, connections, seconds):
    load = target.load
    command = servers.pinned(CORES[1]) + [
        "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s",
        "-s", os.path.join(ROOT, "bench", load.script)]
    for line in load.headers:
        command += ["-H", line]
    command += [target.address.url + load.path, "--", *load.words(number)]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"^wrk-result (.*)$", done.stdout, re.MULTILINE)
    if done.returncode or not found:
        sys.exit(f"bench: wrk failed against {target.name}:\n{done.stdout}{done.stderr}")
    result = json.loads(found.group(1))
    if result["bad_status"] or result["socket_errors"] or result["timeouts"]:
        sys.exit(f"bench: not all requests to {target.name} succeeded: {result}")
    return result


def warm_up(target, connections):
    first = wrk(target, 0, connections, WARM_UP_SECONDS)
    missing = target.load.warm_up_requests - first["requests"]
    if missing > 0:
        # Starts again at the first request, and this time sends all of them.
        rate = first["requests"] / first["microseconds"] * 1e6
        seconds = int(1.5 * target.load.warm_up_requests / rate) + 1
        wrk(target, 0, connections, min(seconds, WARM_UP_LIMIT_SECONDS))


def round_of(target, number, arguments):
    pid = target.child.pid
    before, core = servers.cpu_seconds(pid), servers.core_busy_seconds(CORES[0])
    begin = time.monotonic()
    result = wrk(target, number, arguments.connections, arguments.seconds)
    elapsed = time.monotonic() - begin  # including wrk's preparations
    spent = servers.cpu_seconds(pid) - before
    others = servers.core_busy_seconds(CORES[0]) - core - spent
    passed = result["microseconds"] / 1e6
    return {
        "requests_per_second": result["requests"] / passed,
        "p50_us": result["p50_us"], "p99_us": result["p99_us"],
        "reply_bytes": result["bytes"] / max(1, result["requests"]),
        "requests_per_cpu_second": result["requests"] / max(spent, servers.CPU_TICK_SECONDS),
        "server_cpu_percent": 100 * spent / passed,
        "others_cpu_percent": 100 * max(0, others) / elapsed}


def measured(targets, arguments):
    """{name: rounds}. `arguments` has rounds, seconds and connections. Every other round runs in
    reverse order, so that no server always follows the same one."""
    for target in targets:
        warm_up(target, arguments.connections)
    rounds = {target.name: [] for target in targets}
    for number in range(1, arguments.rounds + 1):
        for target in targets[::1 if number % 2 else -1]:
            one = round_of(target, number, arguments)
            rounds[target.name].append(one)
            print(f"  round {number}: {target.name:14} {one['requests_per_second']:9.0f} req/s",
                  file=sys.stderr, flush=True)
    return rounds


def summary(rounds):
    rates = [one["requests_per_second"] for one in rounds]
    median = statistics.median(rates)
    middle = {key: statistics.median(one[key] for one in rounds)
              for key in ("p50_us", "p99_us", "reply_bytes", "requests_per_cpu_second",
                          "server_cpu_percent", "others_cpu_percent")}
    return {"median": median, "min": min(rates), "max": max(rates),
            "spread_percent": 100 * (max(rates) - min(rates)) / median, **middle}


def table(title, results, peers=()):
    """Prints a table: each server against its own baseline, and against each of `peers`."""
    print(f"\n{title}\n  {processors_line(processors())}")
    print(f"  {'server':14} {'median req/s':>12} {'min':>8} {'max':>8} {'spread':>7} "
          f"{'p50 us':>7} {'p99 us':>7} {'CPU':>5} {'req/CPU s':>9} {'reply':>6}"
          + "".join(f" {'x ' + peer:>14}" for peer in peers) + "  compared")
    for name, of in results.items():
        one = of["summary"]
        ratio = one["median"] / results[of["baseline"]]["summary"]["median"]
        compared = "" if of["baseline"] == name else f"{ratio:6.2f} x {of['baseline']}"
        print(f"  {name:14} {one['median']:12.0f} {one['min']:8.0f} {one['max']:8.0f} "
              f"{one['spread_percent']:6.1f}% {one['p50_us']:7.0f} {one['p99_us']:7.0f} "
              f"{one['server_cpu_percent']:4.0f}% {one['requests_per_cpu_second']:9.0f} "
              f"{one['reply_bytes']:6.0f}"
              + "".join(f" {one['median'] / results[peer]['summary']['median']:14.2f}"
                        for peer in peers) + f" {compared}")
        if one["others_cpu_percent"] > OTHERS_PERCENT:
            print(f"  {'':14} (other processes used {one['others_cpu_percent']:.0f}% of {name}'s "
                  "core: do not quote this number)")
        elif one["server_cpu_percent"] < BUSY_PERCENT:
            print(f"  {'':14} ({name} was not busy: wrk limited it)")


def compare(title, targets, arguments, peers=()):
    """Measures and prints. Returns {name: its rounds, their summary, its baseline}."""
    rounds = measured(targets, arguments)
    results = {target.name: {"baseline": target.baseline, "summary": summary(rounds[target.name]),
                             "rounds": rounds[target.name]} for target in targets}
    table(title, results, peers)
    return results


def quotients(dividends, divisors, key):
    """The quartiles of `key` relative to the other server in the same round, so that it does not
    matter whether the machine becomes slower or faster."""
    every = [one[key] / other[key] for one, other in zip(dividends, divisors)]
    return statistics.quantiles(every, n=4, method="inclusive") if len(every) > 1 else every * 3


def doubt(results, *names):
    """Why the ratio of these servers means little; empty if it is good."""
    for name in names:
        one = results[name]["summary"]
        if one["others_cpu_percent"] > OTHERS_PERCENT:
            return f"other processes used the core of {name}"
        if one["server_cpu_percent"] < BUSY_PERCENT:
            return f"wrk limited {name}"
    return ""


def bars_of(results):
    """The results of compare() as bars of a chart."""
    bars = []
    for name, of in results.items():
        one, base = of["summary"], results[of["baseline"]]["summary"]
        note = "" if of["baseline"] == name else f"{one['median'] / base['median']:.2f} x"
        bars.append(chart.Bar(name, one["median"], one["min"], one["max"],
                              f"{note} {of['baseline']}" if note else ""))
    return bars


def checked_replies(addresses, what, tokens=None):
    """One reply of each server. Ends the benchmark unless all have the same body."""
    replies = {name: wire.fetch(address, **{**what, "headers": [
        *what.get("headers", ()), *bearer(tokens, name)]}) for name, address in addresses.items()}
    first = next(iter(replies.values()))
    for name, reply in replies.items():
        if reply.status != 200:
            sys.exit(f"bench: {name} returned {reply.status}: {reply.body[:300]!r}")
        if reply.body != first.body:
            sys.exit(f"bench: {name} returned a different body: {reply.body[:300]!r}")
    return replies


def bearer(tokens, name):
    """The header line for the server of that name, if there is a token for it."""
    return [f"Authorization: Bearer {tokens[name]}"] if tokens and name in tokens else []


def compare_replies(title, listening, arguments, baseline, method, path, body=None, headers=(),
                    tokens=None):
    """Compares servers that must return the same body for one request. `listening`: {name: (child,
    address)}. `tokens`: {name: the token to send to it}."""
    checked_replies({name: address for name, (_, address) in listening.items()},
                    {"method": method, "path": path, "headers": headers,
                     "body": (body or "").encode()}, tokens)
    return compare(title, [Target(name, child, address, constant(
        method, path, body, [*headers, *bearer(tokens, name)]), baseline)
        for name, (child, address) in listening.items()], arguments)
