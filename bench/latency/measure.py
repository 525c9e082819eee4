#!/usr/bin/env python3
"""How much latency is lost by choosing regions with learned latencies, replayed from measured round
trips between cities, and what a prediction costs.

A learner starts empty and hears the reports of all cities in one random order, each from a network
of its own. A city reports its nearest six regions: the round trip with lognormal noise (0.15), plus
an exponential last mile (8 ms) that all regions of a report share. A tenth of the reports are lies,
uniform from 1 to 400 ms. The loss is the round trip to the chosen region minus the one to the best
region. It is counted for cities without a region of their own and with measurements of all regions.
Numbers are medians over the seeds 1 to --seeds. bench/latency/replay.hpp says what the rows differ
in.

--data names the folder with cities.csv (id, city, country, latitude, longitude) and rtt.csv
(source, destination, rtt_ms). The default is $MATCHCLOUD_LATENCIES.
"""
import json
import os
import sys

import chart
from harness import (BUILD, ROOT, judged, parsed, parser_of, positive, refuse_other_builds, run,
                     run_part, write_aside, write_result)

REPLAY = os.path.join(BUILD, "bench", "bench_latency")
CHART = os.path.join(ROOT, "docs", "images", "latency.svg")
PINNED = {"replay": "any CPU"}
# Rows: the printed name, and by set of regions the most that is lost on average.
ROWS = {"distance": ("distance alone", {}),
        "reports_3": ("3 reports a city", {"D20": 1.32, "A20": 1.41, "A12": 1.80}),
        "reports_10": ("10 reports a city", {"D20": 0.44, "A20": 0.33, "A12": 0.86}),
        "others_10": ("10 reports of others", {"D20": 4.65, "A20": 7.45, "A12": 6.42}),
        "liars_30": ("10 reports, 30 % lies", {"D20": 0.60, "A20": 0.50, "A12": 0.97}),
        "pushed_30": ("10, 30 % for one region", {"A20": 3.45}),
        "spikes_3": ("3 reports, with spikes", {"D20": 2.18, "A20": 2.02, "A12": 2.25}),
        "spikes_10": ("10 reports, with spikes", {"D20": 0.44, "A20": 0.25, "A12": 0.66}),
        "network_3": ("3 of one network", {}),
        "network_10": ("10 of one network", {})}
SETS = ("D20", "A20", "A12")


def parsed_arguments():
    parser = parser_of("latency", __doc__)
    parser.add_argument("--data", metavar="FOLDER", default=os.environ.get("MATCHCLOUD_LATENCIES"),
                        help="measured round trips between cities (%(default)s)")
    parser.add_argument("--seeds", type=positive, default=8, help="number of seeds (%(default)s)")
    parser.add_argument("--chart", action="store_true",
                        help=f"also write {os.path.relpath(CHART, ROOT)}")
    arguments = parsed(parser, seeds=2)
    if not arguments.data:
        sys.exit("bench: no measured round trips. Name their folder with --data, or in "
                 "MATCHCLOUD_LATENCIES")
    return arguments


def print_rows(name, found):
    print(f"\n{name}, {found['cities']} cities: loss in milliseconds")
    print(f"  {'':24}{'mean':>8}{'of seeds':>16}{'p99':>8}{'worst':>8}{'target':>8}")
    for key, (title, most) in ROWS.items():
        row = found[key]
        spread = f"{row['lowest']:.2f} to {row['highest']:.2f}"
        target = f"{most[name]:.2f}" if name in most else ""
        print(f"  {title:24}{row['mean_ms']:8.2f}{spread:>16}{row['p99_ms']:8.1f}"
              f"{row['worst_ms']:8.1f}{target:>8}")


def judge(name, found):
    for key, (title, most) in ROWS.items():
        if name in most:
            yield judged(f"{name}, {title} (ms)", found[key]["mean_ms"], at_most=most[name])


def panel(name, found):
    return chart.bars(
        f"{name}: what a player loses on average by the choice of region",
        "milliseconds, over the fastest region",
        {"": [chart.Bar(title, found[key]["mean_ms"], found[key]["lowest"], found[key]["highest"],
                        f"p99 {chart.number(found[key]['p99_ms'])}")
              for key, (title, _) in ROWS.items()]})


def main():
    arguments = parsed_arguments()
    refuse_other_builds()
    found = json.loads(run([REPLAY, arguments.data, str(arguments.seeds)]))
    for name in SETS:
        print_rows(name, found[name])
    print()
    targets = [each for name in SETS for each in judge(name, found[name])]
    print(f"\nprocessor time for one client and 20 regions: {found['predict_us']:.2f} us to "
          f"predict, {found['predict_and_rank_us']:.2f} us with ranking; "
          f"{found['add_us']:.1f} us to learn a report, {found['refit_ms']:.1f} ms to fit")
    panels = [panel(name, found[name]) for name in SETS]
    write_result("latency", arguments, PINNED, found, panels, targets)
    if arguments.chart:
        note = f"script/bench latency: medians of {arguments.seeds} seeds; lines span all seeds"
        write_aside(CHART, chart.page("Choosing a region by learned latencies", note, panels))
        print(f"chart: {os.path.relpath(CHART, ROOT)}")


if __name__ == "__main__":
    run_part(main)
