#!/usr/bin/env python3
"""Sends requests from several clients without pause until stdin ends, and counts failures:

    tests/deb/clients.py HOST PORT PATH

Prints one line of JSON: requests, connections, the failures by kind (refused connections, resets,
statuses other than 200), and the longest time in seconds from one answer to the next.
"""
import collections
import http.client
import json
import sys
import threading
import time

# Some keep a connection until the service announces its end, the others need one per request.
KEEPING, CLOSING = 4, 4
TIMEOUT = 10  # seconds


class Clients:
    def __init__(self, host, port, path):
        self._where, self._path = (host, port), path
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self.requests = self.connections = 0
        self.failures = collections.Counter()
        self._last, self.longest = time.monotonic(), 0.0

    def _answered(self):
        with self._lock:
            now = time.monotonic()
            self.longest = max(self.longest, now - self._last)
            self._last = now

    def _ask(self, connection, headers):
        """Whether the connection may be used again."""
        connection.request("GET", self._path, headers=headers)
        with connection.getresponse() as answer:
            answer.read()
            if answer.status != 200:
                raise RuntimeError(f"status {answer.status}")
            self._answered()
            return answer.getheader("Connection", "").lower() != "close"

    def _use(self, keeps):
        headers = {} if keeps else {"Connection": "close"}
        connection = http.client.HTTPConnection(*self._where, timeout=TIMEOUT)
        with self._lock:
            self.connections += 1
        try:
            while not self._ending.is_set():
                with self._lock:
                    self.requests += 1
                if not self._ask(connection, headers):
                    return
        except (OSError, http.client.HTTPException, RuntimeError) as failure:
            with self._lock:
                kind = type(failure).__name__
                self.failures[str(failure) if isinstance(failure, RuntimeError) else kind] += 1
            # Avoids a tight loop while the port refuses connections.
            self._ending.wait(0.01)
        finally:
            connection.close()

    def _go_on(self, keeps):
        while not self._ending.is_set():
            self._use(keeps)

    def run(self):
        threads = [threading.Thread(target=self._go_on, args=(number < KEEPING,))
                   for number in range(KEEPING + CLOSING)]
        for each in threads:
            each.start()
        sys.stdin.read()
        self._ending.set()
        for each in threads:
            each.join()


def main():
    host, port, path = sys.argv[1:]
    clients = Clients(host, int(port), path)
    clients.run()
    print(json.dumps({"requests": clients.requests, "connections": clients.connections,
                      "failures": dict(clients.failures), "longest": round(clients.longest, 3)}))


if __name__ == "__main__":
    main()
