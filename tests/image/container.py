"""Runs a program in the unpacked root of an image, as a container runtime would.

The root is read-only. Processes, network, mounts, IPC and host name have their own namespaces. The
program has no capabilities and can gain none. It can only write to `mounts`.
"""
import dataclasses
import http.client
import os
import select
import shlex
import signal
import ssl
import subprocess
import tempfile
import time

PATIENCE_S = 30

# The arguments are the root, a script for mounts, and the command.
LAUNCH = """
set -eu
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=0755 tmpfs "$root/dev"
for device in null zero random urandom; do
  touch "$root/dev/$device"
  mount --bind /dev/$device "$root/dev/$device"
done
eval "$2"
ip link set lo up
shift 2
exec "$@"
"""


@dataclasses.dataclass(frozen=True)
class User:
    uid: int
    gid: int

    def confined(self, command):
        """The command as this user, without any capability."""
        return ["/usr/bin/setpriv", f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups",
                "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--", *command]


def volume(path, user, mode="0770"):
    """A script that mounts an empty folder owned by the user."""
    options = f"uid={user.uid},gid={user.gid},mode={mode}"
    return f'mount -t tmpfs -o {options} tmpfs "$root"{path}'


def files(folder, contents, group, mode):
    """A script that mounts files as Kubernetes mounts a Secret, owned by root and the group."""
    target = f'"$root"{folder}'
    steps = [f"mkdir -p {target}", f"mount -t tmpfs -o mode=0755 tmpfs {target}"]
    for name, text in contents.items():
        file = f"{target}/{name}"
        steps += [f"printf %s {shlex.quote(text)} >{file}", f"chown 0:{group} {file}",
                  f"chmod {mode:o} {file}"]
    return "\n".join([*steps, f"mount -o remount,ro {target}"])


class Container:
    """A running container. `with` ends it."""

    def __init__(self, root, command, environment, user, mounts=()):
        self.root, self.environment, self.user = root, environment, user
        self.log = tempfile.TemporaryFile("w+")
        self.output = ""
        self.launcher = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork",
             "--kill-child=KILL", "bash", "-c", LAUNCH, "launch", root, "\n".join(mounts),
             *self.environed(["chroot", root, *user.confined(command)])],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Ending the launcher would not end the program, because a change of user undoes
        # --kill-child. The end of the first process ends all others in its namespace.
        if self.launcher.poll() is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except (IndexError, FileNotFoundError, ProcessLookupError):
                self.launcher.kill()
        self.launcher.wait()
        self.launcher.stdout.close()
        self.log.close()

    def environed(self, command):
        return ["env", "-i", *(f"{name}={value}" for name, value in self.environment.items()),
                *command]

    @property
    def pid(self):
        """The process id outside of process 1 inside."""
        launcher = self.launcher.pid
        with open(f"/proc/{launcher}/task/{launcher}/children", encoding="utf-8") as children:
            return int(children.read().split()[0])

    def errors(self):
        self.log.seek(0)
        return self.log.read()

    def wait_for_output(self, text):
        """Returns stdout once it contains the text. Raises if it ends before, or takes too long."""
        until = time.monotonic() + PATIENCE_S
        source = self.launcher.stdout.fileno()
        while text not in self.output:
            ready, _, _ = select.select([source], [], [], max(0, until - time.monotonic()))
            found = os.read(source, 65536) if ready else b""
            if not found:
                raise AssertionError(f"no \"{text}\" in: {self.output}\n{self.errors()}")
            self.output += found.decode()
        return self.output

    def wait_until(self, holds):
        """Waits until `holds` returns true. Raises if the process ends before, or on timeout."""
        until = time.monotonic() + PATIENCE_S
        while not holds():
            try:
                self.launcher.wait(0.05)
            except subprocess.TimeoutExpired:
                pass
            if self.launcher.returncode is not None or time.monotonic() > until:
                raise AssertionError(f"the condition is still false; the log: {self.errors()}")

    def wait_for_log(self, text):
        """Returns the log once it contains the text."""
        self.wait_until(lambda: text in self.errors())
        return self.errors()

    def wait(self):
        """Waits for the end. Returns the exit code."""
        return self.launcher.wait(PATIENCE_S)

    def stop(self):
        """Sends SIGTERM. Returns the exit code, and the seconds until the end."""
        begun = time.monotonic()
        os.kill(self.pid, signal.SIGTERM)
        return self.wait(), time.monotonic() - begun

    def run(self, *command):
        """Runs a command inside, as `docker exec` does."""
        inside = ["nsenter", f"--target={self.pid}", "--mount", "--pid", "--net", "--ipc", "--uts",
                  "--root", "--wd", *self.user.confined(command)]
        return subprocess.run(self.environed(inside), capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)

    def ask(self, port, method, path, body=None, secure=False, headers=None):
        """Sends a request from the container's network. Returns the status and the body."""
        with open(f"/proc/{self.pid}/ns/net", encoding="utf-8") as there:
            return in_network(there.fileno(), lambda: exchange(port, method, path, body, secure,
                                                              headers or {}))

    def status(self, name):
        """The values of a line in the process's /proc/PID/status."""
        with open(f"/proc/{self.pid}/status", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].split() for line in lines if line.startswith(name))


def exchange(port, method, path, body, secure, headers):
    if secure:
        # Like the kubelet, accepts any certificate.
        made = http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE_S,
                                           context=ssl._create_unverified_context())
    else:
        made = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    made.request(method, path, body, headers)
    answer = made.getresponse()
    result = answer.status, answer.read().decode()
    made.close()
    return result


def in_network(there, act):
    """Calls `act` with this thread in another network namespace."""
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    clone_newnet = 0x40000000
    with open("/proc/thread-self/ns/net", encoding="utf-8") as here:
        try:
            if libc.setns(there, clone_newnet) != 0:
                raise OSError(ctypes.get_errno(), "setns")
            return act()
        finally:
            libc.setns(here.fileno(), clone_newnet)
