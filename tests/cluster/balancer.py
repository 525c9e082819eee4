#!/usr/bin/env python3
"""Tests what the balancer's configuration (docs/haproxy.cfg, docs/nginx.conf) promises beyond what
chaos shows, and that replicas that are killed at once all come back.

    script/cluster [--nginx] --once tests/cluster/balancer.py [--kills N]

run.py does the same before its chaos.
"""
import argparse
import json
import os
import random
import signal
import socket
import ssl
import sys
import time
import urllib.parse

sys.dont_write_bytecode = True
import cluster
import lobbies

BACK = 30  # seconds; a replica starts again after 2
SETTLED = 2  # seconds; script/cluster gives up if a replica keeps ending sooner
DRAINING = 1.2  # seconds in which all accept; --drain-delay-ms is 2,000 and checks take 0.5 s
LARGE_LINES = 12_000  # some 4 MB, more than any buffer holds
TLS_URL, INGEST = os.environ["CLUSTER_TLS_URL"], os.environ["CLUSTER_INGEST"]
LINES = {"Content-Type": "application/x-ndjson"}


def settle():
    cluster.until("readiness of all", lambda: cluster.replicas() and all(
        cluster.is_ready(each) for each in cluster.replicas()), BACK)
    begin = time.monotonic()
    cluster.until("a while", lambda: time.monotonic() > begin + SETTLED, 2 * SETTLED)


def killed_together(killed):
    """Kills these replicas at once. Returns whether all serve again, with new processes."""
    settle()
    before = {each: cluster.pid_of(each) for each in killed}
    for each in killed:
        cluster.send(each, signal.SIGKILL)
    try:
        cluster.until("new processes", lambda: all(
            cluster.pid_of(each) not in (0, before[each]) and cluster.is_ready(each)
            for each in killed), BACK)
    except TimeoutError:
        return False
    return True


def pairs_come_back(rounds):
    """Kills each pair of neighbours in turn. Returns whether all came back."""
    settle()  # replicas that were killed before have no process for a while
    every = cluster.replicas()
    return all(killed_together([every[(number + more) % len(every)] for more in range(2)])
               for number in range(rounds))


def listing(url=cluster.URL):
    return cluster.ask(f"{url}/matchmaker/regions")


def is_promise(answer):
    """Whether this is the service's 503, no matter which server sent it."""
    if not answer.is_away() or not answer.headers["Content-Type"].startswith(
            "application/problem+json"):
        return False
    said = cluster.json_of(answer)
    return said["status"] == 503 and said["code"] in ("unavailable", "draining", "overloaded")


def ended_together(check):
    """Drains all replicas at once, so that there are none for a while."""
    settle()
    before = {each: cluster.pid_of(each) for each in cluster.replicas()}
    for each in before:
        cluster.send(each, signal.SIGTERM)
    begin = time.monotonic()
    cluster.until("the end of readiness",
                  lambda: not any(cluster.is_ready(each) for each in before), DRAINING)
    answers = []
    while time.monotonic() < begin + DRAINING:
        answers.append(listing())
    check("draining replicas get requests if none is ready",
          answers and all(each.status == 200 for each in answers), str(next(
              (each for each in answers if each.status != 200), f"{len(answers)} requests")))
    wrong, promised = [], 0

    def served():
        answer = listing()
        if answer.status != 200 and not is_promise(answer):
            wrong.append(f"{answer}, {dict(answer.headers)}")
        nonlocal promised
        promised += is_promise(answer)
        return answer.status == 200 and all(
            cluster.pid_of(each) not in (0, before[each]) for each in before)
    cluster.until("new processes", served, BACK)
    check("without replicas, the answer is 503 with Retry-After", promised and not wrong,
          wrong[0] if wrong else f"{promised} of them")


def early_answer():
    """The answer to an upload with a wrong token, when only its head was sent."""
    where = urllib.parse.urlsplit(INGEST)
    context = ssl.create_default_context(
        cafile=os.path.join(cluster.FOLDER, "tls", "cert.pem"))
    with socket.create_connection((where.hostname, where.port), cluster.TIMEOUT) as plain, \
            context.wrap_socket(plain, server_hostname=where.hostname) as connection:
        connection.sendall((
            f"POST /v1/lobbies HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: Bearer none\r\n"
            "Content-Type: application/x-ndjson\r\nContent-Length: 100000000\r\n\r\n").encode())
        return connection.recv(1000).decode()


def ingestion(check):
    settle()
    said = early_answer()
    check("an upload is passed on while it arrives", said.startswith("HTTP/1.1 401"),
          said.splitlines()[0])
    game = lobbies.Game(77)
    for path, document in game.documents():
        answer = cluster.ask(cluster.ops_of(1) + path, json.dumps(document), "PUT")
        assert answer.is_good(), f"{path}: {answer}"
    for each in cluster.replicas():
        cluster.until("the namespace everywhere", lambda each=each: json.dumps(game.namespace) in
                      cluster.ask(f"{cluster.ops_of(each)}/v1/namespaces").body.decode(), 10)
    # Its own seed, because ids of lobbies follow from it, and chaos makes some from a number.
    chance = random.Random("balancer")
    lines = [each.whole() for each in game.make(chance, 0, LARGE_LINES)]
    answer = cluster.ask(f"{INGEST}/v1/lobbies", "\n".join(lines) + "\n", headers=LINES)
    accepted = cluster.json_of(answer)["accepted"] if answer.status == 200 else 0
    check(f"{LARGE_LINES} lines through the frontend for ingestion", accepted == LARGE_LINES,
          "" if accepted == LARGE_LINES else str(answer))


def secrets_are_not_logged(check):
    """Checks that the log has a line for a request that fails, but without its query."""
    for each in cluster.replicas():
        cluster.send(each, signal.SIGKILL)
    cluster.ask(f"{cluster.URL}/exports/a/lobby-history.csv?signature=secret")
    lines = cluster.until("a line in the log", lambda: [
        line for line in log().splitlines() if "/exports/a/lobby-history.csv" in line], 5)
    check("the log of a failed request has no query", not any("secret" in each for each in lines),
          lines[0])


def log():
    """The log of haproxy, or both logs of nginx."""
    return "".join(cluster.read(name) or "" for name in ("balancer.log", "balancer-failed.log"))


def all_of_it(check, kills):
    answer = listing(TLS_URL)
    check("players are served with TLS", answer.status == 200,
          "" if answer.status == 200 else str(answer))
    ingestion(check)
    ended_together(check)
    settle()
    secrets_are_not_logged(check)
    check(f"two replicas killed at once, {kills} times, came back", pairs_come_back(kills))


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("--kills", type=int, default=10)
    options = reader.parse_args()
    results = []

    def check(what, holds, detail=""):
        results.append(bool(holds))
        print(f"{'passed' if holds else 'FAILED'}: {what}{': ' if detail else ''}{detail}",
              flush=True)
    all_of_it(check, options.kills)
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
