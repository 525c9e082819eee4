#!/usr/bin/env python3
"""How honest clients are affected by a noisy client, and by attackers that rate limits let through.

--clients honest clients list regions in an open loop, --share requests per second each, alone and
next to a noisy client. That one sends 50 times its share ("50 times"), or as fast as replies arrive
("flood"), over --connections. The share is also the rate limit: the noisy client's excess is
refused (429), and no request of an honest client is.

token     each client has its own player token, and tokens are limited
address   each client has its own address, and addresses are limited
attacks   one honest client next to attackers that stay within the limits, or are refused, and
          still occupy the server's core: --attacks of bodies, token, pings, hellos, mixed
          (bench/fairness/attacks.py). Clients have network namespaces, so this part needs root and
          is skipped otherwise. The honest client has a real-time priority. If other programs use
          these cores, give the server a higher priority than theirs: nice -n -20 script/bench ..

The server has one core and the load generators another, on which the honest clients have priority
over the noisy one. Rounds are interleaved.
"""
import contextlib
import os

import attacks
import chart
import network
import openloop
import servers
import tokens
from harness import (BINARY, CORES, add_parts, judged, parsed, parser_of, positive, processors,
                     processors_line, run_part, write_result)

LIMITED = ("token", "address")
ATTACKS = "attacks"
TIMES = 50
NOISY = {"50 times": lambda share: ("--rate", TIMES * share, "--arrivals", "poisson"),
         "flood": lambda share: ("--closed",)}
TAIL_TARGET = 2.0
REFUSED = "429"


def parsed_arguments():
    parser = parser_of("fairness", __doc__, connections=8)
    parser.add_argument("--clients", type=positive, default=100,
                        help="honest clients, with a connection each (%(default)s)")
    parser.add_argument("--share", type=positive, default=20,
                        help="requests per second of an honest client, and the limit (%(default)s)")
    parser.add_argument("--attacks", type=attacks.sides_of, default=[],
                        help="only these attacks, such as bodies,pings (all)")
    add_parts(parser, (*LIMITED, ATTACKS))
    return parsed(parser)


@contextlib.contextmanager
def by_token(folder, arguments):
    """A server that limits tokens. Yields its process and address, and the options of the honest
    clients and of the noisy one."""
    files = [os.path.join(folder, f"{name}.tokens") for name in ("honest", "noisy")]

    def prepare(data):
        *honest, noisy = tokens.made(data, arguments.clients + 1)
        for path, texts in zip(files, (honest, [noisy])):
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(texts) + "\n")

    with servers.matchcloud(BINARY, "loops", folder, servers.GEOIP, core=CORES[0], prepare=prepare,
                            arguments=("--auth", "required", "--anonymous-regions=false",
                                       "--rate-limit-token-cheap",
                                       f"{arguments.share}/1")) as (child, address):
        yield (child.pid, address), ("--token-file", files[0]), ("--token-file", files[1])


@contextlib.contextmanager
def by_address(folder, arguments):
    """The same with a limit of addresses. The noisy client has an address of its own. There are no
    trusted proxies, because their own requests are not limited."""
    with servers.matchcloud(BINARY, "loops", folder, servers.GEOIP, core=CORES[0], proxies=(),
                            arguments=("--rate-limit-loopback", "--rate-limit-address-cheap",
                                       f"{arguments.share}/1")) as (child, address):
        yield (child.pid, address), ("--sources", arguments.clients), ()


def honest_round(server, arguments, options):
    """A round of the honest clients. If a request is refused, the benchmark ends."""
    pid, address = server
    before = servers.cpu_wait_seconds(pid)
    one = openloop.load(address, arguments.seconds, arguments.clients, "--rate",
                        arguments.clients * arguments.share, "--arrivals", "poisson", *options,
                        asked=openloop.NOBODYS_LISTINGS)
    return {**one, "server_waited_ms": 1000 * (servers.cpu_wait_seconds(pid) - before)}


def beside(server, arguments, honest, noisy):
    """A round of the honest clients next to a noisy one, with what its requests got."""
    with openloop.noise(server[1], arguments.connections, *noisy) as noise:
        one = honest_round(server, arguments, honest)
    answers = noise["by_status"]
    if set(answers) != {"200", REFUSED}:
        raise SystemExit(f"bench: the noisy client got {answers} instead of 200 and {REFUSED}")
    return {**one, "noisy_per_second": sum(answers.values()) / noise["seconds"],
            "noisy_allowed": answers.get("200", 0), "noisy_refused": answers.get(REFUSED, 0),
            "noisy_allowed_per_second": answers.get("200", 0) / noise["seconds"]}


def compare(part, folder, arguments):
    """The rounds of a part, and the latencies next to each noisy client as multiples of alone."""
    with (by_token if part == "token" else by_address)(folder, arguments) as (
            server, honest, noisy):
        sides = {"alone": lambda: honest_round(server, arguments, honest)}
        for name, options in NOISY.items():
            sides[name] = lambda options=options: beside(
                server, arguments, honest, (*options(arguments.share), *noisy))
        sides["alone"]()  # a warm-up
        rounds = openloop.interleaved(sides, arguments.rounds, "p99_us")
    print(f"\nby {part}: {arguments.clients} honest clients at {arguments.share} req/s each, alone "
          f"and next to a noisy client\n  {processors_line(processors())}")
    openloop.print_rounds(rounds, ("p99_us", "p50_us", "requests_per_second",
                                   "generator_cpu_percent", "server_waited_ms"))
    for name in NOISY:
        sent, allowed, refused = (openloop.median(rounds[name], f"noisy_{key}") for key in (
            "per_second", "allowed_per_second", "refused"))
        share = 100 * openloop.median([{"of": one["noisy_refused"] / (
            one["noisy_refused"] + one["noisy_allowed"])} for one in rounds[name]], "of")
        print(f"  {name:16} the noisy client: {sent:,.0f} req/s, {allowed:,.1f} of them allowed; "
              f"{share:.2f}% refused ({refused:,.0f} a round). No honest request was refused.")
    return rounds, {name: {key: openloop.median(rounds[name], f"{key}_us")
                           / openloop.median(rounds["alone"], f"{key}_us")
                           for key in ("p50", "p99")} for name in NOISY}


def panel(part, rounds, ratios):
    return chart.bars(f"By {part}: honest clients, alone and next to a noisy one", "microseconds", {
        key: [openloop.bar(name, each, f"{key}_us", f"{ratios[name][key]:.2f} x alone"
                           if name in ratios else "") for name, each in rounds.items()]
        for key in ("p50", "p99")})


def main():
    arguments = parsed_arguments()
    servers.warn_of_no_geoip()
    result, panels, targets = {}, [], []
    with servers.ready() as folder:
        for part in arguments.parts:
            if part == ATTACKS and not network.is_possible():
                print("bench: skipped attacks, which need root for network namespaces")
                continue
            if part == ATTACKS:
                result[part], more, judgements = attacks.measured(folder, arguments)
                panels.append(more)
                targets += judgements
                continue
            rounds, ratios = compare(part, folder, arguments)
            result[part] = {"rounds": rounds, "ratios": ratios}
            panels.append(panel(part, rounds, ratios))
            targets += [judged(f"by {part}: p99 of honest clients next to {name}, to alone",
                               each["p99"], at_most=TAIL_TARGET,
                               doubt=openloop.doubt({side: rounds[side]
                                                     for side in ("alone", name)}))
                        for name, each in ratios.items()]
    write_result("fairness", arguments, processors(), result, panels, targets)


if __name__ == "__main__":
    run_part(main)
