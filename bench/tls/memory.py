"""The memory of connections that have had one reply and idle.

Only the server's processes are looked at, so the kernel's socket buffers are not in the numbers.
Each server is new: in one that has served before, connections find memory that is there already.
"""
import contextlib

import chart
import servers
import wire
from harness import judged, processors, processors_line
from load import PLAYER
from peers import LOOPS, NGINX, PATH, PLAIN_LOOPS, PLAIN_NGINX, pair

FIRST_PART = 10  # a tenth of the connections fills caches and pools; the line begins behind them
LONG = ("--idle-timeout-ms", "3600000", "--connection-share-percent", "100")
TARGET = 1.0


def grow(connections, count, address):
    """Opens more until there are `count`, each with a reply."""
    request = wire.request(address, path=PATH, headers=[PLAYER])
    while len(connections) < count:
        connections.append(wire.connect(address))
        asked(connections[-1], request)


def asked(connection, request):
    status = wire.exchange(connection, request).status
    if status != 200:
        raise SystemExit(f"bench: a connection that is to idle got {status}")


def points_of(child, address, count):
    """[(connections, bytes of memory)] with a part of the connections and with all."""
    connections, points = [], []
    try:
        for step in (max(1, count // FIRST_PART), count):
            grow(connections, step, address)
            points.append((step, servers.proportional_bytes(child.pid)))
        # All are still there.
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
