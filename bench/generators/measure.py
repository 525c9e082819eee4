#!/usr/bin/env python3
"""What load generators report about a server with known delays, and what they cost.

slow    2,000 requests per second; an answer takes 5 ms, one in 50 takes 50 ms
fast    the same at 20,000 requests per second
stalls  2,000 requests per second; an answer takes 5 ms, and in each 5 s the server does nothing
        for 500 ms

Compares matchcloud-load with wrk, ab, hey and autocannon, if they are installed on the PATH or in
a folder of --tools. wrk and ab cannot send at a given rate. They get the number of connections that
results in that rate, because each connection waits for its answer. The others get --connections,
and four times as many for `fast`. The server has one core, the generator another. Rounds are
interleaved. Each row has the numbers of the round with the median p99, and the server's own: from
reading a request to sending the answer.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

import chart
import openloop
import servers
import tools
from harness import (BUILD, CORES, add_parts, parsed, parser_of, process, processors,
                     processors_line, run_part, write_result)

SERVER = os.path.join(BUILD, "bench", "bench_known_delay")
RATES = {"slow": 2000, "fast": 20000, "stalls": 2000}
MEAN_DELAY_SECONDS = {"slow": 0.0059, "fast": 0.0059, "stalls": 0.005}
PERIOD_SECONDS = 5
END_SECONDS = 60
HEADS = ("requests/s", "p50", "p99", "max", "server p50", "p99", "max", "us/request")


def parsed_arguments():
    parser = parser_of("generators", __doc__, rounds=3, seconds=10, connections=50)
    parser.add_argument("--tools", action="append", default=[], metavar="FOLDER",
                        help="where to look for the other generators before the PATH; repeatable")
    add_parts(parser, tuple(RATES))
    return parsed(parser)


def connections_of(tool, part, arguments):
    if not tool.rated:
        return round(RATES[part] * MEAN_DELAY_SECONDS[part])
    return arguments.connections * (4 if part == "fast" else 1)


def processor_seconds(usage):
    return usage.ru_utime + usage.ru_stime


def run_tool(tool, part, address, arguments, folder):
    """Runs a generator. Returns what it reported, and the processor time of it and its children."""
    seconds = arguments.seconds
    if part == "stalls":  # whole periods, so that each run has the same share of stalls
        seconds = -(-seconds // PERIOD_SECONDS) * PERIOD_SECONDS
    command = [str(word) for word in (
        *servers.pinned(CORES[1]),
        *tool.command(address.url, RATES[part], connections_of(tool, part, arguments), seconds,
                      folder))]
    out = os.path.join(folder, "out")
    with open(out, "w", encoding="utf-8") as file:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file,
                                 stderr=subprocess.STDOUT)
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            raise
        child.returncode = os.waitstatus_to_exitcode(status)
    with open(out, encoding="utf-8") as file:
        text = file.read()
    if child.returncode:
        sys.exit(f"bench: {' '.join(command)}: exit code {child.returncode}: {text[-2000:]}")
    said = tool.read(text, folder)
    return {"requests_per_second": said.answered / seconds, "p50_ms": said.p50,
            "p99_ms": said.p99, "max_ms": said.max,
            "cpu_us": 1e6 * processor_seconds(usage) / max(1, said.answered)}


def measured(tool, part, arguments):
    """One run against a new server, with the server's own numbers."""
    with tempfile.TemporaryDirectory(prefix="matchcloud-bench-") as folder:
        command = [*servers.pinned(CORES[0]), SERVER, *(["stalls"] if part == "stalls" else [])]
        log = os.path.join(folder, "server.log")
        with process("known_delay", command, log) as child:
            address = servers.wait_for_listener(child, "known_delay", log)
            found = run_tool(tool, part, address, arguments, folder)
            child.terminate()
            own = json.loads(child.lines.get(timeout=END_SECONDS))
    return {**found, "server": own}


def version_of(tool):
    if not tool.version:
        return None
    words, pattern = tool.version
    said = subprocess.run([tool.program, *words], capture_output=True, text=True, check=False)
    found = re.search(pattern, said.stdout + said.stderr)
    return found.group(1) if found else None


def median_of(rounds):
    """The round with the median 99th percentile."""
    return sorted(rounds, key=lambda each: each["p99_ms"])[len(rounds) // 2]


def print_part(part, results):
    """Prints the median rounds, but processor time as the median of all rounds."""
    print(f"\n{part}: {RATES[part]:,} requests/s, in milliseconds\n"
          f"  {processors_line(processors())}")
    print(f"  {'':16}" + "".join(f"{head:>12}" for head in HEADS))
    for name, rounds in results.items():
        one = median_of(rounds)
        own = one["server"]
        print(f"  {name:16}{one['requests_per_second']:12,.0f}"
              + "".join(f"{time:12.2f}" for time in (
                  one["p50_ms"], one["p99_ms"], one["max_ms"],
                  own["p50_ms"], own["p99_ms"], own["max_ms"]))
              + f"{statistics.median(each['cpu_us'] for each in rounds):12.1f}")


def panel(part, results):
    return chart.bars(f"{part}: reported latency at {RATES[part]:,} requests/s", "milliseconds", {
        key: [openloop.bar(name, rounds, f"{key}_ms", "") for name, rounds in results.items()]
        for key in ("p50", "p99", "max")})


def main():
    arguments = parsed_arguments()
    compared = tools.found_in(arguments.tools)
    with servers.ready():
        results = {part: {tool.name: [] for tool in compared} for part in arguments.parts}
        for _ in range(arguments.rounds):
            for part in arguments.parts:
                for tool in compared:
                    results[part][tool.name].append(measured(tool, part, arguments))
    for part, found in results.items():
        print_part(part, found)
    versions = {tool.name: version_of(tool) for tool in compared if tool.version}
    print("\nversions: " + ", ".join(f"{name} {said}" for name, said in versions.items()))
    write_result("generators", arguments, processors(),
                 {"results": results, "versions": versions},
                 [panel(part, found) for part, found in results.items()])


if __name__ == "__main__":
    run_part(main)
