#!/usr/bin/env python3
"""Chaos: what a cluster must survive, under load, at random instants.

    script/cluster --standby --once tests/cluster/run.py [--seed N] [--seconds N]

matchcloud-load requests regions, validations, avatars and exports through the balancer; clients.py
does everything else. At the same time, events.py kills, pauses, cuts off, restarts, replaces and
adds replicas, kills the database's primary and promotes its standby, and reloads the balancer.
Prints each event with the time until everything works again, and in the end which checks passed.
The last line has the counts. script/test cluster and script/soak cluster call this.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import balancer
import clients
import cluster
import events
import journal as journals

RATE = 200  # requests a second
QUICK_LIMIT = 2  # seconds after an event, for everything except exports
EXPORT_LIMIT = 15  # seconds: 2 for the lease of a dead replica's export, more for a busy machine
AGREEMENT_LIMIT = 30  # seconds until replicas predict the same: polls of the store, and a fit
LAST_SECONDS = 15  # in which no event begins
LARGE = 60_000  # a body that fits into haproxy's buffer
AT_ONCE = 30
KILLS = 4  # of two replicas at once, before the load
MIX = """
[[operation]]
name = "regions"
weight = 50
[[operation]]
name = "versions.validate"
weight = 20
[[operation]]
name = "games.validate"
weight = 10
[[operation]]
name = "groups.validate"
weight = 5
lines = "large.jsonl"
body = "{line}"
[[operation]]
name = "avatars"
weight = 14
[[operation]]
name = "export"
weight = 0.5
variants = 20
"""
# Other operations need the database or the bucket, which may be unavailable.
ALWAYS = ("regions", "versions.validate", "games.validate", "groups.validate")

results = []


def check(what, holds, detail=""):
    results.append(bool(holds))
    print(f"{'passed' if holds else 'FAILED'}: {what}{': ' if detail else ''}{detail}", flush=True)


def body_of(length):
    empty = json.dumps({"display_name": ""})
    return empty.replace('""', '"' + "x" * (length - len(empty)) + '"')


def post_large(_):
    answer = cluster.ask(f"{cluster.URL}/cloud/groups/validate", body_of(LARGE))
    return answer.status or answer.error


class Chaos:
    def __init__(self, seed, seconds):
        self.journal = journals.Journal()
        self.clients = clients.Clients(self.journal, seed)
        self.database = events.Database()
        self.size = events.Size()
        self._plan = events.plan(seed, events.all_events(
            self.database, self.size, self._large, self.clients.cut_download))
        self._seconds = seconds
        self._slots = 0
        self._senders = concurrent.futures.ThreadPoolExecutor(AT_ONCE)
        self._large_said = []
        self.slowest = collections.defaultdict(float)  # seconds, by event and probe

    def run(self, load):
        begin = self.journal.start()
        for pause, event, which, hold in self._plan:
            if time.monotonic() - begin + pause > self._seconds - LAST_SECONDS:
                break
            try:  # waits, unless the load ends early
                load.wait(pause)
                break
            except subprocess.TimeoutExpired:
                pass
            self._happen(event, which, hold, lambda: time.monotonic() - begin)
        self.size.restore()
        self.database.settle()

    def _large(self):
        """Begins to send large bodies. Some go to the paused replica, which answers when it
        continues."""
        self._large_said.append(self._senders.map(post_large, range(AT_ONCE)))

    def _happen(self, event, which, hold, now):
        ready = cluster.ready_replicas()
        if event.takes:
            ready = cluster.until("readiness of three replicas", lambda: len(
                found := cluster.ready_replicas()) > 2 and found, events.BACK)
        replica = ready[int(which * len(ready))]
        print(f"{now():6.1f} s: {event.name}, replica {replica}", flush=True)
        self.journal.disturb()
        event.begin(replica)
        if event.end:
            threading.Event().wait(hold)
            event.end(replica)
        self.journal.calm()
        back = now()
        gone = {replica} if event.takes and not event.end else set()
        affected = [each for each in cluster.replicas() if each in set(ready) - gone]
        took = self._recover(affected)
        print(f"{back:6.1f} s: over; works again after " + ", ".join(
            f"{seconds:.2f} s ({what})" for what, seconds in took.items()), flush=True)
        for what, seconds in took.items():
            self.slowest[event.name, what] = max(self.slowest[event.name, what], seconds)

    def _recover(self, affected):
        """Requests everything at once. Returns the seconds until each kind of request succeeded."""
        self._slots += 1
        begin = time.monotonic()
        took = collections.defaultdict(float)

        def measure(what, call):
            call()
            took[what] = max(took[what], time.monotonic() - begin)

        def repeat(what, path, body=None):
            measure(what, lambda: self.journal.repeat(
                f"{what} after an event", lambda: cluster.ask(cluster.URL + path, body)))
        clients.at_once(
            lambda: repeat("regions", "/matchmaker/regions"),
            lambda: repeat("validation", "/cloud/groups/validate", body_of(LARGE)),
            lambda: repeat("avatars", f"/cloud/games/{clients.DEMO}/avatars"),
            *(lambda each=each: measure("lines", lambda: self.clients.probe(each, self._slots))
              for each in affected),
            *(lambda each=each: measure("export", lambda: self.clients.probe_export(
                each, self._slots)) for each in affected))
        return dict(took)

    def are_exact(self):
        wrong = {what for what, outcome in self.journal.counts if outcome == "WRONG"}
        return not wrong & {"export", "download", "slow download"}

    def check_agreement(self):
        begin = time.monotonic()
        try:
            cluster.until("agreement", self.clients.agree_on_latencies, AGREEMENT_LIMIT)
        except TimeoutError:
            pass
        took = time.monotonic() - begin
        check("all replicas predict the same latencies", took < AGREEMENT_LIMIT,
              f"after {took:.1f} s")

    def judge(self):
        for (event, what), seconds in sorted(self.slowest.items()):
            limit = EXPORT_LIMIT if what == "export" else QUICK_LIMIT
            if seconds > limit:
                check(f"{what} within {limit} s of: {event}", False, f"{seconds:.2f} s")
        names = {event for event, _ in self.slowest}
        check(f"{len(names)} kinds of events were recovered from in time", names)
        said = dict(collections.Counter(itertools.chain(*self._large_said)))
        check("large bodies while a replica is stopped", set(said) <= {200}, str(said))
        for line in self.journal.summary():
            print(f"  {line}")
        check("no answer was wrong or late", not self.journal.wrong,
              "; ".join(self.journal.wrong))
        several = sum(len(each) > 1 for each in self.clients.exports.values())
        rows = self.database.ask(
            "SELECT count(*) FROM (SELECT FROM matchcloud.exports WHERE keep_until_ts IS NOT NULL "
            f"AND game_id = '{self.clients.still.id}' GROUP BY query_start, query_end "
            "HAVING count(*) > 1) AS several")
        said = (f"one export for each of {len(self.clients.exports)} requests that several clients "
                "made at once")
        detail = f"{several} of them got several; in the database, {rows} have several"
        check(said, several == 0 and rows == "0", detail)


def begin_load(folder, seconds):
    with open(os.path.join(folder, "large.jsonl"), "w", encoding="utf-8") as file:
        file.write(body_of(LARGE) + "\n")
    mix = os.path.join(folder, "mix.toml")
    with open(mix, "w", encoding="utf-8") as file:
        file.write(MIX)
    return subprocess.Popen([
        cluster.LOAD, "--rate", str(RATE), "--arrivals", "poisson", "--mix", mix, "--timeout",
        "30s", "--repeat-503", "20s", "--connections", "128", "--duration", f"{seconds}s",
        "--json", os.path.join(folder, "report.json"), cluster.URL])


def judge_load(report, seconds):
    for each in report["operations"]:
        errors, repeated = each["errors"]["total"], each["repeated"]
        may_repeat = each["name"] not in ALWAYS
        check(f"{each['name']}: {each['answered']} of {each['sent']} answered, {repeated} repeated",
              errors == 0 and (may_repeat or repeated == 0),
              "" if errors == 0 else json.dumps(each["first_errors"]))
    check(f"the load was {RATE} requests a second", report["answered"] > 0.9 * RATE * seconds,
          f"{report['answered']} answers")


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    reader.add_argument("--seconds", type=int, default=180)
    options = reader.parse_args()
    print(f"cluster: seed {options.seed}, {options.seconds} s (repeat with --seed {options.seed})",
          flush=True)
    if not cluster.HAS_CUTS:
        print("cluster: no namespaces, so no replica is cut off", flush=True)
    balancer.all_of_it(check, KILLS)
    chaos = Chaos(options.seed, options.seconds)
    chaos.clients.prepare()
    with tempfile.TemporaryDirectory() as folder:
        load = begin_load(folder, options.seconds)
        chaos.clients.begin()
        try:
            chaos.run(load)
            load.wait(options.seconds)
        finally:
            load.terminate()  # it still reports
            load.wait(LAST_SECONDS)
            chaos.clients.end()
        with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
            report = json.load(file)
    cluster.until("readiness of all", lambda: all(
        cluster.is_ready(each) for each in cluster.replicas()), events.BACK)
    chaos.check_agreement()
    count = chaos.clients.check_all()
    judge_load(report, options.seconds)
    chaos.judge()
    check(f"{count} lobbies were acknowledged, and exports of all of them are exact",
          chaos.are_exact())
    check("the balancer's log has no signature of an export",
          "signature" not in (cluster.read("balancer.log") or ""))
    print(f"attempts that haproxy repeated since its last reload: {cluster.repeated()}")
    failed = results.count(False)
    print(f"cluster: seed {options.seed}, {options.seconds} s")
    print(f"cluster: {len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
