#!/usr/bin/env python3
"""What honest clients notice of a noisy one, and of attackers that rate limits let through.

--clients honest ones send listings in an open loop, each at its share of --share requests per
second, alone and beside a noisy one, which sends 50 times its share ("50 times") or as fast as
replies come ("flood") over --connections. The limit is the share: the noisy one is refused (429)
what it sends beyond, and no honest client is refused anything.

token     each client has a player token of its own, and the limit is of tokens
address   each client has an address of its own, and the limit is of addresses
attacks   one honest client beside attackers that stay within the limits or are refused, and take
          the server's core nevertheless: --attacks of bodies, token, pings, hellos, mixed
          (bench/fairness/attacks.py). They have network namespaces, which needs root, and is left
          out without. The honest client has a real-time priority; where others work on these
          cores, give the server one over them (nice)

The server has one core, the load generators have another: the honest clients' before the noisy
one's, which takes what is left. Rounds are interleaved.
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
                        help="honest ones, a connection each (%(default)s)")
    parser.add_argument("--share", type=positive, default=20,
                        help="requests per second of each, and what one may send (%(default)s)")
    parser.add_argument("--attacks", type=attacks.sides_of, default=[],
                        help="those of these names, such as bodies,pings (all)")
    add_parts(parser, (*LIMITED, ATTACKS))
    return parsed(parser)


@contextlib.contextmanager
def by_token(folder, arguments):
    """A server that limits tokens; yields its process and address, and the options of the honest
    and of the noisy."""
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
    """The same with a limit of addresses; the noisy one's is none of the honest. Without proxies:
    what they ask on their own behalf is not limited."""
    with servers.matchcloud(BINARY, "loops", folder, servers.GEOIP, core=CORES[0], proxies=(),
                            arguments=("--rate-limit-loopback", "--rate-limit-address-cheap",
                                       f"{arguments.share}/1")) as (child, address):
        yield (child.pid, address), ("--sources", arguments.clients), ()


def honest_round(server, arguments, options):
    """The honest alone. That one of them is refused ends the benchmark."""
    pid, address = server
    before = servers.cpu_wait_seconds(pid)
    one = openloop.load(address, arguments.seconds, arguments.clients, "--rate",
                        arguments.clients * arguments.share, "--arrivals", "poisson", *options,
                        asked=openloop.NOBODYS_LISTINGS)
    return {**one, "server_waited_ms": 1000 * (servers.cpu_wait_seconds(pid) - before)}


def beside(server, arguments, honest, noisy):
    """The honest beside a noisy one, and what became of its requests."""
    with openloop.noise(server[1], arguments.connections, *noisy) as noise:
        one = honest_round(server, arguments, honest)
    answers = noise["by_status"]
    if set(answers) != {"200", REFUSED}:
        raise SystemExit(f"bench: the noisy one got {answers}, and not both 200 and {REFUSED}")
    return {**one, "noisy_per_second": sum(answers.values()) / noise["seconds"],
            "noisy_allowed": answers.get("200", 0), "noisy_refused": answers.get(REFUSED, 0),
            "noisy_allowed_per_second": answers.get("200", 0) / noise["seconds"]}


def compare(part, folder, arguments):
    """The rounds of a part, and how many times as long the honest wait beside each noisy one."""
    with (by_token if part == "token" else by_address)(folder, arguments) as (
            server, honest, noisy):
        sides = {"alone": lambda: honest_round(server, arguments, honest)}
        for name, options in NOISY.items():
            sides[name] = lambda options=options: beside(
                server, arguments, honest, (*options(arguments.share), *noisy))
        sides["alone"]()  # the first round pays for what is made once
        rounds = openloop.interleaved(sides, arguments.rounds, "p99_us")
    print(f"\nby {part}: {arguments.clients} honest clients at {arguments.share} req/s each, and "
          f"who besides\n  {processors_line(processors())}")
    openloop.print_rounds(rounds, ("p99_us", "p50_us", "requests_per_second",
                                   "generator_cpu_percent", "server_waited_ms"))
    for name in NOISY:
        sent, allowed, refused = (openloop.median(rounds[name], f"noisy_{key}") for key in (
            "per_second", "allowed_per_second", "refused"))
        share = 100 * openloop.median([{"of": one["noisy_refused"] / (
            one["noisy_refused"] + one["noisy_allowed"])} for one in rounds[name]], "of")
        print(f"  {name:16} the noisy one: {sent:,.0f} req/s, {allowed:,.1f} of them allowed; "
              f"{share:.2f}% refused ({refused:,.0f} a round). No honest request was refused.")
    return rounds, {name: {key: openloop.median(rounds[name], f"{key}_us")
                           / openloop.median(rounds["alone"], f"{key}_us")
                           for key in ("p50", "p99")} for name in NOISY}


def panel(part, rounds, ratios):
    return chart.bars(f"By {part}: the honest, alone and beside a noisy one", "microseconds", {
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
                print("bench: attacks need root, for network namespaces; they are left out")
                continue
            if part == ATTACKS:
                result[part], more, judgements = attacks.measured(folder, arguments)
                panels.append(more)
                targets += judgements
                continue
            rounds, ratios = compare(part, folder, arguments)
            result[part] = {"rounds": rounds, "ratios": ratios}
            panels.append(panel(part, rounds, ratios))
            targets += [judged(f"by {part}: p99 of the honest beside {name}, to alone",
                               each["p99"], at_most=TAIL_TARGET,
                               doubt=openloop.doubt({side: rounds[side]
                                                     for side in ("alone", name)}))
                        for name, each in ratios.items()]
    write_result("fairness", arguments, processors(), result, panels, targets)


if __name__ == "__main__":
    run_part(main)
