"""The load generators that are compared: how to start each at a rate and read what it reports."""
import csv
import json
import os
import re
import shutil
from collections import namedtuple

import openloop

# What one reports about a run: answered requests, and latencies in milliseconds.
Said = namedtuple("Said", "answered p50 p99 max")
# `rated`: whether it can send at a given rate. `command(url, rate, connections, seconds, folder)`
# returns its command, `read(stdout, folder)` what it reported.
Tool = namedtuple("Tool", "name program rated command read version")
SECOND_MS = 1000.0


def from_json(path, unit_ms, **names):
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    return found, {key: found["latency_us"][name] * unit_ms for key, name in names.items()}


def ours(program):
    def command(url, rate, connections, seconds, folder):
        return [program, "--rate", rate, "--duration", f"{seconds}s", "--connections", connections,
                "--mix", mix_in(folder), "--json", os.path.join(folder, "report.json"), url]

    def read(_, folder):
        found, said = from_json(os.path.join(folder, "report.json"), 1e-3,
                                p50="p50", p99="p99", max="max")
        return Said(found["answered"], **said)
    return Tool("matchcloud-load", program, True, command, read, None)


def mix_in(folder):
    path = os.path.join(folder, "mix.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write('[[request]]\npath = "/"\n')
    return path


def wrk(program):
    def command(url, _, connections, seconds, __):
        return [program, "-t", 1, "-c", connections, "-d", f"{seconds}s", "--latency", url]

    def read(out, _):
        units = {"us": 1e-3, "ms": 1, "s": SECOND_MS}

        def time(pattern):
            number, unit = re.search(pattern + r"\s+([\d.]+)(us|ms|s)\b", out).groups()
            return float(number) * units[unit]
        longest = re.search(r"Latency\s+\S+\s+\S+\s+([\d.]+)(us|ms|s)\b", out)
        return Said(int(re.search(r"(\d+) requests in", out).group(1)), time(r"50%"), time(r"99%"),
                    float(longest.group(1)) * units[longest.group(2)])
    return Tool("wrk", program, False, command, read, (["-v"], r"wrk \S*?(\d[\d.]+)"))


def ab(program):
    def command(url, rate, connections, seconds, folder):
        return [program, "-k", "-q", "-t", seconds, "-n", 10 * rate * seconds, "-c", connections,
                "-e", os.path.join(folder, "ab.csv"), url + "/"]

    def read(out, folder):
        with open(os.path.join(folder, "ab.csv"), encoding="utf-8") as file:
            at = {int(row[0]): float(row[1]) for row in list(csv.reader(file))[1:]}
        longest = re.search(r"100%\s+(\d+)", out)
        return Said(int(re.search(r"Complete requests:\s+(\d+)", out).group(1)), at[50], at[99],
                    float(longest.group(1)))
    return Tool("ab", program, False, command, read, (["-V"], r"Version (\S+)"))


def hey(program):
    def command(url, rate, connections, seconds, _):
        return [program, "-cpus", 1, "-c", connections, "-q", rate / connections, "-z",
                f"{seconds}s", url]

    def read(out, _):
        def time(pattern):
            return float(re.search(pattern, out).group(1)) * SECOND_MS
        return Said(int(re.search(r"\[200\]\s+(\d+) responses", out).group(1)),
                    time(r"50%\S* in ([\d.]+) secs"), time(r"99%\S* in ([\d.]+) secs"),
                    time(r"Slowest:\s+([\d.]+) secs"))
    return Tool("hey", program, True, command, read, None)


def autocannon(program):
    def command(url, rate, connections, seconds, _):
        return [program, "-j", "-n", "-c", connections, "-R", rate, "-d", seconds, url]

    def read(out, _):
        found = json.loads(out.strip().splitlines()[-1])
        latency = found["latency"]
        return Said(found["2xx"], *(float(latency[name]) for name in ("p50", "p99", "max")))
    return Tool("autocannon", program, True, command, read, (["-v"], r"autocannon v(\S+)"))


OTHERS = {"wrk": (wrk, "apt install wrk"), "ab": (ab, "apt install apache2-utils"),
          "hey": (hey, "apt install hey"), "autocannon": (autocannon, "npm install autocannon")}


def found_in(folders):
    """matchcloud-load, and the others that are in one of `folders` or on the PATH."""
    path = os.pathsep.join([*folders, os.environ.get("PATH", "")])
    tools = [ours(openloop.GENERATOR)]
    for name, (make, install) in OTHERS.items():
        program = shutil.which(name, path=path)
        if program:
            tools.append(make(program))
        else:
            print(f"bench: skipped {name}, which is not installed ({install})",
                  flush=True)
    return tools
