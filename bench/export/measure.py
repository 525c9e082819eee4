#!/usr/bin/env python3
"""Exports of lobby history against `sqlite3 -csv`, what an export costs the service, and what the
export of one day costs as the history around it grows.

rows     `matchcloud export` from the store and a running service's export-history, against
         `sqlite3 -csv` of the same selection (bench/export/selection.sql) and against writing the
         same bytes without a query (`dd`). All of them write a file; ours and dd's are synced. Also
         the peak memory of the service above idle.
window   one day out of a small and a large history, per row.
latency  `GET /matchmaker/regions` at 30 % of its maximum rate, alone, during exports, and during
         1,000 slow downloads of one export. The server has one loop on one core, h2load has
         another; latencies are from its log of each request.

Rounds are interleaved, so that whatever else happens on the machine affects all sides. The
histories are made once and kept in build/bench/export/ (10 million lobbies: 2 GB).
"""
import contextlib
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import chart
import openloop
import rows
import servers
from harness import (CORES, add_parts, judged, parsed, parser_of, positive, processors,
                     processors_line, refuse_one_core, refuse_other_builds, result_path, run,
                     run_part, write_result)
from histories import FAR, command_seconds, history, post_export, serving
from load import PLAYER

DAY_MS = 24 * 3600 * 1000
SLOW_CLIENTS = 1000
DAY_BEGIN = rows.BEGIN_MS + 5 * DAY_MS
SMALL_HISTORY = 100_000
RATE_PART = 0.3
ROWS_TARGET, MEMORY_TARGET_MIB, WINDOW_TARGET, LATENCY_TARGET = 2.0, 64, 1.5, 2.0
PARTS = ("rows", "window", "latency")
# How the sides of the part latency are printed.
SHOWN = {"nothing": "alone", "exports": "next to exports", "downloads": "next to downloads"}


def parsed_arguments():
    parser = parser_of("export", __doc__, rounds=3, seconds=8)
    parser.add_argument("--lobbies", type=positive, nargs="+", default=[1_000_000, 10_000_000],
                        metavar="COUNT", help="sizes of the histories (1000000 10000000)")
    add_parts(parser, PARTS)
    return parsed(parser, lobbies=[200_000])


# -- rows ---------------------------------------------------------------------


def selection(of, begin, end):
    with open(os.path.join(os.path.dirname(__file__), "selection.sql"), encoding="utf-8") as file:
        sql = file.read()
    values = {"game": of.game.replace("-", ""), "begin": begin, "end": end,
              "now": int(time.time() * 1000)}
    return re.sub(r":(game|begin|end|now)\b", lambda found: str(values[found.group(1)]), sql)


def sqlite_seconds(of, begin, end, output):
    sql = selection(of, begin, end)
    with open(output, "wb") as file:
        began = time.monotonic()
        run(["sqlite3", "-readonly", "-csv", "-header", os.path.join(of.path, "matchcloud.db")],
            input=sql, stdout=file)
        return time.monotonic() - began


def floor_seconds(source, output):
    began = time.monotonic()
    run(["dd", f"if={source}", f"of={output}", "bs=256K", "conv=fsync", "status=none"])
    return time.monotonic() - began


def same_rows(ours, theirs):
    """Whether two CSV files are the same except for line ends."""
    digests = [subprocess.run(f"tr -d '\\r' < {name} | sha256sum", shell=True, check=True,
                              capture_output=True).stdout for name in (ours, theirs)]
    return digests[0] == digests[1]


def peak_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) * 1024


def forget_peak(pid):
    with open(f"/proc/{pid}/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")


def compare_rows(folder, count, rounds):
    of = history(count)
    names = {each: os.path.join(folder, each) for each in ("ours", "theirs", "floor")}
    seconds = {each: [] for each in ("matchcloud export", "export-history", "sqlite3 -csv",
                                     "writing alone")}
    command_seconds(of, 0, DAY_BEGIN, names["ours"])
    sqlite_seconds(of, 0, DAY_BEGIN, names["theirs"])
    if not same_rows(names["ours"], names["theirs"]):
        sys.exit("bench: sqlite3 exports other rows than matchcloud")
    # The files of a round are removed in the next one, because many rounds would fill the disk.
    with serving(folder, of, 1_000) as (child, address):
        post_export(address, of.game, 0, DAY_BEGIN)  # a warm-up
        idle = servers.resident_bytes(child.pid)
        forget_peak(child.pid)
        for number in range(rounds):
            end = FAR + number  # so that no export is reused
            one = {}
            os.sync()
            one["matchcloud export"] = command_seconds(of, 0, end, names["ours"])
            began = time.monotonic()
            post_export(address, of.game, 0, end)
            one["export-history"] = time.monotonic() - began
            os.sync()
            one["sqlite3 -csv"] = sqlite_seconds(of, 0, end, names["theirs"])
            os.sync()
            one["writing alone"] = floor_seconds(names["ours"], names["floor"])
            for name, value in one.items():
                seconds[name].append(value)
                print(f"round {number + 1}: {count:,} {name}: {value:.2f} s", file=sys.stderr)
        above = peak_bytes(child.pid) - idle
    lines = int(run(["wc", "-l", names["ours"]]).split()[0]) - 1
    size = os.path.getsize(names["ours"])
    medians = {name: lines / statistics.median(each) for name, each in seconds.items()}
    result = {"lobbies": lines, "bytes": size, "seconds": seconds, "rows_per_second": medians,
              "peak_above_idle_bytes": above,
              "ratio": medians["matchcloud export"] / medians["sqlite3 -csv"]}
    print(f"\nall {lines:,} lobbies, {size / 1e6:,.0f} MB, medians of {rounds} rounds; "
          f"the service on CPU {CORES[0]}, everything else on any:")
    for name, rate in medians.items():
        print(f"  {name:18} {rate:12,.0f} rows/s  {rate * size / lines / 1e6:8,.0f} MB/s")
    return result


# -- window -------------------------------------------------------------------


def compare_window(folder, large, rounds):
    histories = {count: history(count) for count in (SMALL_HISTORY, large)}
    output = os.path.join(folder, "day")
    costs = {count: [] for count in histories}
    for number in range(rounds * 7):
        for count, of in histories.items():
            begin = DAY_BEGIN + number
            nothing = command_seconds(of, begin, begin, output)
            whole = command_seconds(of, begin, begin + DAY_MS, output)
            with open(output, "rb") as file:
                found = sum(1 for _ in file) - 1
            costs[count].append((whole - nothing) / found * 1e9)
    medians = {count: statistics.median(each) for count, each in costs.items()}
    ratio = medians[large] / medians[SMALL_HISTORY]
    print(f"\none day ({found:,} lobbies), per row: " + ", ".join(
        f"{value:,.0f} ns out of {count:,}" for count, value in medians.items()))
    return {"rows": found, "ns_per_row": medians, "ratio": ratio, "rounds": costs}


# -- latency ------------------------------------------------------------------


def h2load(folder, address, seconds, connections, rate=None):
    """Requests per second, and the latencies of all requests in microseconds, sorted."""
    log = os.path.join(folder, "h2load.log")
    if os.path.exists(log):
        os.remove(log)
    paced = [f"--rps={rate / connections:.2f}"] if rate else []
    run(servers.pinned(CORES[1]) + [
        "h2load", "--h1", f"-c{connections}", f"-D{seconds}", "--warm-up-time=1", "-t1", *paced,
        "-H", PLAYER, f"--log-file={log}",
        address.url + "/matchmaker/regions"], stdout=subprocess.DEVNULL)
    took = []
    with open(log, encoding="ascii") as file:
        for line in file:
            _, status, microseconds = line.split("\t")[:3]
            if status != "200":
                sys.exit(f"bench: a listing returned {status}")
            took.append(int(microseconds))
    took.sort()
    return len(took) / seconds, took


@contextlib.contextmanager
def working(target, *arguments):
    """Runs `target(stop, *arguments)` in a thread during the block."""
    stop, failures = threading.Event(), []

    def work():
        try:
            target(stop, *arguments)
        except BaseException as failure:  # also SystemExit, which would end only the thread
            failures.append(failure)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()
    if failures:
        raise failures[0]


def exporting(stop, address, of, ended):
    while not stop.is_set():
        post_export(address, of.game, 0, FAR + len(ended))
        ended.append(time.monotonic())


def reading_slowly(stop, clients):
    """Reads for a few clients at a time, at the lowest priority: only the server is measured."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
    os.sched_setaffinity(threading.get_native_id(), {CORES[1]})
    while True:
        for at in range(0, len(clients), 10):
            for client in clients[at:at + 10]:
                with contextlib.suppress(BlockingIOError):
                    client.recv(2048, socket.MSG_DONTWAIT)
            if stop.wait(0.001):
                return


@contextlib.contextmanager
def slow_downloads(child, address, url):
    """SLOW_CLIENTS download one file, some 20 kB/s each. Yields what they cost the server."""
    target = url.split("/", 3)[3]
    threads = len(os.listdir(f"/proc/{child.pid}/task"))
    files = len(os.listdir(f"/proc/{child.pid}/fd"))
    idle = servers.resident_bytes(child.pid)
    with contextlib.ExitStack() as stack:
        clients = []
        for _ in range(SLOW_CLIENTS):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect((address.host, address.port))
            client.sendall(f"GET /{target} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
            clients.append(client)
        for client in clients:
            if not client.recv(15).startswith(b"HTTP/1.1 200"):
                sys.exit("bench: a download was refused")
        stack.enter_context(working(reading_slowly, clients))
        time.sleep(1)
        yield {"threads": len(os.listdir(f"/proc/{child.pid}/task")) - threads,
               "files": len(os.listdir(f"/proc/{child.pid}/fd")) - files - SLOW_CLIENTS,
               "bytes": servers.resident_bytes(child.pid) - idle}


def latency_round(folder, address, arguments, rate):
    got, took = h2load(folder, address, arguments.seconds, arguments.connections, rate)
    return {"rate": got, "p50_us": took[len(took) // 2], "p99_us": took[len(took) * 99 // 100],
            "max_us": took[-1]}


def compare_latency(folder, count, arguments):
    of = history(count)
    results = {"nothing": [], "exports": [], "downloads": []}
    ended = []
    with serving(folder, of, 3_600_000) as (child, address):
        url = post_export(address, of.game, 0, FAR - 1)
        most = max(h2load(folder, address, 3, arguments.connections)[0] for _ in range(3))
        rate = RATE_PART * most
        for number in range(arguments.rounds):
            for name, of_name in results.items():
                with contextlib.ExitStack() as stack:
                    if name == "exports":
                        stack.enter_context(working(exporting, address, of, ended))
                    if name == "downloads":
                        cost = stack.enter_context(slow_downloads(child, address, url))
                    one = latency_round(folder, address, arguments, rate)
                of_name.append(one)
                print(f"round {number + 1}: {SHOWN[name]}: {one}", file=sys.stderr)
    medians = {name: {key: statistics.median(one[key] for one in each) for key in each[0]}
               for name, each in results.items()}
    ratios = {name: of_name["p99_us"] / medians["nothing"]["p99_us"]
              for name, of_name in medians.items()}
    print(f"\nregions at {rate:,.0f} req/s ({RATE_PART:.0%} of {most:,.0f}), "
          f"{arguments.rounds} rounds\n  "
          + processors_line(processors()))
    for name, one in medians.items():
        print(f"  {SHOWN[name]:17}: {one['rate']:9,.0f} req/s, p50 {one['p50_us']:,.0f} us, "
              f"p99 {one['p99_us']:,.0f} us, max {one['max_us']:,.0f} us, "
              f"p99 to alone {ratios[name]:.2f}")
    print(f"  {len(ended)} exports of {count:,} lobbies ended during these rounds")
    print(f"  {SLOW_CLIENTS:,} slow downloads: {cost['bytes'] / 2**20:.1f} MiB, "
          f"{cost['files']} more files and {cost['threads']} more threads")
    return {"most": most, "medians": medians, "rounds": results, "ratios": ratios,
            "slow_downloads": cost}


def charted(result):
    """The panels and the targets of the result."""
    panels, targets = [], []
    for one in result.get("rows", []):
        panels.append(chart.bars(f"All of {one['lobbies']:,} lobbies", "rows per second", {
            "": [openloop.bar(name, [{"rate": one["lobbies"] / each} for each in seconds], "rate")
                 for name, seconds in one["seconds"].items()]}))
        targets += [judged(f"{one['lobbies']:,} rows, to sqlite3 -csv", one["ratio"],
                           at_least=ROWS_TARGET),
                    judged(f"{one['lobbies']:,} rows, MiB of peak memory above idle",
                           one["peak_above_idle_bytes"] / 2**20, at_most=MEMORY_TARGET_MIB)]
    if "window" in result:
        panels.append(chart.bars("One day", "nanoseconds per row", {"": [
            openloop.bar(f"out of {count:,}", [{"ns": each} for each in costs], "ns")
            for count, costs in result["window"]["rounds"].items()]}))
        targets.append(judged("a day out of a larger history, per row", result["window"]["ratio"],
                              at_most=WINDOW_TARGET))
    if "latency" in result:
        found = result["latency"]
        panels.append(chart.bars("GET /matchmaker/regions", "microseconds", {
            SHOWN[name]: [openloop.bar(key.removesuffix("_us"), each, key)
                   for key in ("p50_us", "p99_us")] for name, each in found["rounds"].items()}))
        targets.append(judged("p99 next to exports, to alone", found["ratios"]["exports"],
                              at_most=LATENCY_TARGET))
    return panels, targets


def main():
    arguments = parsed_arguments()
    refuse_other_builds()
    refuse_one_core()
    result = {}
    base = os.path.dirname(result_path("export"))
    with tempfile.TemporaryDirectory(prefix="export-", dir=base) as folder:
        largest = max(arguments.lobbies)
        if "rows" in arguments.parts:
            result["rows"] = [compare_rows(folder, count, arguments.rounds)
                              for count in arguments.lobbies]
        if "window" in arguments.parts:
            result["window"] = compare_window(folder, largest, arguments.rounds)
        if "latency" in arguments.parts:
            result["latency"] = compare_latency(folder, largest, arguments)
    panels, targets = charted(result)
    write_result("export", arguments, processors(), result, panels, targets)


if __name__ == "__main__":
    run_part(main)
