#!/usr/bin/env python3
"""What validation costs: over HTTP, against Fastify with ajv (bench/peers/fastify/validate.js) and
our httplib transport; and alone, in bench_parts.

http   POST groups.validate, and POST versions.validate of a clean version of about 8 kB, made from
       the real configurations of the tests. All servers must return the same bytes, and find an
       error at the same place in each of some wrong bodies. Every server has one core and one loop
       or process; wrk has another core. Rounds are interleaved.
parts  Against the least that reading JSON can cost (RapidJSON's `Document::Parse` with the same
       flags), and against RapidJSON's SchemaValidator with the schema that `matchcloud schema`
       prints. SchemaValidator stops at its first error and does not know all rules. Ratios compare
       times of the same round; their medians over the rounds are printed.
"""
import contextlib
import json
import os
import subprocess
import sys

import chart
import configs
import micro
import servers
import wire
from harness import (BINARY, CORES, ROOT, add_parts, judged, parsed, parser_of, positive,
                     processors, refuse_other_builds, run_part, write_result)
from load import bars_of, compare_replies, doubt

FASTIFY = os.path.join(ROOT, "build", "bench", "fastify", "validate.js")
GROUPS = "/cloud/groups/validate"
VERSIONS = "/cloud/games/00000000-0000-4000-8000-000000000001/versions/validate"
PARTS = ("http", "parts")
TARGETS = {"groups": 2.0, "versions": 5.0}


def parsed_arguments():
    parser = parser_of("validate", __doc__)
    parser.add_argument("--part-rounds", type=positive, default=11,
                        help="rounds of each benchmark in bench_parts (%(default)s)")
    parser.add_argument("--part-seconds", type=float, default=0.05,
                        help="the least time of such a benchmark in a round (%(default)s)")
    add_parts(parser, PARTS)
    arguments = parsed(parser, part_rounds=2, part_seconds=0.002)
    if arguments.part_seconds <= 0:
        parser.error("--part-seconds must be more than 0")
    return arguments


def import_regions(data, regions):
    coord = {"latitude": 0, "longitude": 0}
    document = {"regions": [{"region_id": region, "region_display_name": region,
                             "provider_display_name": "Bench", "datacenter_coord": coord}
                            for region in regions]}
    subprocess.run([BINARY, "import", "catalog", "--data-dir", data, "-"], check=True, text=True,
                   input=json.dumps(document), stdout=subprocess.DEVNULL)


def paths_in(address, path, body):
    """The places where a server finds errors."""
    reply = wire.fetch(address, method="POST", path=path, body=body.encode())
    if reply.status != 200:
        sys.exit(f"bench: {body[:200]} got {reply.status}: {reply.body[:300]!r}")
    return {tuple(error["path"]) for error in json.loads(reply.body)["errors"]}


def check_wrong_bodies(listening):
    """Checks that all servers find an error in each wrong body, at the same place."""
    wrong = [(GROUPS, body) for body in configs.wrong_groups()]
    wrong += [(VERSIONS, body) for body in configs.wrong_versions().values()]
    for path, body in wrong:
        found = {name: paths_in(address, path, body) for name, (_, address) in listening.items()}
        if not set.intersection(*found.values()):
            sys.exit(f"bench: the servers find errors at different places in {body}: {found}")


def compare_over_http(folder, arguments):
    clean = configs.composed()
    regions = configs.region_ids(clean)
    with contextlib.ExitStack() as stack:
        listening = {name: stack.enter_context(servers.matchcloud(
            BINARY, name, folder, [], core=CORES[0],
            prepare=lambda data: import_regions(data, regions))) for name in ("loops", "httplib")}
        listening["fastify"] = stack.enter_context(servers.peer(
            "fastify", ["node", FASTIFY, ",".join(regions)], folder, CORES[0]))
        check_wrong_bodies(listening)
        return {name: compare_replies(f"POST {path} ({len(body):,} bytes)", listening, arguments,
                                      "fastify", "POST", path, body)
                for name, path, body in (("groups", GROUPS, configs.GROUP),
                                         ("versions", VERSIONS, configs.text_of(clean)))}


def main():
    arguments = parsed_arguments()
    result, panels, targets = {}, [], []
    if "http" in arguments.parts:
        with servers.ready() as folder:
            result["http"] = compare_over_http(folder, arguments)
        panels.append(chart.bars("POST to validate", "requests per second", {
            name: bars_of(of) for name, of in result["http"].items()}))
        for name, of in result["http"].items():
            ratio = of["loops"]["summary"]["median"] / of["fastify"]["summary"]["median"]
            targets.append(judged(f"{name}.validate to Fastify", ratio, at_least=TARGETS[name],
                                  doubt=doubt(of, "loops", "fastify")))
    if "parts" in arguments.parts:
        refuse_other_builds()
        result["parts"], more, judgements = micro.measured(arguments.part_rounds,
                                                           arguments.part_seconds)
        panels += more
        targets += judgements
    write_result("validate", arguments, {**processors(), "bench_parts": CORES[0]}, result, panels,
                 targets)


if __name__ == "__main__":
    run_part(main)
