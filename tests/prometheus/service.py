"""The service that the tests break: a process, its faults and its /metrics."""
import contextlib
import http.client
import inspect
import json
import os
import random
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from geoip_file import geoip_file

PROGRAM = os.path.abspath(os.environ.get("MATCHCLOUD", "build/release/matchcloud"))
LOAD = PROGRAM + "-load"
GAME = "00000000-0000-4000-8000-000000000001"
NAMESPACE = "00000000-0000-4000-8000-000000000011"
VERSION = "00000000-0000-4000-8000-000000000031"
DAY = 86400
SECONDS = 60  # the limit for an answer or a condition
SAMPLE = re.compile(r"^([a-z_]+)(\{.*\})? (\S+)$")


def run(*arguments):
    """Runs a command of the program."""
    subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.DEVNULL, timeout=SECONDS)


def make_certificate(folder, days):
    run("tls", "self-signed", "--days", str(days), "--out-dir", folder, "--force")


def write_geoip(path, age):
    """Makes or replaces a GeoIP file with a build time `age` seconds ago."""
    with open(f"{path}.new", "wb") as file:
        file.write(geoip_file(time.time() - age))
    os.rename(f"{path}.new", path)


def pause(seconds):
    threading.Event().wait(seconds)


def eventually(holds, seconds=SECONDS):
    """Waits until a condition holds. Fails if it does not within `seconds`."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"in {seconds} s it did not happen: "
                                 f"{inspect.getsource(holds).strip()}")
        pause(0.05)


def ask(url, body=None, method=None, headers=None, seconds=SECONDS):
    """Sends a request. Returns the status, None if there is no answer, and the body."""
    wanted = urllib.request.Request(url, body, headers or {}, method=method)
    try:
        with urllib.request.urlopen(wanted, timeout=seconds) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read()
    except OSError:
        return None, b""


class Service:
    """A process of the program with a data directory, on ports that the kernel chooses."""

    def __init__(self, data, *flags, log=subprocess.DEVNULL):
        self._first, self._lobbies = random.getrandbits(47), 0
        self._process = subprocess.Popen(
            [PROGRAM, "serve", "--data-dir", data, "--listen", "127.0.0.1:0", "--ops-listen",
             "127.0.0.1:0", "--loops", "1", "--enable-fault-injection", *flags],
            stdout=subprocess.PIPE, stderr=log, text=True)
        for line in self._process.stdout:
            kind, _, url = line.strip().partition(" on ")
            if kind == "listening" and url.startswith("http://"):
                self.data = url
            elif kind == "ops plane":
                self.ops = url
                return
        raise AssertionError(f"the service did not start, exit code {self._process.wait()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end(signal.SIGKILL)

    def end(self, how):
        self._process.send_signal(how)
        self._process.wait(SECONDS)
        self._process.stdout.close()

    def fault(self, point, **rule):
        status, body = ask(f"{self.ops}/faults/{point}", json.dumps(rule).encode(), "PUT")
        assert status == 200, body

    def heal(self):
        assert ask(f"{self.ops}/faults", method="DELETE")[0] in (200, 204)

    def regions(self, client=None):
        headers = {"X-Forwarded-For": client} if client else {}
        return ask(f"{self.data}/matchmaker/regions", headers=headers)[0]

    def regions_often(self, count):
        for _ in range(count):
            self.regions()

    def miss_often(self, count):
        """Sends requests that match no operation, on one connection."""
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.data).netloc,
                                                timeout=SECONDS)
        with contextlib.closing(connection):
            for _ in range(count):
                connection.request("GET", "/nothing")
                answer = connection.getresponse()
                answer.read()
                assert answer.status == 404, answer.status

    def avatars(self):
        """Returns the status and the body."""
        return ask(f"{self.data}/cloud/games/{GAME}/avatars")

    def regions_at_once(self, count):
        """Requests regions on `count` connections at the same time."""
        threads = [threading.Thread(target=self.regions) for _ in range(count)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

    def connect(self):
        """A connection that stays open after a request. Before one, only the kernel has it."""
        where = urllib.parse.urlsplit(self.data)
        made = socket.create_connection((where.hostname, where.port))
        made.sendall(b"GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n")
        made.recv(4096)
        return made

    def ingest(self, count=1):
        """Reports new lobbies. Returns the status."""
        lines = []
        for _ in range(count):
            self._lobbies += 1
            lines.append(json.dumps({
                "lobby_id": f"7d4f0c1e-52a8-4a0e-9a35-{self._first + self._lobbies:012x}",
                "namespace_id": NAMESPACE, "region_id": "lon", "tier": "basic-1d1",
                "version_id": VERSION, "version_name": "1.4", "game_mode": "duel",
                "start_ts": 1769900400000 + self._lobbies}))
        return ask(f"{self.ops}/v1/lobbies", "\n".join(lines).encode(),
                   headers={"Content-Type": "application/x-ndjson"})[0]

    def export(self):
        """Exports a day of history, which may take long. Returns the status and the body."""
        span = {"query_start": 1767312000000, "query_end": 1767398400000}
        return ask(f"{self.data}/cloud/games/{GAME}/matchmaker/lobbies/export-history",
                   json.dumps(span).encode(), headers={"Content-Type": "application/json"})

    def samples(self):
        """The metrics: (name, labels as printed, value). None if the service does not answer."""
        status, body = ask(f"{self.ops}/metrics", seconds=5)
        if status != 200:
            return None
        found = [SAMPLE.match(line) for line in body.decode().splitlines()]
        return [(each[1], each[2] or "{}", float(each[3])) for each in found if each]

    def value(self, name):
        """The sum of a metric's samples."""
        return sum(value for each, _, value in self.samples() if each == name)
