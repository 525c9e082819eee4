#!/usr/bin/env python3
"""Tests the Debian package on a Debian 12 that boots: installs, upgrades, breaks and removes it:
tests/deb/run.py OLDER.deb NEWER.deb FOLDER [WORD..]

The packages are made from the same tree with different versions. FOLDER keeps the file system of
the Debian between runs. Words choose the tests whose names contain them. The last line has the
counts. script/test deb calls this, as root.
"""
import contextlib
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs"))

import machine
import page_rules
from machine import until

UNIT = "matchcloud.service"
DATA, OPS = "http://127.0.0.1:8080", "http://127.0.0.1:8081"
CONFIG = "/etc/matchcloud/matchcloud.toml"
DROP_IN = f"/etc/systemd/system/{UNIT}.d/test.conf"
STORE = "/var/lib/matchcloud"
# The highest exposure that `systemd-analyze security` may report, in tenths.
EXPOSURE = 15


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def equal(found, wanted, what):
    check(found == wanted, f"{what} is {found!r}, not {wanted!r}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Package:
    """The tests, in this order. Each starts with what the previous one left."""

    def __init__(self, debian, older, newer):
        self._debian, self._older, self._newer = debian, older, newer
        self._name = os.path.basename(newer)

    # Helpers.

    def _install(self, package):
        inside = f"/root/{os.path.basename(package)}"
        machine.run(["cp", package, self._debian.path(inside)])
        return self._debian.run("apt-get", "install", "-y", "-q", "--allow-downgrades", inside)

    def _upgrade_is_refused(self, why):
        """The new program refuses to start, apt shows why, and the old process keeps serving."""
        before, older = self._process(), self._version()
        start = time.monotonic()
        said = self._install(self._newer)
        check(why in said, f"apt does not say {why}:\n{said}")
        check(f"process {before} keeps serving" in said, f"apt does not say who serves:\n{said}")
        check("restarting the service" not in said, f"the service was restarted:\n{said}")
        check(time.monotonic() - start < 50, "apt waited for the new program")
        equal(self._process(), before, "the main process")
        equal(self._version(), older, "the version that serves")
        equal(self._debian.property("NRestarts"), "0", "the number of restarts")
        self._until_serving()

    def _process(self):
        return int(self._debian.property("MainPID"))

    def _until_serving(self):
        until("the service is ready", lambda: self._debian.ask(OPS + "/readyz")[0] == 200)

    def _version(self):
        return json.loads(self._debian.ask(OPS + "/v1/version")[1])["version"]

    def _in_force(self, key):
        """The value of a configuration key in the service."""
        keys = json.loads(self._debian.ask(OPS + "/v1/config")[1])["keys"]
        return next(each["value"] for each in keys if each["name"] == key)

    @contextlib.contextmanager
    def _load(self):
        """Runs clients during the block. Yields a dictionary that then has their report."""
        clients = subprocess.Popen(
            self._debian.command("python3", "-B", os.path.join(os.path.dirname(__file__),
                                 "clients.py"), "127.0.0.1", "8080", "/matchmaker/regions",
                                 only_network=True),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        report = {}
        try:
            time_of_load()
            yield report
            time_of_load()
        finally:
            report.update(json.loads(clients.communicate("", timeout=60)[0]))

    @contextlib.contextmanager
    def _drop_in(self, text):
        self._debian.write(DROP_IN, text)
        self._debian.run("systemctl", "daemon-reload")
        try:
            yield
        finally:
            os.remove(self._debian.path(DROP_IN))
            self._debian.run("systemctl", "daemon-reload")
            self._debian.status("systemctl", "reset-failed", UNIT)
            self._debian.run("systemctl", "restart", UNIT)
            self._until_serving()

    @contextlib.contextmanager
    def _config(self, more):
        """Adds lines to the configuration during the block."""
        before = read(self._debian.path(CONFIG))
        self._debian.write(CONFIG, more + "\n" + before)
        try:
            yield
        finally:
            self._debian.write(CONFIG, before)

    # Tests.

    def lintian_has_no_errors_or_warnings(self):
        folder = os.path.dirname(self._newer)
        dbgsym = [os.path.join(folder, each) for each in os.listdir(folder)
                  if each.startswith("matchcloud-dbgsym_") and
                  each.split("_")[1] == self._name.split("_")[1]]
        check(dbgsym, "there is no package of debug symbols")
        machine.run(["lintian", "--allow-root", "--fail-on", "error,warning", self._newer, *dbgsym])

    def the_package_has_the_runbook_of_each_alert_and_what_its_pages_link_to(self):
        with tempfile.TemporaryDirectory() as folder:
            machine.run(["dpkg-deb", "--extract", self._newer, folder])
            root = os.path.join(folder, "usr/share/doc/matchcloud")
            rules = read(os.path.join(root, "examples/prometheus/rules.yml"))
            urls = re.findall(r"runbook_url: file://(/\S+)#(\S+)", rules)
            check(urls, "no alert has a runbook in the package")
            equal(len(urls), rules.count("- alert: "), "the number of runbooks")
            for path, anchor in urls:
                check(anchor in page_rules.anchors_of(read(folder + path)),
                      f"{path} has no section {anchor}")
            pages = glob.glob("**/*.md", root_dir=root, recursive=True)
            check("docs/guides/upgrade.md" in pages, f"the pages are {pages}")
            wrong = [f"{page}:{line}: {finding}" for page in pages for line, finding in
                     page_rules.link_findings(root, page, read(os.path.join(root, page)))]
            equal(wrong, [], "what is wrong with links")

    def an_installed_package_serves(self):
        for program in ("g++", "node", "npm", "python3"):
            check(self._debian.status("sh", "-c", f"command -v {program}")[0] != 0,
                  f"{program} is installed, so this test could not show that it is not needed")
        said = self._install(self._older)
        check("GeoIP data is not included" in said, f"GeoIP data is not mentioned:\n{said}")
        self._until_serving()
        equal(self._debian.property("ActiveState"), "active", "the unit")
        equal(self._debian.property("User"), "matchcloud", "the unit's user")
        equal(self._debian.run("stat", "-c", "%U:%G %a", STORE).strip(),
              "matchcloud:matchcloud 700", STORE)
        equal(self._debian.run("systemctl", "is-enabled", UNIT).strip(), "enabled", "the unit")
        check(f"{STORE}" in self._debian.run("cat", CONFIG), f"{CONFIG} does not name {STORE}")
        self._debian.run("matchcloud", "health", OPS + "/readyz")
        status, page = self._debian.ask(OPS + "/")
        check(status == 200 and "<html" in page, f"the console returned {status}: {page[:200]}")

    def doctor_finds_no_error_next_to_the_service(self):
        """As README.Debian and the pages call it, and as root. The limits are the unit's."""
        process = self._process()
        command = ["matchcloud", "doctor", "--config", CONFIG]
        limits = self._debian.run("cat", f"/proc/{process}/limits")
        limit = re.search(r"^Max open files +\d+ +(\d+)", limits, re.MULTILINE).group(1)
        as_user = self._debian.run("runuser", "-u", "matchcloud", "--", *command)
        as_root = self._debian.run(*command)
        for said in (as_user, as_root):
            check("\n0 errors, " in said, f"doctor finds errors:\n{said}")
            for address in (DATA, OPS):
                served = f"{address.removeprefix('http://')} is served by process {process},"
                check(served in said, f"doctor does not say that {served}:\n{said}")
            check(f"RLIMIT_NOFILE of process {process} is {limit}" in said,
                  f"doctor does not read the unit's limit:\n{said}")

    def programs_have_completion_and_manual_pages(self):
        for program in ("matchcloud", "matchcloud-load"):
            self._debian.run("bash", "-n", f"/usr/share/bash-completion/completions/{program}")
            # In a minimal Debian, dpkg omits manual pages, but the package has them.
            listed = self._debian.run("dpkg", "--listfiles", "matchcloud")
            check(f"/usr/share/man/man1/{program}.1.gz\n" in listed, f"no page of {program}")

    def the_sandbox_is_tight(self):
        self._debian.run("systemd-analyze", "security", "--no-pager", f"--threshold={EXPOSURE}",
                         "--offline=true", UNIT)

    def the_sandbox_leaves_what_the_service_needs(self):
        self._debian.run("matchcloud", "demo", "--data-dir", STORE, "--until", "2026-02-01")
        until("the demo's regions",
              lambda: '"lon"' in self._debian.ask(DATA + "/matchmaker/regions")[1])
        said = self._debian.run(
            "matchcloud", "export", "--url", DATA, "--game", "00000000-0000-4000-8000-000000000001",
            "--start", "2026-01-02T00:00:00Z", "--end", "2026-01-03T00:00:00Z", "-o", "/root/d.csv")
        check("347 lobbies" in said, f"the export printed {said}")
        equal(self._debian.property("LimitNOFILE"), "524288", "the limit of files")
        # Threads that write files have a lower priority.
        nice = self._debian.run("sh", "-c", "cut -d ' ' -f 19 /proc/$0/task/*/stat",
                                str(self._process())).split()
        check(any(int(each) > 0 for each in nice), f"no thread has lowered its priority: {nice}")
        log = self._debian.log_of()
        check("event loop" in log and "this process may use" in log, f"no processors in:\n{log}")
        check("denied" not in log and "not permitted" not in log, f"the log:\n{log}")

    def a_reload_takes_up_the_configuration(self):
        before = self._process()
        with self._config('log-level = "error"'):
            self._debian.run("systemctl", "reload", UNIT)
            equal(self._in_force("log-level"), "error", "log-level")
        self._debian.run("systemctl", "reload", UNIT)
        equal(self._in_force("log-level"), "info", "log-level")
        equal(self._process(), before, "the main process")
        equal(self._debian.property("ActiveState"), "active", "the unit")

    def a_reload_of_a_wrong_configuration_fails_and_changes_nothing(self):
        before = self._process()
        with self._config('no-such-key = "1"'):
            check(self._debian.status("systemctl", "reload", UNIT)[0] != 0, "the reload succeeds")
        equal(self._process(), before, "the main process")
        self._until_serving()

    def an_upgrade_with_a_wrong_configuration_replaces_nothing(self):
        before = self._process()
        with self._config('no-such-key = "1"'):
            self._upgrade_is_refused("no-such-key")
            equal(self._debian.status("/usr/lib/matchcloud/replace-service")[0], 2,
                  "the exit code of replace-service")
            equal(self._process(), before, "the main process")
        # The caller may export a name that the script uses.
        self._debian.run("env", "old=1", "/usr/lib/matchcloud/replace-service")
        check(self._process() != before, "the corrected configuration does not let it take over")
        self._install(self._older)

    def an_upgrade_with_a_wrong_certificate_replaces_nothing(self):
        """The certificate is named in the environment of the unit only."""
        folder = "/etc/matchcloud/tls"
        self._debian.run("matchcloud", "tls", "self-signed", "--out-dir", folder)
        self._debian.run("chown", "-R", "matchcloud:matchcloud", folder)
        try:
            with self._drop_in("[Service]\n"
                               f"Environment=MATCHCLOUD_TLS_CERT={folder}/cert.pem\n"
                               f"Environment=MATCHCLOUD_TLS_KEY={folder}/key.pem\n"
                               "Environment=MATCHCLOUD_LISTEN=127.0.0.1:8443/tls,127.0.0.1:8080\n"):
                self._debian.run("systemctl", "restart", UNIT)
                self._until_serving()
                self._debian.write(f"{folder}/cert.pem", "no certificate\n")
                self._upgrade_is_refused(f"{folder}/cert.pem")
        finally:
            self._debian.run("rm", "-r", folder)
            self._install(self._older)

    def an_upgrade_whose_store_is_away_replaces_nothing(self):
        with self._config('store = "postgresql://127.0.0.1:1/matchcloud"'):
            self._upgrade_is_refused("cannot connect")
        self._install(self._older)

    def an_upgrade_of_a_process_that_cannot_be_found_is_not_held_back(self):
        """Somebody has removed the socket at which successors ask."""
        before = self._process()
        self._debian.run("sh", "-c", f"rm {STORE}/take-over-*.sock")
        said = self._install(self._newer)
        check("restarting the service" in said, f"the service was not restarted:\n{said}")
        check(self._process() != before, "the process is the same")
        self._until_serving()
        self._install(self._older)

    def an_upgrade_under_load_loses_no_request(self):
        before, older = self._process(), self._version()
        with self._load() as report:
            said = self._install(self._newer)
        print(f"  upgrade: {json.dumps(report)}")
        check(self._version() != older, f"version {older} still serves")
        check(self._process() != before, "the process is the same")
        check("restarting the service" not in said, f"the service was restarted:\n{said}")
        equal(self._debian.property("NRestarts"), "0", "the number of restarts")
        check(report["requests"] > 100, f"hardly any load: {report}")
        equal(report["failures"], {}, "what failed")

    def credentials_and_low_ports_come_by_a_drop_in(self):
        self._debian.run("matchcloud", "tls", "self-signed", "--out-dir", "/root/tls")
        self._debian.run("chmod", "600", "/root/tls/key.pem")
        with self._drop_in("[Service]\n"
                           "LoadCredential=tls-cert:/root/tls/cert.pem\n"
                           "LoadCredential=tls-key:/root/tls/key.pem\n"
                           "Environment=MATCHCLOUD_TLS_CERT=%d/tls-cert\n"
                           "Environment=MATCHCLOUD_TLS_KEY=%d/tls-key\n"
                           "Environment=MATCHCLOUD_LISTEN=127.0.0.1:443/tls,127.0.0.1:8080\n"
                           "AmbientCapabilities=CAP_NET_BIND_SERVICE\n"
                           "CapabilityBoundingSet=CAP_NET_BIND_SERVICE\n"
                           "PrivateUsers=no\n"):
            self._debian.run("systemctl", "restart", UNIT)
            self._until_serving()
            equal(self._debian.ask("https://127.0.0.1/ping", "--cacert",
                                   self._debian.path("/root/tls/cert.pem"))[0], 204, "/ping by TLS")

    def event_loops_that_hang_end_the_service(self):
        with self._drop_in("[Service]\nWatchdogSec=2\n"):
            self._debian.run("systemctl", "restart", UNIT)
            before = self._process()
            os.kill(self._outside(before), signal.SIGSTOP)
            until("the watchdog", lambda: self._process() not in (0, before))
            self._until_serving()
            check("Watchdog timeout" in self._debian.log_of(), self._debian.log_of())

    def _outside(self, process):
        """The process id outside of a process of the machine."""
        for each in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{each}/status", encoding="ascii") as f:
                numbers = re.search(r"^NSpid:\s+(.*)$", f.read(), re.MULTILINE).group(1).split()
                if numbers[1:] == [str(process)] and self._is_matchcloud(each):
                    return int(each)
        raise RuntimeError(f"process {process} of the machine was not found outside")

    @staticmethod
    def _is_matchcloud(process):
        with open(f"/proc/{process}/comm", encoding="ascii") as comm:
            return comm.read().startswith("matchcloud")

    def a_service_that_crashes_again_and_again_is_started_again(self):
        for _ in range(7):
            process = self._process()
            self._debian.run("systemctl", "kill", "--kill-who=main", "--signal=SEGV", UNIT)
            until("the restart", lambda before=process: self._process() not in (0, before))
            self._until_serving()
        check("crash: SIGSEGV" in self._debian.log_of(), self._debian.log_of())

    def a_wrong_configuration_is_not_tried_again(self):
        with self._config('no-such-key = "1"'):
            check(self._debian.status("systemctl", "restart", UNIT)[0] != 0, "the service starts")
            equal(self._debian.property("ActiveState"), "failed", "the unit")
            equal(self._debian.property("ExecMainStatus"), "2", "its exit code")
            status = self._debian.status("systemctl", "status", "--no-pager", UNIT)[1]
            check("no-such-key" in status, f"the status does not name the key:\n{status}")
        self._debian.run("systemctl", "restart", UNIT)
        self._until_serving()

    def removing_keeps_the_data(self):
        self._debian.run("apt-get", "remove", "-y", "-q", "matchcloud")
        equal(self._debian.property("ActiveState"), "inactive", "the unit")
        self._debian.run("test", "-s", f"{STORE}/matchcloud.db", "-a", "-s", CONFIG)
        self._debian.run("test", "!", "-e", "/usr/bin/matchcloud")

    def what_was_removed_can_be_installed_again(self):
        self._install(self._newer)
        self._until_serving()
        check('"lon"' in self._debian.ask(DATA + "/matchmaker/regions")[1], "the data is gone")

    def purging_leaves_nothing_but_the_user(self):
        self._debian.run("apt-get", "purge", "-y", "-q", "matchcloud")
        for path in (STORE, "/etc/matchcloud", f"/lib/systemd/system/{UNIT}"):
            self._debian.run("test", "!", "-e", path)
        self._debian.run("getent", "passwd", "matchcloud")


def time_of_load():
    """Waits a second, in which only the load happens."""
    machine.select.select([], [], [], 1)


def tests_of(package):
    return [(name.replace("_", " "), getattr(package, name)) for name in vars(Package)
            if not name.startswith("_")]


def failure_of(test):
    """Why a test failed; empty if it passed."""
    try:
        test()
        return ""
    except (AssertionError, RuntimeError, subprocess.SubprocessError, OSError, ValueError) as wrong:
        return str(wrong) or repr(wrong)


@contextlib.contextmanager
def memory_folder():
    """A folder in memory. Mounts in it are removed with it."""
    place = tempfile.mkdtemp(prefix="matchcloud-deb-")
    machine.run(["mount", "-t", "tmpfs", "tmpfs", place])
    try:
        yield place
    finally:
        machine.run(["umount", "--recursive", "--lazy", place])
        os.rmdir(place)


def main():
    older, newer, folder = map(os.path.abspath, sys.argv[1:4])
    wanted = sys.argv[4:]
    passed, failed = 0, 0
    start = time.monotonic()
    root = machine.made_root("bookworm", newer, folder)
    print(f"deb: making the file system took {time.monotonic() - start:.1f} s", flush=True)
    with memory_folder() as place, machine.Machine(root, place) as debian:
        for name, test in tests_of(Package(debian, older, newer)):
            if wanted and not any(each in name for each in wanted):
                continue
            start, wrong = time.monotonic(), failure_of(test)
            print(f"{'FAILED' if wrong else 'ok    '}  {name} ({time.monotonic() - start:.1f} s)",
                  f": {wrong}" if wrong else "", sep="", flush=True)
            failed += bool(wrong)
            passed += not wrong
    print(f"deb: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
