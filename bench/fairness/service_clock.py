"""What a server says of itself in /metrics: how it answered, and how long the honest waited.

CLOCK says whose clock that is. With SERVER_HISTOGRAM None it is the client's, which has a core to
share with the attackers; with the name of a histogram of seconds by operation it is the server's,
from a socket that can be read to the answer.
"""
import re
import sys

import wire

LISTING = "list_regions"  # what the honest ask, and no attacker
SERVER_HISTOGRAM = "matchcloud_request_duration_seconds"
CLOCK = "the server's clock" if SERVER_HISTOGRAM else "the client's clock"
PERCENT = 99


def labels_of(text):
    return dict(re.findall(r'(\w+)="([^"]*)"', text))


class Counters:
    """/metrics as they are now."""

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
        """sums() less those of `before`."""
        former = before.sums(*what)
        return {key: value - former.get(key, 0) for key, value in self.sums(*what).items()}

    def answers_since(self, before):
        """{status: how many} of all but the honest's requests and these."""
        return self.since(before, "matchcloud_requests_total", "status",
                          lambda labels: labels["operation"] not in (LISTING, "get_metrics"))

    def handshakes_since(self, before):
        return sum(self.since(before, "matchcloud_tls_handshakes_total", "how").values())

    def honest_p99_us(self, before, report):
        """`report`: of matchcloud-load, which measured the same requests."""
        if not SERVER_HISTOGRAM:
            return report["latency_us"][f"p{PERCENT}"]
        grown = self.since(before, SERVER_HISTOGRAM + "_bucket", "le",
                           lambda labels: labels.get("operation") == LISTING)
        if not grown:
            sys.exit(f"bench: the server has no histogram {SERVER_HISTOGRAM}")
        return 1e6 * percentile(sorted((float(bound), count) for bound, count in grown.items()))


def percentile(buckets):
    """Of [(bound, how many up to it)] with at least one, as if they were evenly spread within each
    bucket; beyond the last bound, that bound."""
    wanted = buckets[-1][1] * PERCENT / 100
    below, fewer = 0.0, 0.0
    for bound, count in buckets:
        if count >= wanted > fewer:
            return below if bound == float("inf") else (
                below + (bound - below) * (wanted - fewer) / (count - fewer))
        below, fewer = bound, count
    return below
