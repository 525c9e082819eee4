#!/usr/bin/env python3
"""What a cluster must live through without a failed request:

    script/cluster --once tests/cluster/run.py

Loads the balancer for a minute, and meanwhile kills, drains and pauses replicas and reloads the
balancer. Then asks for an export and downloads it by the balancer and from each replica. The last
line counts what held. script/test cluster calls this.
"""
import concurrent.futures
import hashlib
import json
import os
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request

URL, FOLDER = os.environ["CLUSTER_URL"], os.environ["CLUSTER_FOLDER"]
RELOAD = getattr(signal, os.environ["CLUSTER_RELOAD"].replace("-", "SIG"))
LOAD = os.path.join(os.environ["BUILD"], "matchcloud-load")
RATE, SECONDS = 400, 58
MIX = """
[[operation]]
name = "regions"
weight = 50
[[operation]]
name = "versions.validate"
weight = 30
[[operation]]
name = "games.validate"
weight = 10
[[operation]]
name = "groups.validate"
weight = 5
bodies = "large.jsonl"
"""
LARGE = 60_000  # a body that fits into haproxy's buffer
AT_ONCE = 30
EXPORT = f"{URL}/cloud/games/00000000-0000-4000-8000-000000000001/matchmaker/lobbies/export-history"

results = []


def check(what, holds, detail=""):
    results.append(bool(holds))
    print(f"{'passed' if holds else 'FAILED'}: {what}{': ' if detail else ''}{detail}", flush=True)


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read().strip()


def send(name, number):
    os.kill(int(read(f"{name}.pid")), number)


def is_ready(replica):
    context = ssl.create_default_context(cafile=os.path.join(FOLDER, "tls", "cert.pem"))
    try:
        with urllib.request.urlopen(f"{read(f'replica-{replica}.ops')}/readyz", context=context,
                                    timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def body_of(length):
    empty = json.dumps({"display_name": ""})
    return empty.replace('""', '"' + "x" * (length - len(empty)) + '"')


def post_large(_):
    ask = urllib.request.Request(f"{URL}/cloud/groups/validate", body_of(LARGE).encode(),
                                 {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(ask, timeout=30) as answer:
            return answer.status
    except OSError as error:
        return str(error)


def pause():
    """Whoever has the paused replica's share of these needs the other one."""
    send("replica-1", signal.SIGSTOP)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as senders:
        said = list(senders.map(post_large, range(AT_ONCE)))
    check(f"{AT_ONCE} large bodies at once while replica 1 stands still",
          said.count(200) == AT_ONCE, str({each: said.count(each) for each in said}))


# When, what, and how it is done.
EVENTS = [
    (6, "kill -9 of replica 1", lambda: send("replica-1", signal.SIGKILL)),
    (15, "SIGTERM of replica 2, which drains", lambda: send("replica-2", signal.SIGTERM)),
    (29, "SIGSTOP of replica 1", pause),
    (32, "SIGCONT of replica 1", lambda: send("replica-1", signal.SIGCONT)),
    (39, "reload of the balancer", lambda: send("balancer", RELOAD)),
    (48, "kill -9 of replica 2", lambda: send("replica-2", signal.SIGKILL)),
]


def run_load(folder):
    with open(os.path.join(folder, "large.jsonl"), "w", encoding="utf-8") as file:
        file.write(body_of(LARGE) + "\n")
    mix, report = os.path.join(folder, "mix.toml"), os.path.join(folder, "report.json")
    with open(mix, "w", encoding="utf-8") as file:
        file.write(MIX)
    load = subprocess.Popen([LOAD, "--rate", str(RATE), "--arrivals", "poisson", "--mix", mix,
                             "--duration", f"{SECONDS}s", "--json", report, URL])
    begin = time.monotonic()
    for at, what, happen in EVENTS:
        try:  # the load ending early is the only thing that could happen before
            load.wait(max(0, begin + at - time.monotonic()))
            break
        except subprocess.TimeoutExpired:
            print(f"{time.monotonic() - begin:5.1f} s: {what}", flush=True)
            happen()
    load.wait(SECONDS + 30)
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def judge(report):
    seconds = [each["errors"] for each in report["intervals"]]
    ends = [at for at, *_ in EVENTS[1:]] + [len(seconds)]
    check("before any event", sum(seconds[:EVENTS[0][0]]) == 0)
    for (at, what, _), end in zip(EVENTS, ends):
        failed = {second: seconds[second] for second in range(at, min(end, len(seconds)))
                  if seconds[second]}
        check(f"{what}, at {at} s", not failed, ", ".join(
            f"{count} failed in second {second}" for second, count in failed.items()))
    slowest = max(each.get("max_us", 0) for each in report["intervals"])
    check(f"{report['answered']} of {report['sent']} requests were answered, the slowest after "
          f"{slowest / 1000:.0f} ms", report["errors"]["total"] == 0 and
          report["answered"] > 0.9 * RATE * SECONDS, json.dumps(report.get("first_errors")))


def download(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return hashlib.sha256(answer.read()).hexdigest()


def export(replicas):
    span = json.dumps({"query_start": 1767312000000, "query_end": 1767398400000}).encode()
    ask = urllib.request.Request(EXPORT, span, {"Content-Type": "application/json"})
    with urllib.request.urlopen(ask, timeout=60) as answer:
        url = json.load(answer)["url"]
    check("an export's URL leads to the balancer", url.startswith(URL), url)
    balanced = {download(url) for _ in range(2 * len(replicas))}
    direct = {download(url.replace(URL, read(f"replica-{each}.url"))) for each in replicas}
    check("its bytes are the same from everywhere", len(balanced | direct) == 1)


def repeated():
    """How often haproxy sent a request again, by its statistics; None of nginx."""
    with urllib.request.urlopen(f"{os.environ['CLUSTER_STATS']}/;csv", timeout=5) as answer:
        rows = answer.read().decode().lstrip("# ").splitlines()
    names = rows[0].split(",")
    if "wretr" not in names:
        return None
    rows = [dict(zip(names, row.split(","))) for row in rows[1:]]
    return sum(int(row["wretr"] or 0) for row in rows if row["svname"] == "BACKEND")


def main():
    replicas = [name[8:-4] for name in os.listdir(FOLDER)
                if name.startswith("replica-") and name.endswith(".pid")]
    with tempfile.TemporaryDirectory() as folder:
        judge(run_load(folder))
    print(f"attempts that haproxy repeated since its reload: {repeated()}")
    check("all replicas are ready again", all(is_ready(each) for each in replicas))
    export(replicas)
    failed = results.count(False)
    print(f"cluster: {len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
