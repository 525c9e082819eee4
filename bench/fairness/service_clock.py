"""What a server reports in /metrics: its answers, and how long the honest client waited.

CLOCK names the clock that measures the wait. If SERVER_HISTOGRAM is None, it is the client's, and
the client shares a core with the attackers. If it names a histogram of seconds by operation, it is
the server's, which counts from when the socket became readable to the answer.
"""
import re
import sys

import wire

LISTING = "list_regions"  # which only the honest client requests
SERVER_HISTOGRAM = "matchcloud_request_duration_seconds"
CLOCK = "the server's clock" if SERVER_HISTOGRAM else "the client's clock"
PERCENT = 99


def labels_of(text):
    return dict(re.findall(r'(\w+)="([^"]*)"', text))


class Counters:
    """A snapshot of /metrics."""

    def __init__(self, ops):
        self.found = {}  # {name: [(labels, value)]}
        for line in wire.fetch(ops, path="/metrics").body.decode().splitlines():
            read = re.match(r"(\w+)(?:\{(.*)\})? (\S+)", line)
            if read and not line.startswith("#"):
                self.found.setdefault(read[1], []).append((labels_of(read[2] or ""),
                                                           float(read[3])))

    def sums(self, name, key, wanted=lambda labels: True):
        """{value of the label `key`: sum}"""
        sums = {}
        for labels, value in self.found.get(name, ()):
            if wanted(labels):
                sums[labels[key]] = sums.get(labels[key], 0) + value
        return sums

    def since(self, before, *what):
        """The growth of sums() since `before`."""
        former = before.sums(*what)
        return {key: value - former.get(key, 0) for key, value in self.sums(*what).items()}

    def answers_since(self, before):
        """{status: count} of all requests except listings and reads of /metrics."""
        return self.since(before, "matchcloud_requests_total", "status",
                          lambda labels: labels["operation"] not in (LISTING, "get_metrics"))

    def handshakes_since(self, before):
        return sum(self.since(before, "matchcloud_tls_handshakes_total", "how").values())

    def honest_p99_us(self, before, report):
        """`report`: the one of matchcloud-load about the same requests."""
        if not SERVER_HISTOGRAM:
            return report["latency_us"][f"p{PERCENT}"]
        grown = self.since(before, SERVER_HISTOGRAM + "_bucket", "le",
                           lambda labels: labels.get("operation") == LISTING)
        if not grown:
            sys.exit(f"bench: the server has no histogram {SERVER_HISTOGRAM}")
        return 1e6 * percentile(sorted((float(bound), count) for bound, count in grown.items()))


def percentile(buckets):
    """The percentile PERCENT of [(bound, count up to it)], with at least one value, as if values
    were evenly spread within each bucket. Values beyond the last bound count as that bound."""
    wanted = buckets[-1][1] * PERCENT / 100
    below, fewer = 0.0, 0.0
    for bound, count in buckets:
        if count >= wanted > fewer:
            return below if bound == float("inf") else (
                below + (bound - below) * (wanted - fewer) / (count - fewer))
        below, fewer = bound, count
    return below
