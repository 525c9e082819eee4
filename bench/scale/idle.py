"""What idle keep-alive connections cost: the server's resident memory, and the latency of active
connections.

Both ends are on this machine. The memory is only that of the server's process, so it does not
include the kernel's socket buffers. Every connection gets one reply before it idles.
"""
import contextlib
import os
import select

import chart
import openloop
import servers
import wire
from harness import BINARY, CORES, judged, processors, processors_line

FIRST = 500  # they fill caches and pools: the line begins after them
SPARE_DESCRIPTORS = 256
PATIENCE_SECONDS = 5
LONG = ("--idle-timeout-ms", "3600000", "--connection-share-percent", "100")
BYTES_TARGET, TAIL_TARGET = 2048, 1.5


class held:
    """Idle connections of this process."""

    def __init__(self, pid, address):
        self.pid, self.address, self.connections = pid, address, []
        self.request = wire.request(address, path="/matchmaker/regions")

    def grow(self, count, spare):
        """Opens more until there are `count`. If the server accepts no more, closes `spare`."""
        while len(self.connections) < count:
            self.connections.append(wire.connect(self.address, timeout=PATIENCE_SECONDS))
            reply = wire.exchange(self.connections[-1], self.request)
            if reply.status != 200:
                raise SystemExit(f"bench: connection {len(self.connections)} got {reply.status}: "
                                 f"{reply.body!r}")
            if self.displaced():
                print(f"bench: the server's limit of descriptors allows {len(self.connections):,} "
                      f"connections: closing {spare:,} idle ones")
                self.shrink(spare)
                return False
        return True

    def displaced(self):
        """Whether the server closed the connection that idled longest to accept the newest."""
        if not select.select([self.connections[0]], [], [], 0)[0]:
            return False
        self.connections.pop(0).close()
        return True

    def shrink(self, count):
        for _ in range(min(count, len(self.connections))):
            self.connections.pop().close()

    def check(self):
        files = len(os.listdir(f"/proc/{self.pid}/fd"))
        if files < len(self.connections):
            raise SystemExit(f"bench: the server closed some of {len(self.connections)} idle "
                             f"connections: it has {files} descriptors")


def reachable(counts, active):
    """`counts`, as far as the limit of descriptors of this process allows."""
    most = servers.raise_descriptor_limit() - SPARE_DESCRIPTORS
    for count in counts:
        if count > most:
            print(f"bench: {count:,} idle connections exceed the limit of descriptors: {most:,}")
    return sorted({min(count, most) for count in counts if min(count, most) > active})


def measured(folder, arguments):
    """Memory and latency, at each count of --idle."""
    points, latency = [], {}
    with contextlib.ExitStack() as stack:
        (child, crowded), (_, alone) = (stack.enter_context(servers.matchcloud(
            BINARY, "loops", folder, servers.GEOIP, core=CORES[0], arguments=LONG))
            for _ in range(2))
        idle = held(child.pid, crowded)
        stack.callback(lambda: idle.shrink(len(idle.connections)))
        idle.grow(min(FIRST, min(arguments.idle) // 2), 0)
        points.append((len(idle.connections), servers.resident_bytes(child.pid)))
        for count in reachable(arguments.idle, FIRST // 10):
            whole = idle.grow(count, arguments.active + SPARE_DESCRIPTORS)
            points.append((len(idle.connections), servers.resident_bytes(child.pid)))
            latency[len(idle.connections)] = openloop.load_rounds(
                {"with": crowded, "without": alone}, arguments, "--rate", arguments.rate,
                shown="p99_us", connections=arguments.active)
            idle.check()
            if not whole:
                break
    return reported(points, latency, arguments)


def reported(points, latency, arguments):
    """Prints the results. Returns what to write to the file, panels and targets."""
    slope = slope_of(points)
    print(f"\nidle keep-alive connections (loops)\n  {processors_line(processors())}")
    for count, resident in points:
        print(f"  {count:7,} connections: {resident / 2**20:7.1f} MiB resident")
    ratios = {}
    for count, rounds in latency.items():
        print(f"\n  p99 of {arguments.active} active connections at {arguments.rate:,} req/s, "
              f"with {count:,} idle ones and without")
        openloop.print_rounds(rounds, ("p99_us", "p50_us", "requests_per_second",
                                       "generator_cpu_percent"))
        ratios[count] = (openloop.median(rounds["with"], "p99_us")
                         / openloop.median(rounds["without"], "p99_us"))
    groups = {f"{count:,} idle": [openloop.bar(
        side, each, "p99_us", f"{ratios[count]:.2f} x without" if side == "with" else "")
        for side, each in rounds.items()] for count, rounds in latency.items()}
    first, least = points[0]
    panels = [chart.lines("Memory of idle connections", "connections", "MiB more",
                          {"loops": [(x, (y - least) / 2**20) for x, y in points]}, log=False,
                          remark=[f"{slope:,.0f} bytes per connection; {least / 2**20:.0f} MiB "
                                  f"resident with the first {first:,}"]),
              chart.bars(f"p99 of {arguments.active} active connections at {arguments.rate:,} "
                         "req/s", "microseconds", groups)]
    targets = [judged("bytes per idle connection", slope, at_most=BYTES_TARGET)]
    targets += [judged(f"p99 next to {count:,} idle connections, to without", ratio,
                       at_most=TAIL_TARGET) for count, ratio in ratios.items()]
    return {"bytes_per_connection": slope, "points": points, "latency": latency,
            "p99_ratios": ratios}, panels, targets


def slope_of(points):
    """The slope of the least-squares line through (x, y)."""
    n = len(points)
    mean_x = sum(x for x, _ in points) / n
    mean_y = sum(y for _, y in points) / n
    over = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return over / sum((x - mean_x) ** 2 for x, _ in points)
