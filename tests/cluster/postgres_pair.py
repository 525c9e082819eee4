"""A PostgreSQL server and optionally its standby, which has all acknowledged data:

    python3 tests/cluster/postgres_pair.py run FOLDER HOST:PORT[,HOST:PORT] SETTING..
    python3 tests/cluster/postgres_pair.py fail-over FOLDER

`run` makes them in FOLDER, prints their URL, and ends them after SIGTERM or SIGINT. Without HOST,
they only listen on sockets in FOLDER. `fail-over` kills the primary, promotes the standby and makes
the other server the new standby. Tests can do these steps separately with `Pair`.
"""
import glob
import os
import shutil
import signal
import subprocess
import sys

sys.path.append(os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "servers"))
import postgres_server
from postgres_server import USER

NETWORK = "10.213.0.0/24"  # which may connect, besides this machine


class Member(postgres_server.Server):
    """One of the two servers. A file has its settings, so that other processes can restart it."""

    def __init__(self, home):
        super().__init__(home, os.path.join(home, "data"))

    def begin(self, place, settings):
        host, port = place.split(":")
        with open(f"{self.home}/settings", "w", encoding="utf-8") as file:
            file.write("\n".join([f"listen_addresses={host}", f"port={port}", *settings]))
        self.begin_again()

    def begin_again(self):
        self.start(self.settings())

    def settings(self):
        with open(f"{self.home}/settings", encoding="utf-8") as file:
            return file.read().splitlines()

    def setting(self, name):
        return dict(each.split("=", 1) for each in self.settings())[name]

    def exists(self):
        return os.path.exists(f"{self.data}/PG_VERSION")

    def is_standby(self):
        return os.path.exists(f"{self.data}/standby.signal")

    def local_address(self):
        return f"host={self.home} port={self.setting('port')} user={USER}"

    def ask(self, sql):
        asked = subprocess.run([f"{postgres_server.programs()}/psql", "-XAtq", "-v",
                                "ON_ERROR_STOP=1", "-d", f"{self.local_address()} dbname=postgres"],
                               input=sql, capture_output=True, text=True, timeout=60)
        if asked.returncode != 0:
            raise RuntimeError(asked.stderr)
        return asked.stdout.strip()

    def kill(self):
        """Kills the server (-9) and removes its data, as if its machine were lost. Its other
        processes end when they notice."""
        with open(f"{self.data}/postmaster.pid", encoding="utf-8") as file:
            lines = file.read().splitlines()
        os.kill(int(lines[0]), signal.SIGKILL)
        subprocess.run(["ipcrm", "-m", lines[6].split()[1]], check=False)
        for lock in glob.glob(f"{self.home}/.s.*"):  # a zombie process would seem to hold it
            os.remove(lock)
        shutil.rmtree(self.data, ignore_errors=True)

    def copy(self, primary):
        """Becomes the standby of `primary`, which then only acknowledges what both have."""
        self.run("pg_basebackup", "-D", self.data, "-d", primary.local_address(), "-R", "-c",
                 "fast", "-N")


class Pair:
    def __init__(self, folder):
        self.members = [Member(os.path.join(folder, name)) for name in ("1", "2")]

    def primary(self):
        return next(each for each in self.members if each.exists() and not each.is_standby())

    def standby(self):
        return next((each for each in self.members if each.is_standby()), None)

    def promote(self):
        """Promotes the standby, which accepts writes when this returns."""
        self.standby().control("promote")

    def join(self, member, begin):
        """Copies the primary to `member`, which `begin` starts as its standby."""
        primary = self.primary()
        member.copy(primary)
        begin()
        primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.ask("SELECT pg_reload_conf()")

    def rebuild(self):
        """Makes the killed server the standby of the promoted one."""
        killed = next(each for each in self.members if not each.exists())
        self.join(killed, killed.begin_again)


def url(members):
    ports = ",".join(each.setting("port") for each in members)
    hosts = [each.setting("listen_addresses") or each.home for each in members]
    return f"postgresql:///postgres?host={','.join(hosts)}&port={ports}&user={USER}"


def run(folder, places, settings):
    pair = Pair(folder)
    members = pair.members[:len(places)]
    postgres_server.own(folder)
    try:
        for each in members:
            os.mkdir(each.home)
            postgres_server.own(each.home)
        first, *second = members
        first.create()
        with open(f"{first.data}/pg_hba.conf", "a", encoding="utf-8") as file:
            file.write(f"host all all {NETWORK} trust\n")
        first.begin(places[0], settings)
        for each in second:
            pair.join(each, lambda: each.begin(places[1], settings))
        print(url(members), flush=True)
        signal.pause()
    finally:
        for each in members:
            each.stop()
        shutil.rmtree(folder, ignore_errors=True)


def fail_over(folder):
    pair = Pair(folder)
    pair.primary().kill()
    pair.promote()
    pair.rebuild()


if __name__ == "__main__":
    if sys.argv[1] == "fail-over":
        fail_over(sys.argv[2])
    else:
        signal.signal(signal.SIGTERM, postgres_server.leave)
        signal.signal(signal.SIGINT, postgres_server.leave)
        run(sys.argv[2], sys.argv[3].split(","), sys.argv[4:])
