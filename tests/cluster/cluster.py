"""The cluster that script/cluster runs, as the tests see it."""
import http.client
import json
import os
import signal
import socket
import ssl
import threading
import time
import urllib.parse

URL, FOLDER = os.environ["CLUSTER_URL"], os.environ["CLUSTER_FOLDER"]
POSTGRES = os.environ["CLUSTER_POSTGRES"]
HAS_CUTS = bool(os.environ["CLUSTER_CUTS"])
RELOAD = getattr(signal, os.environ["CLUSTER_RELOAD"].replace("-", "SIG"))
LOAD = os.path.join(os.environ["BUILD"], "matchcloud-load")
TIMEOUT = 30  # seconds for an answer
PART = 32 * 1024  # bytes to read at once
JSON = {"Content-Type": "application/json"}


class Answer:
    """The result of a request. `error` says why the answer is missing or incomplete; `body` is what
    arrived of it."""

    def __init__(self, status=None, headers=None, body=b"", error=None):
        self.status, self.headers, self.body, self.error = status, headers or {}, body, error

    def is_away(self):
        """Whether this is 503 with Retry-After, so that the request may be repeated."""
        return self.status == 503 and "Retry-After" in self.headers

    def is_good(self):
        return self.error is None and self.status in (200, 201, 204, 206)

    def __str__(self):
        said = "" if self.status is None else f"{self.status} {self.body[:300]!r}"
        return f"{said} {self.error or ''}".strip()


def read_body(got, stop_after, pace, midway):
    """The bytes that arrived, and None if that is all; otherwise "left" or "cut"."""
    if "Content-Length" not in got.headers:
        return got.read(), None
    body = bytearray()
    promised = int(got.headers["Content-Length"])
    wanted = promised if stop_after is None else min(promised, stop_after)
    try:
        while len(body) < wanted and (part := got.read(min(PART, wanted - len(body)))):
            if midway and not body:
                midway()
            body += part
            if pace:
                threading.Event().wait(pace)
    except (OSError, http.client.HTTPException):
        pass
    return bytes(body), None if len(body) == promised else "left" if len(body) == wanted else "cut"


def narrow_socket(host, port, timeout):
    """A connection on which the kernel buffers little, at both ends."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PART)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1400)
    made.settimeout(timeout)
    made.connect((host, port))
    return made


def ask(url, body=None, method=None, headers=None, stop_after=None, pace=0, midway=None,
        timeout=TIMEOUT):
    """Sends one request on a new connection. `stop_after`: the most bytes to read. `pace`: the
    seconds to wait after each `PART`. `midway`: called after the first part."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https":
        context = ssl.create_default_context(cafile=os.path.join(FOLDER, "tls", "cert.pem"))
        connection = http.client.HTTPSConnection(parts.netloc, timeout=timeout, context=context)
    else:
        connection = http.client.HTTPConnection(parts.netloc, timeout=timeout)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    answer = Answer()
    try:
        if pace:
            connection.sock = narrow_socket(parts.hostname, parts.port, timeout)
        headers = dict(headers or ({} if body is None else JSON))
        if parts.scheme == "https":  # the ops plane
            headers["Authorization"] = f"Bearer {read('token')}"
        connection.request(method or ("GET" if body is None else "POST"), target, body, headers)
        got = connection.getresponse()
        answer = Answer(got.status, got.headers)
        answer.body, answer.error = read_body(got, stop_after, pace, midway)
    except (OSError, http.client.HTTPException) as error:
        answer.error = f"{type(error).__name__}: {error}"
    finally:
        connection.close()
    return answer


def read(name):
    """The content of a file in the cluster's folder; None if it is missing."""
    try:
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        return None


def until(what, holds, seconds):
    """Waits until `holds` returns something true, and returns that."""
    end, pause = time.monotonic() + seconds, threading.Event()
    while not (found := holds()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what} took more than {seconds} s")
        pause.wait(0.02)
    return found


def replicas():
    """The replicas that have a process."""
    return sorted(int(name[8:-4]) for name in os.listdir(FOLDER)
                  if name.startswith("replica-") and name.endswith(".pid"))


def url_of(replica):
    return read(f"replica-{replica}.url")


def ops_of(replica):
    return read(f"replica-{replica}.ops")


def pid_of(replica):
    return int(read(f"replica-{replica}.pid") or 0)


def send(replica, number):
    os.kill(pid_of(replica), number)


def reload_balancer():
    os.kill(int(read("balancer.pid")), RELOAD)


def is_ready(replica):
    return ask(f"{ops_of(replica)}/readyz", timeout=2).status == 200


def ready_replicas():
    return [each for each in replicas() if is_ready(each)]


_commands = threading.Lock()


def command(text):
    """Sends a command to script/cluster, and waits until it is done."""
    with _commands:
        before = (read("obeyed") or "").splitlines()
        with open(os.path.join(FOLDER, "commands"), "w", encoding="utf-8") as pipe:
            pipe.write(text + "\n")
        until(text, lambda: len((read("obeyed") or "").splitlines()) > len(before), 20)


def repeated():
    """How often haproxy repeated a request, by its statistics; None for nginx."""
    answer = ask(f"{os.environ['CLUSTER_STATS']}/;csv")
    rows = answer.body.decode().lstrip("# ").splitlines()
    names = rows[0].split(",")
    if "wretr" not in names:
        return None
    rows = [dict(zip(names, row.split(","))) for row in rows[1:]]
    return sum(int(row["wretr"] or 0) for row in rows if row["svname"] == "BACKEND")


def json_of(answer):
    return json.loads(answer.body)
