"""What an idle keep-alive connection costs the server in resident memory.

Both ends are on this machine; only the server's process is looked at, so the kernel's socket
buffers are not in the number. Every connection has had one request answered before it idles.
"""
import os

import servers
import wire

STEPS = 10
SPARE_DESCRIPTORS = 256


def measured(pid, address, count):
    hard = servers.raise_descriptor_limit()
    if count + SPARE_DESCRIPTORS > hard:
        print(f"bench: {count} idle connections exceed the descriptor limit of {hard}: taking less")
        count = hard - SPARE_DESCRIPTORS
    step = max(1, count // STEPS)
    what = wire.request(address, method="GET", path="/matchmaker/regions")
    held, points = [], []
    try:
        for number in range(1, count + 1):
            connection = wire.connect(address)
            held.append(connection)
            reply = wire.exchange(connection, what)
            if reply.status != 200:
                raise SystemExit(f"bench: connection {number} got {reply.status}: {reply.body!r}")
            # The first step fills caches and pools: the line begins behind it.
            if number % step == 0:
                points.append((number, servers.resident_bytes(pid)))
        still_open = len(os.listdir(f"/proc/{pid}/fd"))
    finally:
        for connection in held:
            connection.close()
    if still_open < len(held):
        raise SystemExit(f"bench: of {len(held)} idle connections the server closed some already: "
                         f"it has {still_open} descriptors")
    return {"connections": len(held), "bytes_per_connection": slope(points), "points": points}


def slope(points):
    """Least squares through (connections, bytes)."""
    n = len(points)
    mean_x = sum(x for x, _ in points) / n
    mean_y = sum(y for _, y in points) / n
    over = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return over / sum((x - mean_x) ** 2 for x, _ in points)


def table(result):
    (_, first), (_, last) = result["points"][0], result["points"][-1]
    print(f"\n{result['connections']} idle keep-alive connections (loops)")
    print(f"  resident {first / 2**20:.1f} MiB -> {last / 2**20:.1f} MiB: "
          f"{result['bytes_per_connection']:.0f} bytes per connection")
