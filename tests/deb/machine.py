"""A Debian that boots: systemd and its services in their own namespaces, without a network. Nothing
of it remains afterwards. Needs root."""
import contextlib
import ctypes
import hashlib
import json
import os
import select
import shutil
import signal
import subprocess
import time

MIRROR = "http://deb.debian.org/debian"
PACKAGES = ["ca-certificates", "dbus", "systemd", "systemd-sysv"]
BOOT_SECONDS = 60
PR_SET_PDEATHSIG = 1


def run(command, **more):
    """Runs a command and returns its output. If it fails, raises with its output."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} exited with {done.returncode}:\n{done.stdout}")
    return done.stdout


def until(what, holds, seconds=20):
    """Waits until `holds` returns something true, and returns that."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not within {seconds} s")
        select.select([], [], [], 0.05)
    return found


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def made_root(release, package, folder):
    """The file system of a minimal Debian, with the dependencies of `package` downloaded but not
    installed. `folder` keeps it until the packages of either change."""
    depends = run(["dpkg-deb", "--field", package, "Depends", "Recommends"])
    kind = json.dumps([release, MIRROR, PACKAGES, depends])
    key = hashlib.sha256(kind.encode()).hexdigest()[:12]
    root = os.path.join(folder, f"root-{release}-{key}")
    if os.path.isdir(root):
        return root
    unfinished = root + ".unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    run(["mmdebstrap", "--mode=root", "--variant=minbase", "--format=directory", "--quiet",
         "--skip=cleanup/apt/lists", f"--include={','.join(PACKAGES)}", release, unfinished,
         MIRROR])
    inside = os.path.join(unfinished, "root", "matchcloud.deb")
    shutil.copy(package, inside)
    shutil.copy("/etc/resolv.conf", os.path.join(unfinished, "etc", "resolv.conf"))
    run(["chroot", unfinished, "apt-get", "install", "-qq", "--download-only",
         "/root/matchcloud.deb"])
    os.remove(inside)
    os.rename(unfinished, root)
    return root


class Machine:
    """Boots on `root`, which does not change, and ends with the `with` block. Use it in a separate
    mount namespace, whose end removes the mounts in `folder`."""

    def __init__(self, root, folder):
        self._folder = folder
        for name in ("changes", "work", "root"):
            os.makedirs(os.path.join(folder, name))
        self.root = os.path.join(folder, "root")
        run(["mount", "-t", "overlay", "overlay", "-o",
             f"lowerdir={root},upperdir={folder}/changes,workdir={folder}/work", self.root])
        self._log = open(os.path.join(folder, "boot.log"), "wb")

    def __enter__(self):
        environment = {**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "0"}
        if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
            del environment["SYSTEMD_NSPAWN_UNIFIED_HIERARCHY"]
        self._nspawn = subprocess.Popen(
            ["systemd-nspawn", "--directory", self.root, "--boot", "--register=no", "--keep-unit",
             "--console=pipe", "--private-network", f"--machine=matchcloud-{os.getpid()}"],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, env=environment,
            preexec_fn=die_with_parent)
        try:
            until("the boot", self._is_running, BOOT_SECONDS)
        except RuntimeError:
            self.end()
            with open(self._log.name, encoding="utf-8", errors="replace") as log:
                raise RuntimeError(f"the machine did not boot:\n{log.read()}") from None
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        with contextlib.suppress(ProcessLookupError):
            if self._nspawn.poll() is None and (leader := self._child()):
                os.kill(int(leader), signal.SIGKILL)
        try:
            self._nspawn.wait(10)
        except subprocess.TimeoutExpired:
            self._nspawn.kill()
            self._nspawn.wait()
        self._log.close()

    def _child(self):
        if self._nspawn.poll() is not None:
            raise RuntimeError("systemd-nspawn ended")
        task = f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children"
        with open(task, encoding="ascii") as children:
            return children.read().split(" ")[0]

    def _is_running(self):
        # The first child of systemd-nspawn only prepares the machine's process 1.
        self._leader = self._child()
        return self._leader != "" and self.status("systemctl", "is-system-running")[1].strip() in (
            "running", "degraded")

    def command(self, *words, only_network=False):
        """The command that runs `words` inside, or outside but on the machine's network."""
        kinds = ["--net"] if only_network else ["--mount", "--uts", "--ipc", "--net", "--pid"]
        return ["nsenter", "--target", self._leader, *kinds, "--", *words]

    def run(self, *words):
        """Runs a command inside and returns its output. Raises if it fails."""
        return run(self.command(*words), env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
                                              "DEBIAN_FRONTEND": "noninteractive"})

    def status(self, *words):
        """The exit code and output of a command inside."""
        done = subprocess.run(self.command(*words), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def property(self, name, unit="matchcloud.service"):
        return self.run("systemctl", "show", "--property", name, "--value", unit).strip()

    def path(self, inside):
        """The path outside of a file of the machine."""
        return self.root + inside

    def write(self, path, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(path), mode)

    def log_of(self, unit="matchcloud.service"):
        return self.run("journalctl", "--no-pager", "--output", "cat", "--unit", unit)

    def ask(self, url, *flags):
        """The status and body of a request, by the host's curl on the machine's network."""
        done = subprocess.run(
            self.command("curl", "-sS", "--max-time", "10", "-w", "\n%{http_code}", *flags, url,
                         only_network=True), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)
        body, _, status = done.stdout.rpartition("\n")
        return (int(status) if status.isdigit() else 0), body
