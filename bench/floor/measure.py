#!/usr/bin/env python3
"""How much processor time a request costs above the least that is possible. The service is compared
with bench/peers/bare, which receives the same requests, only looks for their ends and returns the
same bytes, and with nginx that returns a constant.

one         regions for one client               many      regions for --clients clients
304         regions that the client has          gzip      100 regions, compressed
groups      groups.validate                      versions  versions.validate of about 8 kB
avatars-5   a cached list                        avatars-100
connect     a new connection for each request    tls       regions over TLS
latency     `many` ranked by predicted latency, against the same ranked by distance; half of the
            clients' networks have reported latencies

"+ parse" is the bare peer that also parses each body in place. Every server has one core and one
thread; the load generator (wrk; matchcloud-load for new connections) has another core. Rounds are
interleaved. A ratio compares two sides in the same round, and its median over the rounds counts:
1.10 is a tenth above the peer. Rate limits apply but are never reached.

--against BINARY also runs an older build of the service in the same rounds, and shows the ratio of
processor time to it for each kind of request. The two builds take turns at running first.

--waterfall instead shows where the processor time of a request goes, by perf.
"""
import contextlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections import namedtuple

import chart
import clients
import configs
import lists
import openloop
import servers
import waterfall
import wire
from harness import (BINARY, BUILD, CORES, add_parts, judged, parsed, parser_of, positive,
                     processors, processors_line, program, run_part, write_result)
from load import PLAYER, Load, Target, constant, measured, quotients

REGIONS = "/matchmaker/regions"
GROUPS = "/cloud/groups/validate"
VERSIONS = "/cloud/games/00000000-0000-4000-8000-000000000001/versions/validate"
GZIP = "Accept-Encoding: gzip"
SEED = 6
MANY_REGIONS = 100
DEMO_REGIONS = 12
NEVER_REACHED = [word for cost in ("cheap", "expensive")
                 for word in (f"--rate-limit-address-{cost}", "1000000000/10")]
CHURN = ("--closed", "--requests-per-connection", "1", "--sources", "64")

OURS, OLDER, BARE, PARSING, NGINX = "ours", "older", "bare", "bare + parse", "nginx"
BY_DISTANCE = "by distance"
BY_LATENCY = ("--rank-by", "latency")
# For a network: how many regions it reported, and how often.
REPORTED_REGIONS, REPORTS = 6, 20
# The most processor time, relative to an older build: the service must not become slower unnoticed.
AT_MOST_OF_OLDER = 1.03
# The most processor time, relative to each peer; None: only shown.
TARGETS = {"one": {BARE: 1.10, NGINX: None}, "many": {BARE: 1.20, NGINX: None},
           "304": {BARE: 1.20, NGINX: 1.0}, "gzip": {BARE: 1.6, NGINX: None},
           "groups": {BARE: 1.20}, "versions": {BARE: None, PARSING: None},
           "avatars-5": {BARE: 1.20, NGINX: None}, "avatars-100": {BARE: 1.20, NGINX: None},
           "connect": {NGINX: 0.95, BARE: None}, "tls": {NGINX: 0.95},
           "latency": {BY_DISTANCE: 1.10}}

# A request, as arguments of wire.fetch(), and what wrk sends, unless it is only this request.
Work = namedtuple("Work", "what load", defaults=(None,))


def parsed_arguments():
    parser = parser_of("floor", __doc__, rounds=7, seconds=3)
    parser.add_argument("--clients", type=positive, default=100_000, help="(%(default)s)")
    parser.add_argument("--waterfall", action="store_true",
                        help="the stages of a request to the service, in nanoseconds")
    parser.add_argument("--against", metavar="BINARY", type=program,
                        help="an older build of matchcloud, to run in the same rounds")
    add_parts(parser, list(TARGETS))
    arguments = parsed(parser, clients=2_000)
    if arguments.against and arguments.waterfall:
        parser.error("--waterfall has no rounds that --against could compare. Use only one of them")
    return arguments


class bench:
    """Starts what one kind of request needs: the service, and the peers with its answer."""

    def __init__(self, stack, folder):
        self.stack, self.folder = stack, folder

    def service(self, binary, prepare=None, tls=None, words=()):
        # Each build has its own store, in its own format.
        return self.stack.enter_context(servers.matchcloud(
            binary, "loops", self.folder, servers.GEOIP, core=CORES[0],
            prepare=prepare and (lambda data: prepare(binary, data)),
            arguments=[*NEVER_REACHED, *words], tls=tls))

    def bare(self, reply, body=b"", *words):
        with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
            file.write(reply.head + reply.body)
        command = [os.path.join(BUILD, "bench", "bench_bare"), file.name, str(len(body)), *words]
        return self.stack.enter_context(servers.peer(
            f"bare{len(body)}", command, self.folder, CORES[0]))

    def peers(self, wanted, reply, body=b"", tls=None):
        make = {BY_DISTANCE: lambda: self.service(BINARY),
                BARE: lambda: self.bare(reply, body),
                PARSING: lambda: self.bare(reply, body, "parse"),
                NGINX: lambda: self.stack.enter_context(servers.nginx(
                    reply, self.folder, core=CORES[0], tls=tls))}
        return {name: make[name]() for name in wanted}


def catalog(document):
    def prepare(binary, data):
        subprocess.run([binary, "import", "catalog", "--data-dir", data, "-"], check=True,
                       text=True, input=json.dumps(document), stdout=subprocess.DEVNULL)
    return prepare


def avatars(count):
    return (lambda binary, data: lists.fill(data, count, binary),
            lambda _: Work({"path": lists.PATH}))


def reports(known):
    """Imports latencies reported by half of the networks of the `known` clients."""
    def prepare(binary, data):
        regions = json.loads(subprocess.run(
            [binary, "catalog", "list", "regions", "--format", "json", "--data-dir", data],
            check=True, text=True, stdout=subprocess.PIPE).stdout)["regions"]
        chance = random.Random(SEED)
        networks = sorted({address.rsplit(".", 1)[0] + ".0/24" for address in known
                           if "." in address})
        lines = ["kind,cell,region,ms,reports,reporters"]
        for network in chance.sample(networks, len(networks) // 2):
            lines += [f"network,{network},{region['region_id']},{chance.uniform(5, 300):.1f},"
                      f"{REPORTS},5" for region in chance.sample(regions, REPORTED_REGIONS)]
        subprocess.run([binary, "latency", "import", "--data-dir", data, "-"], check=True,
                       text=True, input="\n".join(lines) + "\n", stdout=subprocess.DEVNULL)
    return prepare


def load_of(what):
    return constant(what.get("method", "GET"), what["path"], (what.get("body") or b"").decode(),
                    what.get("headers", ()))


def load_of_clients(folder, known, headers=(), etags=None):
    lines = map("\t".join, zip(known, etags)) if etags else known
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
        file.write("\n".join(lines) + "\n")
    return Load(REGIONS, list(headers), "regions/clients.lua",
                lambda number: [file.name, str(SEED + number)], len(known))


def from_client(address, *headers):
    return {"path": REGIONS, "headers": [f"X-Forwarded-For: {address}", *headers]}


def not_modified(server):
    tag = wire.header(wire.fetch(server, path=REGIONS, headers=[PLAYER]).headers, "etag")
    return Work({"path": REGIONS, "headers": [PLAYER, f"If-None-Match: {tag}"]})


def prepared(name, known, folder):
    """Two functions for `name`: one that prepares the data directory of a build, if anything, and
    one that makes the work from the service (child, address)."""
    post = {"method": "POST"}
    version = configs.composed()
    versions_regions = {"regions": [
        {"region_id": region, "region_display_name": region, "provider_display_name": "Bench",
         "datacenter_coord": {"latitude": 0, "longitude": 0}}
        for region in configs.region_ids(version)]}
    listing = Work({"path": REGIONS, "headers": [PLAYER]})
    return {
        "one": (None, lambda _: listing),
        "many": (None, lambda _: Work(from_client(known[0]), load_of_clients(folder, known))),
        "304": (None, not_modified),
        "gzip": (catalog(clients.catalog(SEED, MANY_REGIONS - DEMO_REGIONS)),
                 lambda _: Work(from_client(known[0], GZIP),
                                load_of_clients(folder, known, [GZIP]))),
        "groups": (None, lambda _: Work({**post, "path": GROUPS, "body": configs.GROUP.encode()})),
        "versions": (catalog(versions_regions), lambda _: Work(
            {**post, "path": VERSIONS, "body": configs.text_of(version).encode()})),
        "avatars-5": avatars(5),
        "avatars-100": avatars(100),
        "connect": (None, lambda _: listing),
        "tls": (None, lambda _: listing),
        "latency": (reports(known),
                    lambda _: Work(from_client(known[0]), load_of_clients(folder, known))),
    }[name]


def rounds_of(name, targets, arguments):
    if name != "connect":
        return measured(targets, arguments)
    openloop.warm_up([target.address for target in targets], arguments.connections)
    rounds = openloop.interleaved({target.name: lambda target=target: openloop.cpu_round(
        target.child, target.address, arguments, *CHURN) for target in targets},
                                  arguments.rounds, "cpu_us_per_request")
    for every in rounds.values():
        for one in every:
            one["requests_per_cpu_second"] = 1e6 / one["cpu_us_per_request"]
    return rounds


def target_of(name, server, work):
    return Target(name, *server, work.load or load_of(work.what), OURS)


def certificate_for(name, folder):
    return servers.certificate(folder) if name == "tls" else None


def show_waterfall(name, folder, known, arguments):
    with contextlib.ExitStack() as stack:
        prepare, work_of = prepared(name, known, folder)
        ours = bench(stack, folder).service(BINARY, prepare, certificate_for(name, folder))
        stages = waterfall.of_request(target_of(OURS, ours, work_of(ours[1])), folder, arguments)
    waterfall.show(name, stages)
    return stages


def answer_of(name, server, work):
    reply = wire.fetch(server[1], **work.what)
    if reply.status not in (200, 304):
        sys.exit(f"bench: {name} returned {reply.status}: {reply.body[:300]!r}")
    return reply


def warn_of_other_answers(name, reply, older):
    """Builds with different answers do not do the same work, but that may be intended."""
    if (reply.status, reply.body) != (older.status, older.body):
        print(f"bench: {name}: the older build returns a different answer: {older.status} "
              f"with {len(older.body):,} bytes of body instead of {reply.status} with "
              f"{len(reply.body):,}", flush=True)


def compare(name, folder, known, arguments):
    """The rounds for one kind of request, and its verdicts."""
    with contextlib.ExitStack() as stack:
        start = bench(stack, folder)
        prepare, work_of = prepared(name, known, folder)
        tls = certificate_for(name, folder)
        words = BY_LATENCY if BY_DISTANCE in TARGETS[name] else ()
        ours = start.service(BINARY, prepare, tls, words)
        work = work_of(ours[1])
        reply = answer_of(name, ours, work)
        targets = [target_of(OURS, ours, work)]
        if arguments.against:
            older = start.service(arguments.against, prepare, tls)
            its_work = work_of(older[1])
            warn_of_other_answers(name, reply, answer_of(f"{name} of the older build", older,
                                                         its_work))
            targets.append(target_of(OLDER, older, its_work))
        # A peer has no cache, so it needs no warm-up.
        same = targets[0].load._replace(warm_up_requests=0)
        targets += [Target(each, *at, same, OURS) for each, at in start.peers(
            TARGETS[name], reply, work.what.get("body", b""), tls).items()]
        rounds = rounds_of(name, targets, arguments)
    return rounds, report(name, rounds, len(reply.head) + len(reply.body))


def took_us(rounds):
    return statistics.median(1e6 / one["requests_per_cpu_second"] for one in rounds)


def to_ours(rounds, other):
    """The quartiles of the service's processor time, relative to another server's."""
    return quotients(rounds[other], rounds[OURS], "requests_per_cpu_second")


def report(name, rounds, reply_bytes):
    """Prints the rounds for one kind of request. Returns its verdicts."""
    print(f"\n{name}: answers of {reply_bytes:,} bytes\n  {processors_line(processors())}")
    for each, of in rounds.items():
        line = f"  {each:14} {took_us(of):7.2f} us of processor time per request"
        if each != OURS:
            low, middle, high = to_ours(rounds, each)
            line += f"   ours/{each} {middle:.3f}, half of the rounds {low:.3f} to {high:.3f}"
        print(line, flush=True)
    limits = {OLDER: AT_MOST_OF_OLDER} if OLDER in rounds else {}
    return [verdict(name, other, to_ours(rounds, other), at_most)
            for other, at_most in {**limits, **TARGETS[name]}.items() if at_most]


def verdict(name, other, quartiles, at_most):
    low, middle, high = quartiles
    # Rounds differ by more than a few per cent if others use the machine.
    doubt = "rounds lie on both sides of the target" if low <= at_most < high else ""
    return judged(f"{name}, to {other}", middle, at_most=at_most,
                  doubt=doubt if other == OLDER else "")


def report_older(works):
    """Prints each kind of request relative to the older build. Returns {kind: the median ratio, and
    the quartiles around it}."""
    print("\nprocessor time per request, to the older build")
    print(f"  {'':12} {'ours':>9} {'older':>9} {'ratio':>7}  half of the rounds")
    ratios = {}
    for name, rounds in works.items():
        low, middle, high = to_ours(rounds, OLDER)
        ratios[name] = {"median": middle, "low": low, "high": high}
        print(f"  {name:12} {took_us(rounds[OURS]):6.2f} us {took_us(rounds[OLDER]):6.2f} us "
              f"{middle:7.3f}  {low:.3f} to {high:.3f}", flush=True)
    return ratios


def older_panel(ratios):
    return chart.bars("Processor time per request, to the older build", "ratio", {
        name: [chart.Bar(OURS, of["median"], of["low"], of["high"])]
        for name, of in ratios.items()})


def bars(rounds):
    return [openloop.bar(each, [{"us": 1e6 / one["requests_per_cpu_second"]} for one in of], "us")
            for each, of in rounds.items()]


def main():
    arguments = parsed_arguments()
    servers.warn_of_no_geoip()
    known = clients.addresses(SEED, arguments.clients)
    results, targets = {}, []
    with servers.ready() as folder:
        if arguments.waterfall:
            for name in filter(lambda each: each != "connect", arguments.parts):
                show_waterfall(name, folder, known, arguments)
            return
        for name in arguments.parts:
            results[name], verdicts = compare(name, folder, known, arguments)
            targets += verdicts
    panels = [chart.bars("Processor time of the server", "µs per request",
                         {name: bars(rounds) for name, rounds in results.items()})]
    result = {"works": results}
    if arguments.against:
        result["to_older"] = report_older(results)
        panels.append(older_panel(result["to_older"]))
    write_result("floor", arguments, processors(), result, panels, targets)


if __name__ == "__main__":
    run_part(main)
