#!/usr/bin/env python3
"""How the service scales on one machine.

idle     memory of idle keep-alive connections, and the p99 of --active ones next to them (at --rate
         in an open loop), against a server without idle ones
churn    a new connection for each request, as fast as possible, against nginx (a constant)
loops    processor time per request at --rate, with one event loop on one core, and with two on two
         cores, one of which the load generator also uses
regions, avatars, history   processor time of the listing, processor time of the list of avatars,
         and the time of an export, as the data grows tenfold

Except in `loops`, servers have one core and the load generator another. Rounds are interleaved.
"""
import contextlib

import chart
import growth
import idle
import openloop
import servers
import wire
from harness import (BINARY, CORES, add_parts, judged, parsed, parser_of, positive, processors,
                     processors_line, run_part, write_result)
from load import PLAYER

PARTS = ("idle", "churn", "loops", "regions", "avatars", "history")
CHURN = ("--closed", "--requests-per-connection", "1", "--sources", "64")
CHURN_TARGET = 0.8
GROWTH = {"regions": growth.regions, "avatars": growth.avatars, "history": growth.lobby_history}


def parsed_arguments():
    parser = parser_of("scale", __doc__)
    parser.add_argument("--active", type=positive, default=500,
                        help="active connections next to the idle ones (%(default)s)")
    parser.add_argument("--rate", type=positive, default=10_000,
                        help="requests per second of the parts idle and loops (%(default)s)")
    for name, sizes, what in (
            ("idle", [5_000, 10_000, 18_000], "idle connections"),
            ("regions", [1, 10, 100, 1_000], "regions"),
            ("avatars", [10, 100, 1_000, 10_000], "avatars in a list"),
            ("lobbies", [1_000, 10_000, 100_000, 1_000_000], "lobbies in a history")):
        parser.add_argument(f"--{name}", type=positive, nargs="+", default=sizes, metavar="COUNT",
                            help=f"{what} ({' '.join(map(str, sizes))})")
    add_parts(parser, PARTS)
    return parsed(parser, active=50, rate=2_000, idle=[200, 1_000], regions=[1, 100],
                  avatars=[10, 100], lobbies=[1_000, 10_000])


def compare_churn(folder, arguments):
    with contextlib.ExitStack() as stack:
        loops = stack.enter_context(servers.matchcloud(
            BINARY, "loops", folder, servers.GEOIP, core=CORES[0]))
        reply = wire.fetch(loops[1], path="/matchmaker/regions", headers=[PLAYER])
        nginx = stack.enter_context(servers.nginx(reply, folder, core=CORES[0]))
        openloop.warm_up([loops[1], nginx[1]], arguments.connections)
        rounds = openloop.interleaved({name: lambda server=server: openloop.cpu_round(
            *server, arguments, *CHURN) for name, server in (("loops", loops), ("nginx", nginx))},
                                      arguments.rounds, "requests_per_second")
    print(f"\na new connection for each request, {arguments.connections} at a time\n  "
          + processors_line(processors()))
    openloop.print_rounds(rounds, ("requests_per_second", "cpu_us_per_request", "p50_us", "p99_us",
                                   "generator_cpu_percent"))
    ratio, dearer = (openloop.median(rounds["loops"], key) / openloop.median(rounds["nginx"], key)
                     for key in ("requests_per_second", "cpu_us_per_request"))
    # If the generator limits both rates, only this shows a difference.
    print(f"  processor time of the server per request, to nginx: {dearer:.2f}")
    panel = chart.bars("A new connection for each request", "requests per second", {"": [
        openloop.bar(name, each, "requests_per_second",
                     f"{ratio:.2f} x nginx" if name == "loops" else "")
        for name, each in rounds.items()]})
    return {"rounds": rounds, "ratio": ratio, "cpu_ratio": dearer}, [panel], [
        judged("new connections, to nginx", ratio, at_least=CHURN_TARGET,
               doubt=openloop.doubt(rounds)),
        judged("new connections per second of the server's processor, to nginx", 1 / dearer,
               at_least=CHURN_TARGET)]


def compare_loops(folder, arguments):
    with contextlib.ExitStack() as stack:
        started = {f"{loops} loop(s)": stack.enter_context(servers.matchcloud(
            BINARY, "loops", folder, servers.GEOIP, core=CORES[0], loops=loops,
            more_cores=more_cores)) for loops, more_cores in ((1, ()), (2, CORES[1:]))}
        openloop.warm_up([address for _, address in started.values()], arguments.connections)
        rounds = openloop.interleaved({name: lambda server=server: openloop.cpu_round(
            *server, arguments, "--rate", arguments.rate) for name, server in started.items()},
                                      arguments.rounds, "cpu_us_per_request")
    print(f"\nprocessor time per request at {arguments.rate:,} req/s\n  1 loop(s): CPU {CORES[0]}; "
          f"2 loop(s): CPU {CORES[0]} and {CORES[1]}; load generator: CPU {CORES[1]}")
    openloop.print_rounds(rounds, ("cpu_us_per_request", "p99_us", "requests_per_second",
                                   "generator_cpu_percent"))
    panel = chart.bars(f"Processor time at {arguments.rate:,} req/s", "CPU µs per request", {"": [
        openloop.bar(name, each, "cpu_us_per_request", "generator "
                     f"{openloop.median(each, 'generator_cpu_percent'):.0f}% of a core")
        for name, each in rounds.items()]})
    return {"rounds": rounds}, [panel], []


def main():
    arguments = parsed_arguments()
    servers.warn_of_no_geoip()
    comparisons = {"idle": idle.measured, "churn": compare_churn, "loops": compare_loops}
    result, panels, targets = {}, [], []
    with servers.ready() as folder:
        for part in arguments.parts:
            if part in GROWTH:
                result[part], panel = GROWTH[part](folder, arguments)
                panels.append(panel)
                continue
            result[part], more, judgements = comparisons[part](folder, arguments)
            panels += more
            targets += judgements
    write_result("scale", arguments, processors(), result, panels, targets)


if __name__ == "__main__":
    run_part(main)
