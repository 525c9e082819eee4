#!/usr/bin/env python3
"""Connects, sends a recorded ClientHello, and resets the connection when the server has answered:
hellos.py ADDRESS PORT RATE OPEN, until SIGINT. Then prints as JSON how many were begun, answered
and lost. The answer shows that the server has computed a signature; the client computes nothing."""
import json
import select
import signal
import socket
import ssl
import struct
import sys
import time

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing resets the connection
PATIENCE_SECONDS = 5
BATCH_LIMIT = 64  # the most that it catches up on after a pause


def recorded():
    """The ClientHello of this machine's OpenSSL."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ecdh_curve("prime256v1")
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    connection = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    try:
        connection.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


class Flood:
    """At most `limit` connections at a time, `rate` new ones a second."""

    def __init__(self, address, rate, limit):
        self.address, self.rate, self.limit = address, rate, limit
        self.hello = recorded()
        self.poll = select.epoll()
        self.open = {}  # the oldest first: {descriptor: (socket, when begun)}
        self.counts = {"begun": 0, "answered": 0, "lost": 0, "too_many": 0}
        self.stopped = False

    def stop(self, *_):
        self.stopped = True

    def begin(self):
        if len(self.open) >= self.limit:
            self.counts["too_many"] += 1
            return
        connection = socket.socket()
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            connection.connect(self.address)
        except BlockingIOError:
            pass
        self.open[connection.fileno()] = connection, time.monotonic()
        self.poll.register(connection, select.EPOLLOUT | select.EPOLLERR)
        self.counts["begun"] += 1

    def end(self, descriptor, how):
        connection, _ = self.open.pop(descriptor)
        connection.close()
        self.counts[how] += 1

    def go_on(self, descriptor, events):
        if events & (select.EPOLLERR | select.EPOLLHUP):
            self.end(descriptor, "lost")
        elif events & select.EPOLLOUT:
            try:
                self.open[descriptor][0].send(self.hello)
                self.poll.modify(descriptor, select.EPOLLIN)
            except OSError:
                self.end(descriptor, "lost")
        else:
            try:
                answered = self.open[descriptor][0].recv(1) == b"\x16"  # a handshake record
            except OSError:
                answered = False
            self.end(descriptor, "answered" if answered else "lost")

    def run(self):
        begun_at = due = time.monotonic()
        while not self.stopped:
            now = time.monotonic()
            for _ in range(BATCH_LIMIT):
                if due > now:
                    break
                self.begin()
                due += 1 / self.rate
            due = max(due, now - BATCH_LIMIT / self.rate)
            while self.open:
                descriptor, (_, when) = next(iter(self.open.items()))
                if when > now - PATIENCE_SECONDS:
                    break
                self.end(descriptor, "lost")
            for descriptor, events in self.poll.poll(max(0, due - time.monotonic())):
                self.go_on(descriptor, events)
        return {**self.counts, "seconds": time.monotonic() - begun_at}


def main():
    host, port, rate, limit = sys.argv[1], *map(int, sys.argv[2:])
    flood = Flood((host, port), rate, limit)
    signal.signal(signal.SIGINT, flood.stop)
    signal.signal(signal.SIGTERM, flood.stop)
    print(json.dumps(flood.run()))


if __name__ == "__main__":
    main()
