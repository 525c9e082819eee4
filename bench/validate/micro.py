"""What validation costs: against the least that reading JSON can cost (RapidJSON's
`Document::Parse` with the same flags), and against RapidJSON's SchemaValidator with the schema that
`matchcloud schema` prints. SchemaValidator stops at its first error and does not know all rules.

A round runs every benchmark of `validation/` in bench_parts once, those of a body one after the
other. Ratios compare times of the same round, so that whatever else happens on the machine affects
both sides. Their medians over the rounds are printed.
"""
import json
import os
import re
import statistics
import sys

import chart
from harness import BUILD, CORES, judged, run
from servers import pinned

PROGRAM = os.path.join(BUILD, "bench", "bench_parts")
FLOOR_TARGET = 1.8
SCHEMA_TARGET = 3.0
SIZES = ("0.3kB", "1kB", "8kB")
LARGE = ("64KiB", "256KiB", "1MiB")


def measured_round(seconds):
    """{(measure, body): CPU nanoseconds, size in bytes, and the number of findings, if counted}."""
    out = run(pinned(CORES[0]) + [
        PROGRAM, "--benchmark_filter=^validation/", "--benchmark_format=json",
               f"--benchmark_min_time={seconds}"])
    rows = {}
    for row in json.loads(out)["benchmarks"]:
        _, measure, body = row["name"].split("/")
        rows[measure, body] = {"ns": row["cpu_time"], "bytes": row["size"],
                               "findings": row.get("findings")}
    return rows


class results:
    """All rounds."""

    def __init__(self, rounds):
        self.rounds = rounds

    def bodies(self, pattern):
        return [body for measure, body in self.rounds[0]
                if measure == "validate" and re.fullmatch(pattern, body)]

    def median(self, measure, body, what="ns"):
        return statistics.median(each[measure, body][what] for each in self.rounds)

    def ratio(self, over, under, body):
        """The median, least and greatest ratio of times over the rounds."""
        all_ratios = [each[over, body]["ns"] / each[under, body]["ns"] for each in self.rounds]
        return statistics.median(all_ratios), min(all_ratios), max(all_ratios)


def shown(ratio):
    return f"{ratio[0]:6.2f}  ({ratio[1]:.2f} to {ratio[2]:.2f})"


def compare_with_floor(found):
    """Prints a table. Returns the ratios by body, and whether they meet the target."""
    print(f"\nvalidate / floor by time, target {FLOOR_TARGET} for real configurations; "
          f"bench_parts: CPU {CORES[0]}")
    print("  body        bytes  findings  floor     validate  ratio")
    ratios = {}
    for body in found.bodies(r"\d\d") + list(SIZES):
        ratio = found.ratio("validate", "floor", body)
        ratios[body] = ratio
        print(f"  {body:8} {found.median('floor', body, 'bytes'):8,.0f}  "
              f"{found.median('validate', body, 'findings'):8.0f} "
              f"{found.median('floor', body):7,.0f} ns {found.median('validate', body):7,.0f} ns "
              f"{shown(ratio)}")
    # Only bodies without findings count: parsing has no equivalent of their paths and messages.
    clean = [body for body in ratios if not found.median("validate", body, "findings")]
    worst = max(clean, key=ratios.get)
    return ratios, judged(f"validation to parsing alone, the worst body without findings ({worst})",
                          ratios[worst][0], at_most=FLOOR_TARGET)


def compare_with_schema_validator(found):
    """The same, with bodies that the schema validator reads to their end."""
    print(f"\nschema_validator / validate by time, target {SCHEMA_TARGET}; both without findings")
    ratios = {}
    for body in list(SIZES) + [f"clean-{size}" for size in LARGE]:
        if found.median("schema_validator", body, "findings") > 0:
            sys.exit(f"bench: the schema validator stops early at {body}")
        ratio = found.ratio("schema_validator", "validate", body)
        ratios[body] = ratio
        print(f"  {body:14} {shown(ratio)}")
    worst = min(ratios, key=ratios.get)
    return ratios, judged(f"SchemaValidator to validation, the worst body ({worst})",
                          ratios[worst][0], at_least=SCHEMA_TARGET)


def compare_sizes(found):
    """Prints a table. Returns nanoseconds per byte by measure, content and size."""
    print("\nnanoseconds per byte as bodies grow (equal numbers in a row: linear time)")
    print("                               " + "".join(f"{size:>9}" for size in LARGE)
          + "   findings")
    per_byte = {}
    for measure, content in (("floor", "clean"), ("floor_in_situ", "clean"), ("validate", "clean"),
                             ("validate_and_render", "clean"), ("validate", "faulty"),
                             ("validate_and_render", "faulty"), ("validate_all", "faulty")):
        bodies = [f"{content}-{size}" for size in LARGE]
        rates = [found.median(measure, body) / found.median(measure, body, "bytes")
                 for body in bodies]
        per_byte[f"{measure}/{content}"] = dict(zip(LARGE, rates))
        counted = measure if measure.startswith("validate_all") else "validate"
        findings = ", ".join(f"{found.median(counted, body, 'findings'):,.0f}" for body in bodies)
        print(f"  {measure:20} {content:8}" + "".join(f"{rate:9.2f}" for rate in rates)
              + f"   {findings}")
    return per_byte


def measured(rounds, seconds):
    """Makes all comparisons. Returns what to write to the file, panels and targets."""
    every = []
    for number in range(rounds):
        every.append(measured_round(seconds))
        print(f"  round {number + 1} of {rounds}: bench_parts", file=sys.stderr)
    found = results(every)
    floor, floor_target = compare_with_floor(found)
    schema, schema_target = compare_with_schema_validator(found)
    per_byte = compare_sizes(found)
    panels = [chart.bars("Validation alone, ratios of time", "ratio of CPU time", {
        "to Document::Parse (less is better)": ratio_bars(floor),
        "of SchemaValidator (more is better)": ratio_bars(schema)})]
    return {"validate_to_floor": floor, "schema_validator_to_validate": schema,
            "ns_per_byte": per_byte,
            "rounds": [{"/".join(name): row for name, row in each.items()} for each in every]
            }, panels, [floor_target, schema_target]


def ratio_bars(ratios):
    return [chart.Bar(body, *of) for body, of in ratios.items()]
