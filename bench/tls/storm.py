"""The latency of steady requests over keep-alive TLS connections, alone and next to clients that
make full handshakes as fast as one process can."""
import contextlib

import chart
import openloop
from harness import processors, processors_line
from handshakes import ONE_EACH
from load import quotients
from peers import LOOPS, NGINX, pair, shown

RATE_PART = 1 / 3
ALONE, BESIDE = "alone", "beside"
SHOWN = {ALONE: ALONE, BESIDE: "storm"}


def most(address, arguments):
    return openloop.load(address, arguments.seconds, arguments.connections, "--closed",
                         ramp=0)["requests_per_second"]


def beside(address, arguments, rate):
    """A round during a storm of handshakes, with their number per second."""
    with openloop.noise(address, arguments.connections, *ONE_EACH) as made:
        one = steady(address, arguments, rate)
    return {"handshakes_per_second": made["requests_per_second"], **one}


def steady(address, arguments, rate):
    return openloop.load(address, arguments.seconds, arguments.connections, "--rate", rate)


def measured(folder, arguments, tls):
    with contextlib.ExitStack() as stack:
        listening = dict(zip((LOOPS, NGINX), pair(stack, folder, tls)))
        addresses = {name: address for name, (_, address) in listening.items()}
        openloop.warm_up(addresses.values(), arguments.connections)
        rate = int(RATE_PART * min(most(address, arguments) for address in addresses.values()))
        sides = {f"{name}, {side}": lambda address=address, measure=measure: measure(
            address, arguments, rate) for name, address in addresses.items()
                 for side, measure in ((ALONE, steady), (BESIDE, beside))}
        rounds = openloop.interleaved(sides, arguments.rounds, "p99_us")
    print(f"\n{rate:,} TLS requests per second in an open loop, alone and in a storm of full "
          f"handshakes\n  {processors_line(processors())}")
    shown_rounds = {f"{name}, {SHOWN[side]}": rounds[f"{name}, {side}"]
                    for name in addresses for side in SHOWN}
    openloop.print_rounds(shown_rounds, ("p99_us", "p50_us", "p99.9_us", "requests_per_second",
                                         "generator_cpu_percent"))
    ratios = {}
    for name in addresses:
        stormy = rounds[f"{name}, {BESIDE}"]
        ratios[name] = quotients(stormy, rounds[f"{name}, {ALONE}"], "p99_us")
        made = openloop.median(stormy, "handshakes_per_second")
        shown(f"{name}: p99 next to {made:,.0f} handshakes per second, to alone", ratios[name])
    panel = chart.bars(f"p99 of {rate:,} requests per second", "microseconds", {
        name: [openloop.bar(SHOWN[side], rounds[f"{name}, {side}"], "p99_us",
                            f"{ratios[name][1]:.2f} x alone" if side == BESIDE else "")
               for side in (ALONE, BESIDE)] for name in addresses})
    return {"rate": rate, "rounds": rounds, "p99_ratios": ratios}, [panel], []
