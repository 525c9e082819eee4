#!/usr/bin/env python3
"""Lists of custom avatars: from our cache ("cached"), read and rendered for each request
("rendered"), and from nginx, which returns the same bytes as a constant or, if they are too long
for that, from a file.

Every server has one core and one loop or worker; wrk has another core. Rounds are interleaved.
wrk uses one connection, because concurrent requests for the same list would share one rendering.
nginx and the cache are also measured with --connections.
"""
import argparse
import contextlib

import chart
import lists
import servers
import wire
from harness import BINARY, CORES, parsed, parser_of, positive, processors, run_part, write_result
from load import bars_of, compare_replies


def parsed_arguments():
    parser = parser_of("avatars", __doc__)
    parser.add_argument("--avatars", type=positive, nargs="+", default=[5, 100, 10_000],
                        metavar="COUNT", help="avatars in a list (5 100 10000)")
    return parsed(parser, avatars=[100])


def compare_lists(folder, count, arguments):
    """{number of connections: results}, for one and for --connections."""
    flags = {"cached": (), "rendered": lists.UNCACHED}
    with contextlib.ExitStack() as stack:
        targets = {name: stack.enter_context(servers.matchcloud(
            BINARY, "loops", folder, [], core=CORES[0], arguments=more,
            prepare=lambda data: lists.fill(data, count))) for name, more in flags.items()}
        reply = wire.fetch(targets["cached"][1], path=lists.PATH)
        targets["nginx"] = stack.enter_context(servers.nginx(reply, folder, core=CORES[0]))
        found = {}
        for connections in sorted({1, arguments.connections}):
            if connections > 1:
                targets.pop("rendered")
            of = argparse.Namespace(**{**vars(arguments), "connections": connections})
            found[connections] = compare_replies(
                f"GET {lists.PATH}: {count:,} avatars, {connections} connection(s)", targets, of,
                "nginx", "GET", lists.PATH)
        return found


def main():
    arguments = parsed_arguments()
    with servers.ready() as folder:
        results = {count: compare_lists(folder, count, arguments) for count in arguments.avatars}
    panels = [chart.bars(f"GET avatars: {count:,} avatars", "requests per second", {
        f"{connections} connection(s)": bars_of(of) for connections, of in found.items()})
        for count, found in results.items()]
    write_result("avatars", arguments, processors(), {"avatars": results}, panels)


if __name__ == "__main__":
    run_part(main)
