"""The memory of idle connections, after one reply each.

Only the memory of the server's processes counts, so the kernel's socket buffers are not included.
Each server is new, because in one that has served before, connections reuse existing memory.
"""
import contextlib

import chart
import servers
import wire
from harness import judged, processors, processors_line
from load import PLAYER
from peers import LOOPS, NGINX, PATH, PLAIN_LOOPS, PLAIN_NGINX, pair

FIRST_PART = 10  # a tenth of the connections fills caches and pools; the line begins after them
LONG = ("--idle-timeout-ms", "3600000", "--connection-share-percent", "100")
TARGET = 1.0


def grow(connections, count, address):
    """Opens more until there are `count`, with a reply on each."""
    request = wire.request(address, path=PATH, headers=[PLAYER])
    while len(connections) < count:
        connections.append(wire.connect(address))
        asked(connections[-1], request)


def asked(connection, request):
    status = wire.exchange(connection, request).status
    if status != 200:
        raise SystemExit(f"bench: a request before idling got {status}")


def points_of(child, address, count):
    """[(connections, bytes of memory)], for a part of the connections and for all."""
    connections, points = [], []
    try:
        for step in (max(1, count // FIRST_PART), count):
            grow(connections, step, address)
            points.append((step, servers.proportional_bytes(child.pid)))
        # Checks that the server closed none of them.
        for connection in connections:
            asked(connection, wire.request(address, path=PATH, headers=[PLAYER]))
    finally:
        for connection in connections:
            connection.close()
    return points


def measured(folder, arguments, tls):
    points = {}
    for names, certificate in (((LOOPS, NGINX), tls), ((PLAIN_LOOPS, PLAIN_NGINX), None)):
        with contextlib.ExitStack() as stack:
            for name, server in zip(names, pair(stack, folder, certificate, arguments=LONG)):
                points[name] = points_of(*server, arguments.idle)
    each = {name: (after - before) / (count - first)
            for name, ((first, before), (count, after)) in points.items()}
    print(f"\nidle keep-alive connections\n  {processors_line(processors())}")
    for name, ((first, before), (count, after)) in points.items():
        print(f"  {name:16} {each[name]:9,.0f} bytes per connection: {before / 2**20:.1f} MiB with "
              f"{first:,}, {after / 2**20:.1f} MiB with {count:,}")
    panel = chart.bars("Memory of idle connections", "bytes per connection", {"": [
        chart.Bar(name, value, None, None, "") for name, value in each.items()]})
    return {"points": points, "bytes_per_connection": each}, [panel], [
        judged("bytes of an idle TLS connection, to nginx", each[LOOPS] / each[NGINX],
               at_most=TARGET)]
