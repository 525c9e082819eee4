#!/usr/bin/env python3
"""How far the service is above what the kernel takes: processor time of the server for a request,
to that of bench/peers/bare, which is sent the same requests, reads nothing of them but where they
end, and answers with the same bytes; and to that of nginx with a constant.

one         regions for one client               many      regions for --clients clients
304         regions that the client has          gzip      100 regions, compressed
groups      groups.validate                      versions  versions.validate of about 8 kB
avatars-5   a cached list                        avatars-100
connect     a new connection for each request    tls       regions over TLS

"+ parse" is the bare peer that also parses each body in place. Every server has one core and one
thread, the load generator (wrk; matchcloud-load for new connections) another. Rounds are
interleaved. A ratio is that of two rounds beside each other, and what counts is the median of
those: 1.10 is a tenth above the peer. Rate limits are in force, but nobody comes near them.

--waterfall shows where the processor time of a request goes instead, by perf.
"""
import contextlib
import json
import os
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
                     processors, processors_line, run_part, write_result)
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

OURS, BARE, PARSING, NGINX = "ours", "bare", "bare + parse", "nginx"
# What the server's processor may take to a peer's, at most; None: only shown.
TARGETS = {"one": {BARE: 1.10, NGINX: None}, "many": {BARE: 1.20, NGINX: None},
           "304": {BARE: 1.20, NGINX: 1.0}, "gzip": {BARE: 1.6, NGINX: None},
           "groups": {BARE: 1.20}, "versions": {BARE: None, PARSING: None},
           "avatars-5": {BARE: 1.20, NGINX: None}, "avatars-100": {BARE: 1.20, NGINX: None},
           "connect": {NGINX: 0.95, BARE: None}, "tls": {NGINX: 0.95}}

# A request, as wire.fetch() takes it, and what wrk sends where that is more than this one.
Work = namedtuple("Work", "what load", defaults=(None,))


def parsed_arguments():
    parser = parser_of("floor", __doc__, rounds=7, seconds=3)
    parser.add_argument("--clients", type=positive, default=100_000, help="of many (%(default)s)")
    parser.add_argument("--waterfall", action="store_true",
                        help="the stages of a request of ours, in nanoseconds")
    add_parts(parser, list(TARGETS))
    return parsed(parser, clients=2_000)


class bench:
    """Starts what one work needs: ours, and the peers with the bytes of its answer."""

    def __init__(self, stack, folder):
        self.stack, self.folder = stack, folder

    def ours(self, prepare=None, tls=None):
        return self.stack.enter_context(servers.matchcloud(
            BINARY, "loops", self.folder, servers.GEOIP, core=CORES[0], prepare=prepare,
            arguments=NEVER_REACHED, tls=tls))

    def bare(self, reply, body=b"", *words):
        with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
            file.write(reply.head + reply.body)
        command = [os.path.join(BUILD, "bench", "bench_bare"), file.name, str(len(body)), *words]
        return self.stack.enter_context(servers.peer(
            f"bare{len(body)}", command, self.folder, CORES[0]))

    def peers(self, wanted, reply, body=b"", tls=None):
        make = {BARE: lambda: self.bare(reply, body),
                PARSING: lambda: self.bare(reply, body, "parse"),
                NGINX: lambda: self.stack.enter_context(servers.nginx(
                    reply, self.folder, core=CORES[0], tls=tls))}
        return {name: make[name]() for name in wanted}


def catalog(document):
    def prepare(data):
        subprocess.run([BINARY, "import", "catalog", "--data-dir", data, "-"], check=True,
                       text=True, input=json.dumps(document), stdout=subprocess.DEVNULL)
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
    """What `name` sets up the service with, and the function of its address that gives the work."""
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
        "avatars-5": (lambda data: lists.fill(data, 5), lambda _: Work({"path": lists.PATH})),
        "avatars-100": (lambda data: lists.fill(data, 100), lambda _: Work({"path": lists.PATH})),
        "connect": (None, lambda _: listing),
        "tls": (None, lambda _: listing),
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


def started_ours(start, name, known, folder):
    """The service, what it is asked, and its certificate."""
    tls = servers.certificate(folder) if name == "tls" else None
    prepare, work_of = prepared(name, known, folder)
    ours = start.ours(prepare, tls)
    return ours, work_of(ours[1]), tls


def show_waterfall(name, folder, known, arguments):
    with contextlib.ExitStack() as stack:
        ours, work, _ = started_ours(bench(stack, folder), name, known, folder)
        target = Target(OURS, *ours, work.load or load_of(work.what), OURS)
        stages = waterfall.of_request(target, folder, arguments)
    waterfall.show(name, stages)
    return stages


def compare(name, folder, known, arguments):
    """The rounds of a work, and its verdicts."""
    with contextlib.ExitStack() as stack:
        start = bench(stack, folder)
        ours, work, tls = started_ours(start, name, known, folder)
        reply = wire.fetch(ours[1], **work.what)
        if reply.status not in (200, 304):
            sys.exit(f"bench: {name} is answered {reply.status}: {reply.body[:300]!r}")
        body = work.what.get("body", b"")
        started = {OURS: ours, **start.peers(TARGETS[name], reply, body, tls)}
        load = work.load or load_of(work.what)
        rounds = rounds_of(name, [Target(each, *at, load if each == OURS else
                                         load._replace(warm_up_requests=0), OURS)
                                  for each, at in started.items()], arguments)
    return rounds, report(name, rounds, len(reply.head) + len(reply.body))


def report(name, rounds, reply_bytes):
    """Prints a work; its verdicts."""
    print(f"\n{name}: answers of {reply_bytes:,} bytes\n  {processors_line(processors())}")
    for each, of in rounds.items():
        took = statistics.median(1e6 / one["requests_per_cpu_second"] for one in of)
        line = f"  {each:14} {took:7.2f} us of processor time a request"
        if each != OURS:
            low, middle, high = quotients(of, rounds[OURS], "requests_per_cpu_second")
            line += f"   ours takes {middle:.3f} of it, half of the rounds {low:.3f} to {high:.3f}"
        print(line, flush=True)
    return [judged(f"{name}, to {peer}",
                   quotients(rounds[peer], rounds[OURS], "requests_per_cpu_second")[1],
                   at_most=at_most)
            for peer, at_most in TARGETS[name].items() if at_most]


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
    panel = chart.bars("Processor time of the server", "µs a request",
                       {name: bars(rounds) for name, rounds in results.items()})
    write_result("floor", arguments, processors(), {"works": results}, [panel], targets)


if __name__ == "__main__":
    run_part(main)
