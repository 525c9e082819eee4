"""HTTP by hand: the exact bytes of a reply, over connections that the caller keeps open."""
import functools
import socket
import ssl
from collections import namedtuple

REPLY_LIMIT_BYTES = 1 << 20
BODILESS = (204, 304)

TLS_CURVE = "prime256v1"  # of the key exchange

# `head`: the bytes before the body, as they arrived.
Reply = namedtuple("Reply", "status headers body head")


class Address(namedtuple("Address", "host port ca_file", defaults=(None,))):
    """Where a server listens. With `ca_file`, it uses TLS with a certificate of that file."""

    @property
    def url(self):
        return f"{'https' if self.ca_file else 'http'}://{self.host}:{self.port}"


@functools.lru_cache(maxsize=None)
def trusting(ca_file):
    """The TLS context for connections to servers with a certificate of `ca_file`."""
    context = ssl.create_default_context(cafile=ca_file)
    context.set_ecdh_curve(TLS_CURVE)
    return context


def connect(address, timeout=10):
    """A connection, after the handshake if the server uses TLS."""
    plain = socket.create_connection((address.host, address.port), timeout=timeout)
    if not address.ca_file:
        return plain
    return trusting(address.ca_file).wrap_socket(plain, server_hostname=address.host)


def request(address, method="GET", path="/", headers=(), body=b""):
    host = f"{address.host}:{address.port}"
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *headers]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines + ["", ""]).encode() + body


def exchange(connection, request_bytes, method="GET"):
    """Sends a request of `method`. Returns the reply, which needs a Content-Length or no body."""
    connection.sendall(request_bytes)
    received = b""
    while b"\r\n\r\n" not in received:
        received += more(connection, received)
    head, body = received.split(b"\r\n\r\n", 1)
    first, *rest = head.decode("latin-1").split("\r\n")
    headers = [tuple(part.strip() for part in line.split(":", 1)) for line in rest]
    status = int(first.split()[1])
    bodiless = method == "HEAD" or status in BODILESS
    length = 0 if bodiless else int(header(headers, "content-length"))
    while len(body) < length:
        body += more(connection, received)
    return Reply(status, headers, body, head + b"\r\n\r\n")


def header(headers, name):
    """The value of the header `name` (in lower case); None if the reply lacks it."""
    return next((value for known, value in headers if known.lower() == name), None)


def more(connection, received):
    got = connection.recv(65536)
    if not got or len(received) > REPLY_LIMIT_BYTES:
        raise ConnectionError(f"the reply is incomplete or too long: {received[:200]!r}")
    return got


def fetch(address, method="GET", **what):
    with connect(address) as connection:
        return exchange(connection, request(address, method, **what), method)
