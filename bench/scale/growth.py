"""What operations cost as regions, avatars in a list and lobbies in a history grow tenfold."""
import argparse
import contextlib
import json
import math
import os
import tempfile
import time

import chart
import clients
import lists
import openloop
import rows
import servers
from harness import BINARY, CORES, processors, processors_line, run
from histories import FAR, STEP_MS, history, post_export, serving
from idle import slope_of
from load import PLAYER, compare_replies

UNRANKED = ("--ranking-cache-bytes", "0")
SEED = 6
SPAN_LOBBIES = 1000  # of the short export
LIFETIME_MS = 1000


def sentence(things, cost, points):
    """How a cost grows with a number, over all points and at the end."""
    logs = [(math.log10(x), math.log10(y)) for x, y in points]
    (x0, y0), (x1, y1) = logs[-2:]
    return (f"Ten times the {things} cost {10 ** slope_of(logs):.2f} times the {cost} on average, "
            f"{10 ** ((y1 - y0) / (x1 - x0)):.2f} times between the last two sizes.")


def report(title, things, unit, cost, series, told):
    """Prints each curve of `series`, and a sentence about those in `told`. Returns the panel."""
    print(f"\n{title}: {unit}\n  {processors_line(processors())}")
    remarks = []
    for name, points in series.items():
        print(f"  {name:20} " + ", ".join(f"{chart.number(y)} at {x:,}" for x, y in points))
        if name in told and len(points) > 1:
            remarks.append(f"{name}: {sentence(things, cost, points)}")
    for remark in remarks:
        print(f"  {remark}")
    return chart.lines(title, things, unit, series, remark=remarks)


def cpu_us(results):
    """{name: the server's processor time per request, in microseconds}"""
    return {name: 1e6 / of["summary"]["requests_per_cpu_second"] for name, of in results.items()}


def regions(folder, arguments):
    """The listing, with its ranking from the cache and ("ranked") ranked each time."""
    results, series = {}, {"cached": [], "ranked": []}
    for count in arguments.regions:
        data, document = tempfile.mkdtemp(dir=folder), os.path.join(folder, "catalog.json")
        with open(document, "w", encoding="utf-8") as file:
            json.dump(clients.catalog(SEED, count), file)
        run([BINARY, "import", "catalog", "--data-dir", data, document])
        with contextlib.ExitStack() as stack:
            listening = {name: stack.enter_context(servers.matchcloud(
                BINARY, "loops", folder, servers.GEOIP, core=CORES[0], data=data,
                arguments=more)) for name, more in zip(series, ((), UNRANKED))}
            results[count] = compare_replies(
                f"GET /matchmaker/regions: {count:,} regions", listening, arguments, "cached",
                "GET", "/matchmaker/regions", headers=[PLAYER])
        for name, cost in cpu_us(results[count]).items():
            series[name].append((count, cost))
    return results, report("The listing by regions", "regions", "CPU µs per request", "CPU",
                           series, series)


def avatars(folder, arguments):
    """The list, from the cache and rendered each time, and the cost per avatar."""
    alone = argparse.Namespace(**{**vars(arguments), "connections": 1})
    results, series = {}, {}
    for count in arguments.avatars:
        with contextlib.ExitStack() as stack:
            listening = {name: stack.enter_context(servers.matchcloud(
                BINARY, "loops", folder, [], core=CORES[0], arguments=more,
                prepare=lambda data: lists.fill(data, count)))
                for name, more in (("cached", ()), ("rendered", lists.UNCACHED))}
            results[count] = compare_replies(f"GET avatars: {count:,} of them", listening, alone,
                                             "cached", "GET", lists.PATH)
        for name, cost in cpu_us(results[count]).items():
            series.setdefault(f"{name}, list", []).append((count, cost))
            series.setdefault(f"{name}, avatar", []).append((count, cost / count))
    return results, report("The list of avatars as it grows", "avatars",
                           "CPU µs per list and per avatar", "CPU", series,
                           ("cached, list", "rendered, list"))


def lobby_history(folder, arguments):
    """An export of a span with the same number of lobbies in each history, and of all lobbies."""
    span_end = rows.BEGIN_MS + SPAN_LOBBIES * STEP_MS
    ends = {"a span": span_end, "everything": FAR}
    rounds = {f"{name} of {count:,}": [] for count in arguments.lobbies for name in ends}
    with contextlib.ExitStack() as stack:
        served = {}
        for count in arguments.lobbies:
            of = history(count)
            _, address = stack.enter_context(serving(folder, of, LIFETIME_MS))
            served[count] = of, address
            post_export(address, of.game, 0, span_end - 1)  # a warm-up

        def one(count, end):
            of, address = served[count]
            began = time.monotonic()
            post_export(address, of.game, 0, end)
            return {"milliseconds": 1000 * (time.monotonic() - began)}

        for number in range(arguments.rounds):  # so that no export is reused
            found = openloop.interleaved(
                {f"{name} of {count:,}": lambda count=count, end=end: one(count, end + number)
                 for count in served for name, end in ends.items()}, 1, "milliseconds")
            for name, measured in found.items():
                rounds[name] += measured
    series = {name: [(count, openloop.median(rounds[f"{name} of {count:,}"], "milliseconds"))
                     for count in arguments.lobbies] for name in ends}
    return rounds, report("An export as history grows", "lobbies", "milliseconds", "time", series,
                          series)
