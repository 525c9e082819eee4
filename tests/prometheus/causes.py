"""Causes each alert once in the real program, and tests the rules by promtool with what /metrics
returned before, during and after."""
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import postgres_server
from bucket import bucket
from recording import Recording, alerts_of, check, firing, question
from service import DAY, SECONDS, Service, eventually, make_certificate, run, write_geoip

BEFORE, DURING, AFTER = 5, 8, 10  # number of looks at /metrics
MINUTES = 2  # between two looks, for promtool


def private(path, flags):
    """An opener for files that only their owner can read."""
    return os.open(path, flags, 0o600)


class Stage:
    """A folder with demo data, and what is recorded of the services that use it."""

    def __init__(self, demo, folder):
        self.folder = folder
        os.mkdir(folder)
        shutil.copytree(demo, self.path("data"))
        self.write_geoip(age=10 * DAY)
        self.recording = Recording()
        self.services = {}
        self.marks = []
        self.mounted = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def write_geoip(self, age):
        write_geoip(self.path("city.mmdb"), age)

    def start(self, *flags, instance="a", geoip=True, data="data", log=subprocess.DEVNULL):
        if geoip:
            flags += ("--geoip", self.path("city.mmdb"))
        self.services[instance] = Service(self.path(data), *flags, log=log)
        return self.services[instance]

    def end(self, instance="a", how=signal.SIGTERM):
        self.services[instance].end(how)
        self.services[instance] = None

    def look(self, count, act=lambda: None):
        """Records `count` looks, each after some requests to every service and `act`."""
        for _ in range(count):
            for each in filter(None, self.services.values()):
                each.regions()
                each.ingest()
            act()
            self.recording.look(self.services)
        self.marks.append(self.recording.looks)

    def end_all(self):
        for instance, each in self.services.items():
            if each:
                self.end(instance, signal.SIGKILL)
        if self.mounted:
            subprocess.run(["umount", self.mounted], check=True)
            self.mounted = None


def store_away(stage):
    of = stage.start()
    stage.look(BEFORE)
    of.fault("store.read", kind="error")
    eventually(lambda: of.value("matchcloud_store_age_seconds") > 11)
    stage.look(DURING)
    of.heal()
    eventually(lambda: of.value("matchcloud_store_age_seconds") < 5)
    stage.look(AFTER)


def disk_full(stage):
    disk = stage.path("disk")
    os.mkdir(disk)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk], check=True)
    stage.mounted = disk
    shutil.copytree(stage.path("data"), os.path.join(disk, "data"))
    of = stage.start(data="disk/data")
    stage.look(BEFORE)
    try:
        with open(os.path.join(disk, "filler"), "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
    except OSError:
        pass
    eventually(lambda: of.ingest(200) == 507)
    stage.look(DURING, lambda: of.ingest(200))
    os.remove(os.path.join(disk, "filler"))
    stage.look(AFTER)


def ingestion_stopped(stage):
    of = stage.start()
    stage.look(BEFORE)
    of.fault("ingestion.receive", kind="error")
    stage.look(2 * DURING)
    of.heal()
    stage.look(AFTER)


def geoip_old(stage):
    of = stage.start()
    built = of.value("matchcloud_geoip_built_timestamp_seconds")
    stage.look(BEFORE)
    stage.write_geoip(age=91 * DAY)
    eventually(lambda: of.value("matchcloud_geoip_built_timestamp_seconds") < built)
    stage.look(DURING)
    stage.write_geoip(age=DAY)
    eventually(lambda: of.value("matchcloud_geoip_built_timestamp_seconds") > built)
    stage.look(AFTER)


def geoip_absent(stage):
    for looks, has_file in ((BEFORE, True), (DURING, False), (AFTER, True)):
        stage.start(geoip=has_file)
        stage.look(looks)
        stage.end()


def certificate_expires(stage):
    def days_left():
        expiry = of.value("matchcloud_tls_certificate_expiry_timestamp_seconds")
        return (expiry - time.time()) / DAY

    make_certificate(stage.path("tls"), days=100)
    of = stage.start("--listen", "127.0.0.1:0/tls", "--tls-cert", stage.path("tls/cert.pem"),
                     "--tls-key", stage.path("tls/key.pem"))
    stage.look(BEFORE)
    make_certificate(stage.path("tls"), days=13)
    eventually(lambda: days_left() < 14)
    stage.look(DURING)
    make_certificate(stage.path("tls"), days=100)
    eventually(lambda: days_left() > 14)
    stage.look(AFTER)


def restart_storm(stage):
    of = stage.start("--request-timeout-ms", "300")
    stage.look(BEFORE)
    of.fault("region_ranking.receive", kind="crash")
    eventually(lambda: of.regions() and of.value("matchcloud_actor_restarts_total") > 6)
    stage.look(DURING)
    of.heal()
    eventually(lambda: of.regions() == 200)
    stage.look(AFTER)


def replicas_missing(stage):
    with open(stage.path("key"), "w", encoding="ascii", opener=private) as file:
        file.write("5" * 64)
    with postgres_server.server(stage.folder, ["fsync=off"]) as home:
        store = ("--store", postgres_server.url(home))
        run("demo", "--data-dir", stage.path("a"), "--until", "2026-02-01", *store)
        store += ("--master-key-file", stage.path("key"))
        of = stage.start(*store, data="a")
        other = stage.start(*store, data="b", instance="b")
        for each in (of, other):
            eventually(lambda each=each: each.value("matchcloud_replicas") == 2)
        stage.look(BEFORE)
        stage.end("b", signal.SIGKILL)
        eventually(lambda: of.value("matchcloud_replicas") == 1)
        stage.look(DURING)
        stage.start(*store, data="b", instance="b")
        eventually(lambda: of.value("matchcloud_replicas") == 2)
        stage.look(AFTER)
        stage.end_all()


def rate_limit_table_full(stage):
    of = stage.start("--rate-limit-address-cheap", "8/86400", "--rate-limit-entries", "8",
                     "--trusted-proxies", "127.0.0.1")

    def ask_as_many():
        for client in range(1, 30):
            of.regions(f"192.0.2.{client}")

    stage.look(BEFORE)
    stage.look(DURING, ask_as_many)
    stage.look(AFTER)


def requests_refused(stage):
    of = stage.start()
    stage.look(BEFORE)
    # The rate that the alert needs, over the minutes between two looks.
    stage.look(DURING, lambda: of.miss_often(2 * 10 * 60 * MINUTES))
    stage.look(AFTER)


def processor_waits(stage):
    """The service has one processor, and other programs want it, too."""
    waited = "matchcloud_loop_wait_seconds_total"
    all_processors = os.sched_getaffinity(0)
    others = []

    def wait_long():
        enough = of.value(waited) + 0.2 * 60 * MINUTES
        eventually(lambda: of.regions_often(100) or of.value(waited) > enough, 10 * SECONDS)

    try:
        # Of this thread, and of what it starts.
        os.sched_setaffinity(0, {min(all_processors)})
        of = stage.start()
        stage.look(BEFORE)
        for _ in range(8):
            others.append(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
        os.sched_setaffinity(0, all_processors)
        stage.look(4, wait_long)
    finally:
        os.sched_setaffinity(0, all_processors)
        for each in others:
            each.kill()
            each.wait()
    stage.look(AFTER)


def sheds(stage):
    of = stage.start("--max-in-flight", "8")
    stage.look(BEFORE)
    of.fault("region_ranking.reply", kind="delay", delay_ms=200)
    stage.look(DURING, lambda: of.regions_at_once(16))
    of.heal()
    stage.look(AFTER)


def clients_gone(stage):
    of = stage.start()
    stage.look(BEFORE)
    of.fault("region_ranking.reply", kind="delay", delay_ms=200, header=True)

    def count():
        return sum(value for name, labels, value in of.samples()
                   if name == "matchcloud_requests_total" and 'status="499"' in labels)

    def leave():
        """Resets a connection while its request waits."""
        before = count()
        with of.connect() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(b"GET /matchmaker/regions HTTP/1.1\r\nHost: localhost\r\n"
                           b"X-Fault: region_ranking.reply\r\n\r\n")
            eventually(lambda: of.value("matchcloud_requests_in_flight") > 0)
        eventually(lambda: count() > before)

    stage.look(DURING, leave)
    of.heal()
    stage.look(AFTER)


def leases_lost(stage):
    with bucket() as objects:
        of = stage.start(*objects.flags)
        stage.look(BEFORE)
        objects.takes.clear()
        lost = threading.Thread(target=of.export)
        lost.start()
        eventually(objects.holds.is_set)
        stage.end(how=signal.SIGKILL)
        lost.join()
        objects.takes.set()
        of = stage.start(*objects.flags)
        status, body = of.export()
        assert status == 200, body
        stage.look(DURING)
        stage.look(AFTER)
        stage.end_all()


def bucket_failing(stage):
    with bucket() as objects:
        of = stage.start(*objects.flags)
        stage.look(BEFORE)
        objects.refuses.set()
        stage.look(DURING, of.export)
        objects.refuses.clear()
        stage.look(AFTER)
        stage.end_all()


def bound_nearly_reached(stage):
    most = 10
    of = stage.start("--max-connections", str(most), "--connection-share-percent", "100")
    stage.look(BEFORE)
    idle = []

    def fill():
        """Opens connections. At the limit, the longest idle one makes room for each new one."""
        for _ in range(most):
            idle.append(of.connect())

    stage.look(DURING, fill)
    for each in idle:
        each.close()
    stage.look(AFTER)


def log_lines_dropped(stage):
    path = stage.path("log")
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(path, os.O_WRONLY)
    of = stage.start(log=writer)
    os.close(writer)

    def log():
        """Causes two lines: an actor died, and it is restarted."""
        of.fault("avatar.receive", kind="crash", once=True)
        of.avatars()

    stage.look(BEFORE, log)
    os.close(reader)
    stage.look(DURING, log)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    stage.look(AFTER, log)
    os.close(reader)
    stage.end_all()


CAUSES = {
    "MatchcloudStoreAway": store_away,
    "MatchcloudReplicasMissing": replicas_missing,
    "MatchcloudLeasesLost": leases_lost,
    "MatchcloudBucketFailing": bucket_failing,
    "MatchcloudBoundNearlyReached": bound_nearly_reached,
    "MatchcloudDiskFull": disk_full,
    "MatchcloudIngestionStopped": ingestion_stopped,
    "MatchcloudGeoipOld": geoip_old,
    "MatchcloudGeoipAbsent": geoip_absent,
    "MatchcloudCertificateExpires": certificate_expires,
    "MatchcloudRestartStorm": restart_storm,
    "MatchcloudRateLimitTableFull": rate_limit_table_full,
    "MatchcloudRequestsRefused": requests_refused,
    "MatchcloudProcessorWaits": processor_waits,
    "MatchcloudSheds": sheds,
    "MatchcloudClientsGone": clients_gone,
    "MatchcloudLogLinesDropped": log_lines_dropped,
}


def cause(name, demo, folder):
    """Checks that only this cause's alert fires while the cause lasts, and that it ends."""
    stage = Stage(demo, folder)
    try:
        CAUSES[name](stage)
    finally:
        stage.end_all()
    causes = firing(alerts_of("matchcloud-causes"))
    before, during, last = ((mark - 1) * MINUTES for mark in stage.marks)
    check(folder, name, stage.recording.test(MINUTES, [
        question(f"max_over_time({causes}[{before + 1}m])", before, []),
        question(f"max_over_time({causes}[{during - before}m])", during, [name]),
        question(f"max_over_time({causes}[{last + 1}m])", last, [name]),
        question(causes, last, [])]))


def burn(what, rule, demo, folder):
    """Checks, with an hour between two looks, that both burn rates of a symptom fire and no other
    alert: the fast one while the symptom lasts, the slow one until its window of 6 hours ends."""
    stage = Stage(demo, folder)
    try:
        of = stage.start()
        # Many requests, because a busy machine may make one of them slow.
        stage.look(BEFORE, lambda: of.regions_often(40))
        of.fault(**rule)
        # Ten an hour would not be enough.
        stage.look(DURING, lambda: of.regions_often(15))
        of.heal()
        stage.look(AFTER, lambda: of.regions_often(40))
    finally:
        stage.end_all()
    everything = firing(alerts_of("matchcloud-causes") + alerts_of("matchcloud-symptoms"))
    fast, slow = f"Matchcloud{what}BurnFast", f"Matchcloud{what}BurnSlow"
    before, during, last = ((mark - 1) * 60 for mark in stage.marks)
    check(folder, what, stage.recording.test(60, [
        question(f"max_over_time({everything}[{before + 1}m])", before, []),
        question(everything, during, [fast, slow]),
        question(everything, during + 100, [slow]),
        question(f"max_over_time({everything}[{last + 1}m])", last, [fast, slow]),
        question(everything, last, [])], interval=4))


BURNS = {
    "Availability": {"point": "region_ranking.receive", "kind": "error"},
    "Latency": {"point": "region_ranking.reply", "kind": "delay", "delay_ms": 120},
}


def tests(demo, folder):
    """Yields a name and a function for each test."""
    missing = set(alerts_of("matchcloud-causes")) ^ set(CAUSES)
    assert not missing, f"alerts without a test, or tests without an alert: {missing}"
    for name in CAUSES:
        yield f"{name} fires alone and ends", (
            lambda name=name: cause(name, demo, os.path.join(folder, name)))
    for what, rule in BURNS.items():
        yield f"{what} burns fast and slowly, then stops", (
            lambda what=what, rule=rule: burn(what, rule, demo, os.path.join(folder, what)))
