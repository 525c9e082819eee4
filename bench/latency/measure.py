#!/usr/bin/env python3
"""How much latency is lost by choosing regions with learned latencies, replayed from measured round
trips between cities, and what a prediction costs.

Each city reports its nearest six regions: the round trip with lognormal noise (0.15), plus an
exponential last mile (8 ms) that all regions of a report share. A tenth of the reports are lies,
uniform from 1 to 400 ms. The loss is the round trip to the chosen region minus the one to the best
region. It is counted for cities without a region of their own and with measurements of all regions.
The learner knows nothing of the judged city when it fits its prior. Numbers are medians over the
seeds 1 to --seeds.

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
# Rows: the printed name, and the targets with 20 regions for the mean and the 99th percentile.
ROWS = {"distance": ("distance alone", None, None),
        "reports_3": ("3 reports a city", 1.5, 30),
        "reports_10": ("10 reports a city", 0.35, 8),
        "others_10": ("10 reports of others", 3.3, None),
        "liars_30": ("10 reports, 30 % lies", 1.5, None)}
JUDGED_REGIONS = "20"


def parsed_arguments():
    parser = parser_of("latency", __doc__)
    parser.add_argument("--data", metavar="FOLDER", default=os.environ.get("MATCHCLOUD_LATENCIES"),
                        help="measured round trips between cities (%(default)s)")
    parser.add_argument("--seeds", type=positive, default=20, help="number of seeds (%(default)s)")
    parser.add_argument("--chart", action="store_true",
                        help=f"also write {os.path.relpath(CHART, ROOT)}")
    arguments = parsed(parser, seeds=2)
    if not arguments.data:
        sys.exit("bench: no measured round trips. Name their folder with --data, or in "
                 "MATCHCLOUD_LATENCIES")
    return arguments


def print_rows(regions, found):
    print(f"\n{regions} regions, {found['cities']} cities: loss in milliseconds")
    print(f"  {'':24}{'mean':>8}{'of seeds':>16}{'p99':>8}{'targets':>14}")
    for key, (name, mean, p99) in ROWS.items():
        row = found[key]
        targets = " ".join(f"{each:g}" for each in (mean, p99) if each is not None)
        spread = f"{row['lowest']:.2f} to {row['highest']:.2f}"
        print(f"  {name:24}{row['mean_ms']:8.2f}{spread:>16}{row['p99_ms']:8.1f}"
              f"{targets if regions == JUDGED_REGIONS else '':>14}")


def judge(found):
    for key, (name, mean, p99) in ROWS.items():
        for what, value, target in (("mean", found[key]["mean_ms"], mean),
                                    ("p99", found[key]["p99_ms"], p99)):
            if target is not None:
                yield judged(f"{name}, {what} (ms)", value, at_most=target)


def panel(regions, found):
    return chart.bars(
        f"{regions} regions: what a player loses on average by the choice of region",
        "milliseconds, over the fastest region",
        {"": [chart.Bar(name, found[key]["mean_ms"], found[key]["lowest"], found[key]["highest"],
                        f"p99 {chart.number(found[key]['p99_ms'])}")
              for key, (name, _, _) in ROWS.items()]})


def main():
    arguments = parsed_arguments()
    refuse_other_builds()
    found = json.loads(run([REPLAY, arguments.data, str(arguments.seeds)]))
    counts = ("12", "20")
    for regions in counts:
        print_rows(regions, found[regions])
    print()
    targets = list(judge(found[JUDGED_REGIONS]))
    print(f"\nprocessor time for one client and 20 regions: {found['predict_us']:.2f} us to "
          f"predict, {found['predict_and_rank_us']:.2f} us with ranking; "
          f"{found['add_us']:.1f} us to learn a report, {found['refit_ms']:.1f} ms to fit")
    panels = [panel(regions, found[regions]) for regions in reversed(counts)]
    write_result("latency", arguments, PINNED, found, panels, targets)
    if arguments.chart:
        note = f"script/bench latency: medians of {arguments.seeds} seeds; lines span all seeds"
        write_aside(CHART, chart.page("Choosing a region by learned latencies", note, panels))
        print(f"chart: {os.path.relpath(CHART, ROOT)}")


if __name__ == "__main__":
    run_part(main)
