"""Tests with a real Prometheus and a service under load: two alerts from the cause to its end, and
every expression of the dashboards."""
import contextlib
import glob
import json
import math
import os
import re
import signal
import subprocess
import threading
import urllib.parse

from bucket import bucket
from recording import RULES
from service import DAY, LOAD, Service, ask, eventually, make_certificate, write_geoip

MIX = "".join(f'[[operation]]\nname = "{name}"\nweight = {weight}\n' for name, weight in (
    ("regions", 50), ("avatars", 20), ("versions.validate", 10), ("games.validate", 10),
    ("groups.validate", 5), ("export", 1)))


def write_shortened_rules(path):
    """Writes the rules with seconds instead of minutes, hours and days."""
    with open(RULES, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"\[\d+[mhd]\]", "[10s]", text)
    text = re.sub(r"for: \d+m", "for: 1s", text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r"offset \d+m", "offset 10s", text))


class Prometheus:
    """Scrapes a service, and evaluates the shortened rules, once a second."""

    def __init__(self, folder, target):
        rules, settings = os.path.join(folder, "rules.yml"), os.path.join(folder, "settings.yml")
        write_shortened_rules(rules)
        with open(settings, "w", encoding="utf-8") as file:
            json.dump({"global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                       "rule_files": [rules],
                       "scrape_configs": [{"job_name": "matchcloud", "static_configs": [
                           {"targets": [target.removeprefix("http://")]}]}]}, file)
        self._process = subprocess.Popen(
            ["prometheus", f"--config.file={settings}", f"--storage.tsdb.path={folder}/tsdb",
             "--web.listen-address=127.0.0.1:0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = ""
        for line in self._process.stderr:
            said += line
            found = re.search(r'msg="Listening on" address=(\S+)', line)
            if found:
                self._url = f"http://{found[1]}"
                break
        else:
            raise AssertionError(f"prometheus did not start: {said[-1000:]}")
        # Reads its log, so that it never waits for a reader.
        threading.Thread(target=self._process.stderr.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)

    def _get(self, path, **query):
        status, body = ask(f"{self._url}/api/v1/{path}?{urllib.parse.urlencode(query)}")
        # It returns 503 while it starts.
        assert status in (200, 503), f"{query}: {body}"
        return json.loads(body)["data"] if status == 200 else {"result": [], "alerts": []}

    def query(self, expression):
        """The current values of an expression, except NaN."""
        values = [float(each["value"][1])
                  for each in self._get("query", query=expression)["result"]]
        return [each for each in values if not math.isnan(each)]

    def fires(self, alert):
        firing = [each for each in self._get("alerts")["alerts"]
                  if each["labels"]["alertname"] == alert and each["state"] == "firing"]
        # If a template is wrong, Prometheus says so in the text.
        assert "<error" not in str(firing), firing
        return bool(firing)


@contextlib.contextmanager
def observed(demo, folder):
    """Runs a service with a bucket and with TLS next to its plain listener, and a Prometheus that
    scrapes it."""
    os.mkdir(folder)
    subprocess.run(["cp", "-r", demo, f"{folder}/data"], check=True)
    write_geoip(f"{folder}/city.mmdb", age=DAY)
    make_certificate(f"{folder}/tls", days=100)
    flags = ("--listen", "127.0.0.1:0/tls", "--tls-cert", f"{folder}/tls/cert.pem", "--tls-key",
             f"{folder}/tls/key.pem", "--geoip", f"{folder}/city.mmdb",
             "--request-timeout-ms", "1000")
    with bucket() as objects, Service(f"{folder}/data", *flags, *objects.flags) as of, \
            Prometheus(folder, of.ops) as prometheus:
        eventually(lambda: prometheus.query("matchcloud_build_info"))
        yield of, prometheus


def alerts_fire_and_end(demo, folder):
    storm, expiry = "MatchcloudRestartStorm", "MatchcloudCertificateExpires"
    with observed(demo, folder) as (of, prometheus):
        assert not prometheus.fires(storm) and not prometheus.fires(expiry)
        make_certificate(f"{folder}/tls", days=13)
        of.fault("avatar.receive", kind="crash")
        eventually(lambda: of.avatars()[0] and prometheus.fires(storm))
        eventually(lambda: prometheus.fires(expiry))
        of.heal()
        make_certificate(f"{folder}/tls", days=100)
        eventually(lambda: not prometheus.fires(storm) and not prometheus.fires(expiry))


def expressions():
    """(file, title of the panel, expression) for each query of a dashboard, as Grafana sends it."""
    for path in sorted(glob.glob("deploy/grafana/*.json")):
        with open(path, encoding="utf-8") as file:
            for panel in json.load(file)["panels"]:
                for target in panel["targets"]:
                    asked = target["expr"].replace("$job", ".*")
                    yield (os.path.basename(path), panel["title"],
                           asked.replace("$__rate_interval", "10s"))


def ask_for_the_rest(of):
    """Sends what the load does not: images, a download, lobbies, and refused requests."""
    of.ingest()
    _, body = of.export()
    ask(json.loads(body)["url"])
    _, body = of.avatars()
    for avatar in json.loads(body)["custom_avatars"]:
        if "url" in avatar:
            ask(avatar["url"])
    ask(f"{of.data}/cloud/games/none/avatars")


def promtool_finds_nothing_in_metrics(demo, folder):
    with observed(demo, folder) as (of, _):
        of.fault("avatar.receive", kind="crash", once=True)
        ask_for_the_rest(of)
        said = subprocess.run(["promtool", "check", "metrics"], input=ask(f"{of.ops}/metrics")[1],
                              capture_output=True, timeout=30)
    assert (said.returncode, said.stdout, said.stderr) == (0, b"", b""), said


def dashboards_have_data(demo, folder):
    with observed(demo, folder) as (of, prometheus):
        of.fault("avatar.receive", kind="crash", probability=0.01)
        with open(f"{folder}/mix.toml", "w", encoding="utf-8") as file:
            file.write(MIX)
        load = subprocess.Popen([LOAD, "--rate", "100", "--connections", "8", "--duration", "60s",
                                 "--mix", f"{folder}/mix.toml", of.data],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            open_ones = list(expressions())
            assert open_ones

            def are_all_answered():
                ask_for_the_rest(of)
                open_ones[:] = [each for each in open_ones if not prometheus.query(each[2])]
                return not open_ones

            try:
                eventually(are_all_answered)
            except AssertionError as late:
                raise AssertionError("\n".join(map(str, ["no data:", *open_ones]))) from late
            assert load.poll() is None, "the load ended early"
        finally:
            load.terminate()
            load.wait()


def tests(demo, folder):
    """Yields a name and a function for each test."""
    yield ("a real Prometheus sees a restart storm and a certificate that expires",
           lambda: alerts_fire_and_end(demo, os.path.join(folder, "alerts")))
    yield ("promtool finds nothing in /metrics",
           lambda: promtool_finds_nothing_in_metrics(demo, os.path.join(folder, "metrics")))
    yield ("every expression of the dashboards has data under load",
           lambda: dashboards_have_data(demo, os.path.join(folder, "dashboards")))
