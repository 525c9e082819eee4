#!/usr/bin/env python3
"""Exports of lobby history against `sqlite3 -csv`, what one costs the service, and what a day
costs as the history around it grows.

rows     `matchcloud export` from the store and a running service's export-history against
         `sqlite3 -csv` of the same selection (bench/export/selection.sql) and against writing the
         same bytes without a query (`dd`); all end with a file, the last two of ours with one that
         is synced, as dd's is. Peak memory of the service above idle.
window   one day out of a small and a large history, per row.
latency  `GET /matchmaker/regions` at 30 % of its maximum rate, with and without exports under way,
         and with 1,000 slow downloads of one: server with one loop on one core, h2load on
         another, from its log of each request.

Rounds are interleaved, so that what else happens on the machine falls on all alike. The histories
are made once and kept in build/bench/export/ (10 M: 2 GB).
"""
import argparse
import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import rows
import servers
from harness import (BINARY, add_parts, machine, refuse_other_builds, result_path, run, run_part,
                     write_result)

STEP_MS = 8640  # 10,000 lobbies a day
MEAN_MS = 3 * 3600 * 1000
DAY_MS = 24 * 3600 * 1000
SLOW_CLIENTS = 1000
DAY_BEGIN = rows.BEGIN_MS + 5 * DAY_MS
SMALL_HISTORY = 100_000
FAR = 4_000_000_000_000  # behind every lobby
RATE_PART = 0.3
CONNECTIONS = 64
PLAYER = "X-Forwarded-For: 81.2.69.142"
CORES = sorted(os.sched_getaffinity(0))[:2]  # the server's, h2load's
ROWS_TARGET, MEMORY_TARGET_MIB, WINDOW_TARGET, LATENCY_TARGET = 2.0, 64, 1.5, 2.0
PARTS = ("rows", "window", "latency")


def parsed_arguments():
    parser = argparse.ArgumentParser(
        prog="script/bench export", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="of each (%(default)s)")
    parser.add_argument("--lobbies", default="1000000,10000000",
                        help="histories of the part rows (%(default)s)")
    parser.add_argument("--seconds", type=int, default=8, help="of a latency round (%(default)s)")
    add_parts(parser, PARTS)
    arguments = parser.parse_args()
    arguments.lobbies = [int(each) for each in arguments.lobbies.split(",")]
    if min(arguments.rounds, arguments.seconds, *arguments.lobbies) < 1:
        parser.error("--rounds, --seconds and --lobbies are at least 1")
    return arguments


class history:
    """A data directory with so many lobbies of one game, made when it is first needed."""

    def __init__(self, count):
        self.count = count
        self.document = rows.catalog(games=1)
        self.game = self.document["games"][0]["game_id"]
        self.path = os.path.join(os.path.dirname(result_path("export")), "export", str(count))
        if not os.path.isdir(self.path):
            self.make()

    def make(self):
        print(f"bench: making a history of {self.count:,} lobbies", file=sys.stderr, flush=True)
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        aside = tempfile.mkdtemp(prefix="making-", dir=os.path.dirname(self.path))
        try:
            catalog, lines = os.path.join(aside, "catalog"), os.path.join(aside, "lines")
            data = os.path.join(aside, "data")
            with open(catalog, "w", encoding="utf-8") as file:
                json.dump(self.document, file)
            rows.write(self.count, self.document, lines, step_ms=STEP_MS, mean_ms=MEAN_MS)
            for kind, name in ("catalog", catalog), ("lobbies", lines):
                run([BINARY, "import", kind, "--data-dir", data, name], stdout=subprocess.DEVNULL)
            os.rename(data, self.path)
        finally:
            shutil.rmtree(aside)


# -- rows ---------------------------------------------------------------------


def selection(of, begin, end):
    with open(os.path.join(os.path.dirname(__file__), "selection.sql"), encoding="utf-8") as file:
        sql = file.read()
    values = {"game": of.game.replace("-", ""), "begin": begin, "end": end,
              "now": int(time.time() * 1000)}
    return re.sub(r":(game|begin|end|now)\b", lambda found: str(values[found.group(1)]), sql)


def command_seconds(of, begin, end, output):
    began = time.monotonic()
    run([BINARY, "export", "--data-dir", of.path, "--game", of.game, "--start", str(begin),
         "--end", str(end), "-o", output])
    return time.monotonic() - began


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


def post_export(address, game, begin, end):
    """Asks a service for an export; its URL, once there is a file."""
    client = http.client.HTTPConnection(*address, timeout=600)
    client.request("POST", f"/cloud/games/{game}/matchmaker/lobbies/export-history",
                   json.dumps({"query_start": begin, "query_end": end}),
                   {"Content-Type": "application/json"})
    answer = client.getresponse()
    body = answer.read()
    client.close()
    if answer.status != 200:
        sys.exit(f"bench: export-history answers {answer.status}: {body[:300]!r}")
    return json.loads(body)["url"]


def same_rows(ours, theirs):
    """Whether two CSV files differ in nothing but line ends."""
    digests = [subprocess.run(f"tr -d '\\r' < {name} | sha256sum", shell=True, check=True,
                              capture_output=True).stdout for name in (ours, theirs)]
    return digests[0] == digests[1]


def peak_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) * 1024


def forget_peak(pid):
    with open(f"/proc/{pid}/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")


@contextlib.contextmanager
def serving(folder, of, lifetime_ms):
    """A service on a history; its exports go with it."""
    flags = ["--export-limit-bytes", str(1 << 37), "--export-url-lifetime-ms", str(lifetime_ms)]
    try:
        with servers.matchcloud(BINARY, "loops", folder, [], core=CORES[0], data=of.path,
                                arguments=flags) as server:
            yield server
    finally:
        shutil.rmtree(os.path.join(of.path, "exports"), ignore_errors=True)


def compare_rows(folder, count, rounds):
    of = history(count)
    names = {each: os.path.join(folder, each) for each in ("ours", "theirs", "floor")}
    seconds = {each: [] for each in ("matchcloud export", "export-history", "sqlite3 -csv",
                                     "writing alone")}
    command_seconds(of, 0, DAY_BEGIN, names["ours"])
    sqlite_seconds(of, 0, DAY_BEGIN, names["theirs"])
    if not same_rows(names["ours"], names["theirs"]):
        sys.exit("bench: sqlite3 exports something else")
    # Files of a round are gone in the next, or many rounds would fill the disk.
    with serving(folder, of, 1_000) as (child, address):
        post_export(address, of.game, 0, DAY_BEGIN)  # what is made once
        idle = servers.resident_bytes(child.pid)
        forget_peak(child.pid)
        for number in range(rounds):
            end = FAR + number  # each an export of its own
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
    print(f"\nall {lines:,} lobbies, {size / 1e6:,.0f} MB, medians of {rounds} rounds:")
    for name, rate in medians.items():
        print(f"  {name:18} {rate:12,.0f} rows/s  {rate * size / lines / 1e6:8,.0f} MB/s")
    print(f"  to sqlite3 {result['ratio']:.1f} (target {ROWS_TARGET}); the service's peak memory "
          f"{above / 2**20:.1f} MiB above idle (target {MEMORY_TARGET_MIB})")
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
    print(f"  ratio {ratio:.2f} (target at most {WINDOW_TARGET})")
    return {"rows": found, "ns_per_row": medians, "ratio": ratio}


# -- latency ------------------------------------------------------------------


def h2load(folder, address, seconds, rate=None):
    """Requests per second and the sorted microseconds of each request."""
    log = os.path.join(folder, "h2load.log")
    if os.path.exists(log):
        os.remove(log)
    paced = [f"--rps={rate / CONNECTIONS:.2f}"] if rate else []
    run(servers.pinned(CORES[1]) + [
        "h2load", "--h1", f"-c{CONNECTIONS}", f"-D{seconds}", "--warm-up-time=1", "-t1", *paced,
        "-H", PLAYER, f"--log-file={log}",
        f"http://{address[0]}:{address[1]}/matchmaker/regions"], stdout=subprocess.DEVNULL)
    took = []
    with open(log, encoding="ascii") as file:
        for line in file:
            _, status, microseconds = line.split("\t")[:3]
            if status != "200":
                sys.exit(f"bench: a listing was answered {status}")
            took.append(int(microseconds))
    took.sort()
    return len(took) / seconds, took


@contextlib.contextmanager
def working(target, *arguments):
    """Has `target(stop, *arguments)` run beside what is done here."""
    stop = threading.Event()
    worker = threading.Thread(target=target, args=(stop, *arguments))
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()


def exporting(stop, address, of, ended):
    while not stop.is_set():
        post_export(address, of.game, 0, FAR + len(ended))
        ended.append(time.monotonic())


def reading_slowly(stop, clients):
    """A few clients at a time, and giving way: what is measured is the server."""
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
    """SLOW_CLIENTS that download one file, each some 20 kB/s; yields what they cost."""
    target = url.split("/", 3)[3]
    threads = len(os.listdir(f"/proc/{child.pid}/task"))
    files = len(os.listdir(f"/proc/{child.pid}/fd"))
    idle = servers.resident_bytes(child.pid)
    with contextlib.ExitStack() as stack:
        clients = []
        for _ in range(SLOW_CLIENTS):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(address)
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


def latency_round(folder, address, seconds, rate):
    got, took = h2load(folder, address, seconds, rate)
    return {"rate": got, "p50_us": took[len(took) // 2], "p99_us": took[len(took) * 99 // 100],
            "max_us": took[-1]}


def compare_latency(folder, count, arguments):
    of = history(count)
    results = {"nothing": [], "exports": [], "downloads": []}
    ended = []
    with serving(folder, of, 3_600_000) as (child, address):
        url = post_export(address, of.game, 0, FAR - 1)
        most = max(h2load(folder, address, 3)[0] for _ in range(3))
        rate = RATE_PART * most
        for number in range(arguments.rounds):
            for name, of_name in results.items():
                with contextlib.ExitStack() as stack:
                    if name == "exports":
                        stack.enter_context(working(exporting, address, of, ended))
                    if name == "downloads":
                        cost = stack.enter_context(slow_downloads(child, address, url))
                    one = latency_round(folder, address, arguments.seconds, rate)
                of_name.append(one)
                print(f"round {number + 1}: beside {name}: {one}", file=sys.stderr)
    medians = {name: {key: statistics.median(one[key] for one in each) for key in each[0]}
               for name, each in results.items()}
    ratios = {name: of_name["p99_us"] / medians["nothing"]["p99_us"]
              for name, of_name in medians.items()}
    print(f"\nregions at {rate:,.0f} req/s ({RATE_PART:.0%} of {most:,.0f}), "
          f"{arguments.rounds} rounds:")
    for name, one in medians.items():
        print(f"  beside {name:9}: {one['rate']:9,.0f} req/s, p50 {one['p50_us']:,.0f} us, "
              f"p99 {one['p99_us']:,.0f} us, max {one['max_us']:,.0f} us, "
              f"p99 to nothing {ratios[name]:.2f}")
    print(f"  target beside exports: at most {LATENCY_TARGET}; {len(ended)} exports of {count:,} "
          f"lobbies ended meanwhile")
    print(f"  {SLOW_CLIENTS:,} slow downloads: {cost['bytes'] / 2**20:.1f} MiB, "
          f"{cost['files']} files and {cost['threads']} threads more")
    return {"most": most, "medians": medians, "rounds": results, "ratios": ratios,
            "slow_downloads": cost}


def main():
    arguments = parsed_arguments()
    refuse_other_builds()
    if len(CORES) < 2:
        sys.exit("bench: needs two cores, one for the server and one for h2load")
    result = {"machine": machine(), "rounds": arguments.rounds}
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
    write_result("export", result)


if __name__ == "__main__":
    run_part(main)
