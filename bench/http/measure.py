#!/usr/bin/env python3
"""Requests per second of both transports against nginx, and the latency of matchcloud and nginx at
half of the rate that both can serve.

Every server has one core and one loop or worker; the load generator has another core. Rounds are
interleaved (loops, httplib, nginx, loops, ...), so that whatever else happens on the machine
affects all servers. nginx returns a constant: the body and headers of matchcloud's reply, which it
need not compute. For an image, it sends the same file with sendfile.

groups, regions, media   as fast as wrk can, over --connections
latency                  matchcloud-load in an open loop: requests are sent when they are due, and
                         latency counts from then, even if the server made them wait
auth                     listings with a player's token that is required, and with limits of tokens
                         and addresses that count but are never reached ("required"), against the
                         same without tokens and limits ("open"). A second server without them
                         ("again") shows how much differs by chance. One with limits and without
                         tokens ("limits") shows which of the two costs more
access-log               listings with a line each in an access log ("all"), against listings
                         without ("off" and "again"): processor time of the server per request
"""
import contextlib
import os
import statistics

import chart
import configs
import openloop
import servers
import tokens
import wire
from harness import (BINARY, CORES, add_parts, judged, parsed, parser_of, processors,
                     processors_line, run_part, write_result)
from images import stored_image
from load import PLAYER, bars_of, compare_replies, doubt

MEDIA_BYTES = 100_000
RATE_TARGET, TAIL_TARGET = 0.9, 3.0
AUTH_TARGET = 0.97
RATE_PART = 0.5
PARTS = ("groups", "regions", "media", "latency", "auth", "access-log")
COUNTED = "1000000000/1"  # a limit that counts but is never reached
LIMITS = ("--rate-limit-loopback", "--rate-limit-address-cheap", COUNTED)
REQUIRED = ("--auth", "required", "--anonymous-regions=false",
            "--rate-limit-token-cheap", COUNTED)
# The most processor time for a request with a line in the access log, relative to one without.
LOG_TARGET = 1.10
AUTH_SIDES = {"open": (), "required": LIMITS + REQUIRED, "again": (), "limits": LIMITS}


def parsed_arguments():
    parser = parser_of("http", __doc__)
    add_parts(parser, PARTS)
    parser.add_argument("--auth", action="store_const", dest="parts", const=["auth"],
                        help="only what tokens and limits cost: --parts auth")
    arguments = parsed(parser)
    if "latency" in arguments.parts and "regions" not in arguments.parts:
        parser.error("--parts: latency needs the rates of regions")
    return arguments


def compare_media(folder, arguments):
    """Downloads of an image, the same file for both servers."""
    image = stored_image(MEDIA_BYTES)
    with contextlib.ExitStack() as stack:
        targets = {"loops": stack.enter_context(servers.matchcloud(
            BINARY, "loops", folder, servers.GEOIP, core=CORES[0], prepare=image.lay))}
        reply = wire.fetch(targets["loops"][1], path=image.path)
        targets["nginx"] = stack.enter_context(
            servers.nginx(reply, folder, core=CORES[0], body_file=image.file))
        return compare_replies(f"GET {image.path} ({MEDIA_BYTES} bytes)", targets, arguments,
                               "nginx", "GET", image.path)


def compare_latency(targets, rates, arguments):
    """matchcloud and nginx at the same rate, half of what the slower one can serve."""
    sides = {name: targets[name][1] for name in ("loops", "nginx")}
    rate = int(RATE_PART * min(rates[name]["summary"]["median"] for name in sides))
    rounds = openloop.load_rounds(sides, arguments, "--rate", rate, shown="p99.9_us")
    print(f"\nGET /matchmaker/regions at {rate:,} req/s, open loop\n  "
          + processors_line(processors()))
    openloop.print_rounds(rounds, ("p99.9_us", "p99_us", "p50_us", "requests_per_second",
                                   "generator_cpu_percent", "late_sends"))
    ratio = (openloop.median(rounds["loops"], "p99.9_us")
             / openloop.median(rounds["nginx"], "p99.9_us"))
    return {"rate": rate, "rounds": rounds, "p99.9_ratio": ratio}, judged(
        "p99.9 at half of the maximum rate, to nginx", ratio, at_most=TAIL_TARGET,
        doubt=openloop.doubt(rounds))


def compare_auth(folder, arguments):
    """What tokens and limits add to the cost of a listing. Returns results and targets."""
    made = {}

    def prepare(data):
        made["required"] = tokens.made(data, 1, limits={"cheap": COUNTED})[0]

    with contextlib.ExitStack() as stack:
        listening = {name: stack.enter_context(servers.matchcloud(
            BINARY, "loops", folder, servers.GEOIP, core=CORES[0], arguments=more,
            prepare=prepare if name == "required" else None))
            for name, more in AUTH_SIDES.items()}
        results = compare_replies(
            "GET /matchmaker/regions with tokens and limits", listening, arguments, "open", "GET",
            "/matchmaker/regions", headers=[PLAYER], tokens=made)
    ratios = {f"{name}, {key}": ratio_of(results, name, key)
              for name in ("required", "limits", "again")
              for key in ("requests_per_second", "requests_per_cpu_second")}
    print("  ratios to the mean of open and again in the same round (again: to open)")
    for what, (low, middle, high) in ratios.items():
        print(f"  {what:34} {middle:.3f}, half of the rounds {low:.3f} to {high:.3f}")
    return {"rounds": results, "ratios": ratios}, [
        judged(f"listings with tokens and limits, to without: {what}",
               ratios[f"required, {key}"][1], at_least=AUTH_TARGET,
               doubt=auth_doubt(results, ratios[f"again, {key}"][1]))
        for what, key in (("rate", "requests_per_second"),
                          ("per second of the server's processor", "requests_per_cpu_second"))]


def compare_access_log(folder, arguments):
    """What a line in the access log adds to the cost of a listing. Returns results and target."""
    file = os.path.join(folder, "access.log")
    sides = {"off": (), "all": ("--access-log", "all", "--access-log-file", file), "again": ()}
    with contextlib.ExitStack() as stack:
        listening = {name: stack.enter_context(servers.matchcloud(
            BINARY, "loops", folder, servers.GEOIP, core=CORES[0], arguments=more))
            for name, more in sides.items()}
        results = compare_replies("GET /matchmaker/regions with an access log", listening,
                                  arguments, "off", "GET", "/matchmaker/regions",
                                  headers=[PLAYER])
    with open(file, "rb") as lines:
        counted = sum(block.count(b"\n") for block in iter(lambda: lines.read(1 << 20), b""))
    os.remove(file)
    key = "requests_per_cpu_second"
    low, middle, high = (1 / each for each in reversed(ratio_of(results, "all", key, "off")))
    again = ratio_of(results, "again", key, "off")[1]
    print(f"  {counted:,} lines; processor time with a line, to without: {middle:.3f}, half of "
          f"the rounds {low:.3f} to {high:.3f}; between two without: {1 / again:.3f}")
    return {"rounds": results, "ratio": middle, "again": 1 / again, "lines": counted}, judged(
        "listings with a line in the access log, processor time to without", middle,
        at_most=LOG_TARGET, doubt=doubt(results, "off", "all"))


def ratio_of(results, name, key, plain="open"):
    """The quartiles of a server's `key`, relative to the mean of two plain servers in the same
    round, so that it does not matter whether the machine becomes slower or faster."""
    of = [[one[key] for one in results[side]["rounds"]] for side in (name, plain, "again")]
    every = [mine / before if name == "again" else 2 * mine / (before + after)
             for mine, before, after in zip(*of)]
    return statistics.quantiles(every, n=4, method="inclusive") if len(every) > 1 else every * 3


def auth_doubt(results, again):
    """Why the target means little: two servers that do the same differ by as much as it allows."""
    if abs(again - 1) >= 1 - AUTH_TARGET:
        return f"two servers that do the same differ by {100 * abs(again - 1):.1f}%"
    return doubt(results, "open", "required")


def latency_panel(latency):
    return chart.bars(f"GET /matchmaker/regions at {latency['rate']:,} req/s, open loop",
                      "microseconds", {
                          name: [openloop.bar(side, rounds, f"{name}_us",
                                              f"{latency['p99.9_ratio']:.2f} x nginx"
                                              if (side, name) == ("loops", "p99.9") else "")
                                 for side, rounds in latency["rounds"].items()]
                          for name in openloop.PERCENTILES})


def compare_servers(folder, arguments, result, targets):
    """The parts that need both transports. Adds to `result` and `targets`."""
    with contextlib.ExitStack() as stack:
        listening = {name: stack.enter_context(
            servers.matchcloud(BINARY, name, folder, servers.GEOIP, core=CORES[0]))
            for name in ("loops", "httplib")}
        if "groups" in arguments.parts:
            path = "/cloud/groups/validate"
            result["groups"] = compare_replies(f"POST {path}", listening, arguments, "httplib",
                                               "POST", path, configs.GROUP)
        if "regions" in arguments.parts:
            path = "/matchmaker/regions"
            reply = wire.fetch(listening["loops"][1], path=path, headers=[PLAYER])
            listening["nginx"] = stack.enter_context(
                servers.nginx(reply, folder, core=CORES[0]))
            result["regions"] = rates = compare_replies(
                f"GET {path}", listening, arguments, "nginx", "GET", path, headers=[PLAYER])
            targets.append(judged("regions, to nginx", rates["loops"]["summary"]["median"]
                                  / rates["nginx"]["summary"]["median"], at_least=RATE_TARGET,
                                  doubt=doubt(rates, "loops", "nginx")))
        if "latency" in arguments.parts:
            result["latency"], verdict = compare_latency(listening, rates, arguments)
            targets.append(verdict)


def run(arguments, folder):
    servers.warn_of_no_geoip()
    result, targets = {"geoip": bool(servers.GEOIP)}, []
    if set(arguments.parts) - {"media", "auth", "access-log"}:
        compare_servers(folder, arguments, result, targets)
    if "media" in arguments.parts:
        result["media"] = compare_media(folder, arguments)
    if "auth" in arguments.parts:
        result["auth"], verdicts = compare_auth(folder, arguments)
        targets += verdicts
    if "access-log" in arguments.parts:
        result["access-log"], verdict = compare_access_log(folder, arguments)
        targets.append(verdict)
    return result, targets


def main():
    arguments = parsed_arguments()
    with servers.ready() as folder:
        result, targets = run(arguments, folder)
    titles = {"groups": "POST /cloud/groups/validate", "regions": "GET /matchmaker/regions",
              "media": f"GET an image of {MEDIA_BYTES:,} bytes"}
    panels = [chart.bars("As fast as wrk can", "requests per second",
                         {title: bars_of(result[name]) for name, title in titles.items()
                          if name in result})] if set(titles) & set(result) else []
    if "auth" in result:
        panels.append(chart.bars("GET /matchmaker/regions with tokens and limits",
                                 "requests per second",
                                 {"": bars_of(result["auth"]["rounds"])}))
    if "latency" in result:
        panels.append(latency_panel(result["latency"]))
    write_result("http", arguments, processors(), result, panels, targets)


if __name__ == "__main__":
    run_part(main)
