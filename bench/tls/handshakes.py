"""New connections with one request each, with full handshakes and with resumed sessions.

The kind of handshake is checked: the service counts both kinds, and nginx has a second listener
that is the same except for a log, which has the kind for each request.
"""
import argparse
import collections
import contextlib
import re

import chart
import openloop
import servers
import wire
from harness import processors, processors_line
from load import quotients
from peers import LOOPS, NGINX, compared, pair, shown

# Few at a time, because each of them begins with a full handshake even in rounds that resume.
CONNECTIONS = 16
ONE_EACH = ("--closed", "--requests-per-connection", "1", "--sources", "64")
KINDS = {"full": ONE_EACH, "resumed": (*ONE_EACH, "--resume-sessions")}
TARGET = 0.95
PURE_PERCENT = 95  # of the connections must have the kind of the round
SPOKEN = f"TLSv1.3 {servers.TLS_SUITE} {wire.TLS_CURVE}"


def counted(ops):
    """{kind: number of handshakes so far}"""
    text = wire.fetch(ops, path="/metrics").body.decode()
    return {how: float(re.search(
        rf'^matchcloud_tls_handshakes_total{{how="{how}"}} (\S+)$', text, re.MULTILINE).group(1))
        for how in KINDS}


def our_round(server, ops, arguments, kind):
    """A round, with the share of its handshakes that were of `kind`."""
    before = counted(ops)
    one = openloop.cpu_round(*server, arguments, *KINDS[kind])
    made = {how: count - before[how] for how, count in counted(ops).items()}
    return {"of_kind_percent": 100 * made[kind] / max(1, sum(made.values())), **one}


def logged_percent(child, arguments, kind):
    """The share of nginx's connections that are of `kind`, by the log of a short run."""
    address, log = child.logged
    open(log, "w", encoding="utf-8").close()
    openloop.load(address, arguments.seconds, arguments.connections, *KINDS[kind], ramp=0)
    with open(log, encoding="utf-8") as file:
        lines = collections.Counter(line.strip() for line in file)
    marks = {"full": f"{SPOKEN} .", "resumed": f"{SPOKEN} r"}
    if not set(lines) <= set(marks.values()):
        raise SystemExit(f"bench: nginx did not use {SPOKEN} for all requests: {lines}")
    return 100 * lines[marks[kind]] / max(1, sum(lines.values()))


def doubt(percents):
    """Why the rounds do not measure the kind that they should; empty if they do."""
    return "; ".join(f"only {percent:.0f}% of the handshakes with {name} were of this kind"
                     for name, percent in percents.items() if percent < PURE_PERCENT)


def measured_kind(ours, ops, theirs, arguments, kind):
    """Prints rounds of one kind of handshake. Returns the result, a chart's group, a verdict."""
    rounds = openloop.interleaved({
        LOOPS: lambda: our_round(ours, ops, arguments, kind),
        NGINX: lambda: openloop.cpu_round(*theirs, arguments, *KINDS[kind])},
                                  arguments.rounds, "cpu_us_per_request")
    percents = {LOOPS: openloop.median(rounds[LOOPS], "of_kind_percent"),
                NGINX: logged_percent(theirs[0], arguments, kind)}
    print(f"\na new connection for each request, {arguments.connections} at a time, {kind} "
          f"handshakes\n  {processors_line(processors())}")
    openloop.print_rounds(rounds, ("cpu_us_per_request", "requests_per_second", "p50_us", "p99_us",
                                   "generator_cpu_percent"))
    for name, percent in percents.items():
        print(f"  {name}: {percent:.1f}% of the handshakes were {kind}")
    quartiles = quotients(rounds[NGINX], rounds[LOOPS], "cpu_us_per_request")
    shown(f"connections with {kind} handshakes per processor second, to nginx", quartiles)
    verdict = compared(f"connections with {kind} handshakes per second of the server's processor, "
                       "to nginx", quartiles, TARGET, doubt(percents))
    group = [openloop.bar(name, each, "cpu_us_per_request",
                          f"{1 / quartiles[1]:.2f} x nginx" if name == LOOPS else "")
             for name, each in rounds.items()]
    return {"rounds": rounds, "of_kind_percent": percents, "cpu_ratio": quartiles}, group, verdict


def measured(folder, arguments, tls):
    arguments = argparse.Namespace(**{
        **vars(arguments), "connections": min(CONNECTIONS, arguments.connections)})
    result, groups, targets = {}, {}, []
    with contextlib.ExitStack() as stack:
        # The ops plane would require a token from trusted proxies.
        ours, theirs = pair(stack, folder, tls, proxies=())
        ops = servers.ops_address(ours[0])
        for kind in KINDS:
            result[kind], groups[kind], verdict = measured_kind(ours, ops, theirs, arguments, kind)
            targets.append(verdict)
    panel = chart.bars("A new connection for each request, by handshake",
                       "CPU µs of the server per connection", groups)
    return result, [panel], targets
