"""HTTP by hand: the exact bytes of a reply, over connections that this program holds."""
import socket
from collections import namedtuple

REPLY_LIMIT_BYTES = 1 << 20

Reply = namedtuple("Reply", "status headers body size")  # size: bytes on the wire


def connect(address, timeout=10):
    return socket.create_connection(address, timeout=timeout)


def request(address, method="GET", path="/", headers=(), body=b""):
    host = f"{address[0]}:{address[1]}"
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *headers]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines + ["", ""]).encode() + body


def exchange(connection, request_bytes):
    """Sends a request and reads its reply, which must have a Content-Length."""
    connection.sendall(request_bytes)
    received = b""
    while b"\r\n\r\n" not in received:
        received += more(connection, received)
    head, body = received.split(b"\r\n\r\n", 1)
    first, *rest = head.decode("latin-1").split("\r\n")
    headers = [tuple(part.strip() for part in line.split(":", 1)) for line in rest]
    length = int(next(v for n, v in headers if n.lower() == "content-length"))
    while len(body) < length:
        body += more(connection, received)
    return Reply(int(first.split()[1]), headers, body, len(head) + 4 + length)


def more(connection, received):
    got = connection.recv(65536)
    if not got or len(received) > REPLY_LIMIT_BYTES:
        raise ConnectionError(f"no whole reply, only {received[:200]!r}")
    return got


def fetch(address, **what):
    with connect(address) as connection:
        return exchange(connection, request(address, **what))
