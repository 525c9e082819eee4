"""Load by matchcloud-load: requests at a rate that does not wait for answers, or as fast as new
connections can be made. Also rounds of any measurement, interleaved over its sides."""
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile

import chart
import servers
from harness import BUILD, CORES, ROOT
from load import PLAYER, WARM_UP_SECONDS

GENERATOR = os.path.join(BUILD, "matchcloud-load")
RAMP_SECONDS = 1
NOBODYS_LISTINGS = ("--mix", os.path.join(ROOT, "bench", "one_player.toml"))
LISTINGS = (*NOBODYS_LISTINGS, "--header", PLAYER)
END_SECONDS = 15
LONG_SECONDS = 3600
PERCENTILES = ("p50", "p99", "p99.9")


def command_of(address, seconds, connections, options, path):
    """A run of matchcloud-load that writes its report to `path`."""
    trusted = ["--ca-file", address.ca_file] if address.ca_file else []
    return servers.pinned(CORES[1]) + [
        GENERATOR, "--duration", f"{seconds}s", "--connections", str(connections),
        "--threads", "1", "--json", path, *trusted, *map(str, options), address.url]


def load(address, seconds, connections, *options, ramp=RAMP_SECONDS, asked=LISTINGS):
    """One run of listings for one player against `address`. Returns what it measured after the
    ramp. If anything went wrong, the benchmark ends."""
    with tempfile.TemporaryDirectory(prefix="matchcloud-bench-") as folder:
        path = os.path.join(folder, "load.json")
        command = command_of(address, seconds, connections,
                             ("--ramp", f"{ramp}s", *asked, *options), path)
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=10 * seconds + 60)
        if done.returncode:
            sys.exit(f"bench: {' '.join(command)}: exit code {done.returncode}: "
                     f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    if found["errors"]["total"] or set(found["by_status"]) != {"200"}:
        sys.exit(f"bench: not all requests succeeded: {found['errors']} "
                 f"{found['by_status']}")
    generator = found["generator"]
    return {"requests_per_second": found["requests_per_second"], "answered": found["answered"],
            **{f"{name}_us": found["latency_us"][name] for name in PERCENTILES},
            "generator_cpu_percent": generator["cpu_percent"],
            "bottleneck": generator["reason"] if generator["bottleneck"] else "",
            "late_sends": found["late_sends"]["count"]}


@contextlib.contextmanager
def noise(address, connections, *options):
    """Requests listings from `address` during the block, whatever it answers. Yields a dictionary
    that has the report of matchcloud-load after the block. Its priority is low, so that it does
    not delay measurements on the load generators' core."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="matchcloud-bench-") as folder:
        path = os.path.join(folder, "noise.json")
        command = ["chrt", "--other", "0", "nice", "-n", "10", *command_of(
            address, LONG_SECONDS, connections, (*NOBODYS_LISTINGS, *options), path)]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
        try:
            yield found
            if child.poll() is None:
                child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=END_SECONDS)
            if child.returncode:
                sys.exit(f"bench: {' '.join(command)}: exit code {child.returncode}: {said}")
            with open(path, encoding="utf-8") as file:
                found.update(json.load(file))
        finally:
            child.kill()
            child.wait()


def interleaved(sides, rounds, shown):
    """{name: [results of sides[name]()]}: a round of each side, then the next round in reverse
    order. `shown`: the key of a result that is printed."""
    found = {name: [] for name in sides}
    for number in range(1, rounds + 1):
        for name, measure in list(sides.items())[::1 if number % 2 else -1]:
            one = measure()
            found[name].append(one)
            print(f"  round {number}: {name:16} {chart.number(one[shown])} {shown}",
                  file=sys.stderr, flush=True)
    return found


def warm_up(addresses, connections):
    """Loads each server briefly, so that its first round does not include one-time work."""
    for address in addresses:
        load(address, WARM_UP_SECONDS, connections, "--closed", ramp=0)


def cpu_round(child, address, arguments, *options):
    """A round, with the server's processor time per request."""
    before = servers.cpu_seconds(child.pid)
    one = load(address, arguments.seconds, arguments.connections, *options, ramp=0)
    spent = servers.cpu_seconds(child.pid) - before
    return {"cpu_us_per_request": 1e6 * spent / one["answered"], **one}


def load_rounds(addresses, arguments, *options, shown, connections=None):
    """Rounds of load() with `options`, interleaved over {name: address}."""
    connections = connections or arguments.connections
    warm_up(addresses.values(), connections)
    return interleaved({name: lambda address=address: load(
        address, arguments.seconds, connections, *options)
        for name, address in addresses.items()}, arguments.rounds, shown)


def median(rounds, key):
    return statistics.median(one[key] for one in rounds)


def bar(name, rounds, key, note=""):
    """A bar with the median of the rounds, their least and their greatest value."""
    every = [one[key] for one in rounds]
    return chart.Bar(name, statistics.median(every), min(every), max(every), note)


def doubt(rounds):
    """Why the results of these sides mean little; empty if they are good."""
    for name, each in rounds.items():
        limits = [one["bottleneck"] for one in each if one.get("bottleneck")]
        if len(limits) > len(each) / 2:
            return f"{name} was limited by {limits[0]}"
    return ""


def print_rounds(rounds, keys):
    """Prints a table of medians with the spread of the first of `keys`. Marks sides where something
    other than the server limited most rounds, according to matchcloud-load."""
    print(f"  {'':16} " + " ".join(f"{key:>22}" for key in keys) + "  spread of the first")
    for name, each in rounds.items():
        first = [one[keys[0]] for one in each]
        spread = 100 * (max(first) - min(first)) / (statistics.median(first) or 1)
        print(f"  {name:16} " + " ".join(f"{chart.number(median(each, key)):>22}" for key in keys)
              + f"  {spread:.1f}%")
        limits = [one["bottleneck"] for one in each if one.get("bottleneck")]
        if len(limits) > len(each) / 2:
            print(f"  {'':16} (do not quote {name}; limited by {limits[0]})")
