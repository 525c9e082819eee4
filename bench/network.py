"""Clients with addresses of their own: network namespaces, connected to this machine by a bridge. A
server on this machine sees remote clients and limits them. Only root can make them."""
import contextlib
import fcntl
import os
import subprocess
import sys

BRIDGE = "mcbench"
PREFIX = "10.213.1"  # script/cluster uses 10.213.0
SERVER = f"{PREFIX}.1"
FIRST_CLIENT = 11
CLIENTS_LIMIT = 200
LOCK = "/run/lock/matchcloud-bench"


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench: ip {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def namespace(name):
    return f"{BRIDGE}-{name}"


def inside(name):
    """The start of a command that runs as the client `name`."""
    return ["ip", "netns", "exec", namespace(name)]


def remove():
    """Removes what this benchmark made, or one that was killed left behind."""
    for line in ip("-o", "link", "show", "type", "veth").splitlines():
        device = line.split(": ")[1].split("@")[0]
        if device.startswith(f"{BRIDGE}."):
            ip("link", "delete", device)
    for line in ip("netns", "list").splitlines():
        if line.split()[0].startswith(namespace("")):
            ip("netns", "delete", line.split()[0])
    if subprocess.run(["ip", "link", "show", BRIDGE], capture_output=True).returncode == 0:
        ip("link", "delete", BRIDGE)


def add_client(number, name):
    device = f"{BRIDGE}.{number}"
    ip("netns", "add", namespace(name))
    ip("link", "add", device, "type", "veth", "peer", "name", "eth0", "netns", namespace(name))
    ip("link", "set", device, "master", BRIDGE, "up")
    ip("-n", namespace(name), "addr", "add", f"{PREFIX}.{FIRST_CLIENT + number}/24", "dev", "eth0")
    ip("-n", namespace(name), "link", "set", "lo", "up")
    ip("-n", namespace(name), "link", "set", "eth0", "up")


def is_possible():
    return os.geteuid() == 0


@contextlib.contextmanager
def clients(names):
    """Makes a namespace with an address for each of `names`. The server has the address SERVER."""
    assert len(names) <= CLIENTS_LIMIT
    with open(LOCK, "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"bench: another benchmark uses the network {PREFIX}.0/24")
        try:
            remove()
            # With its own address; otherwise it would have the address of a port, and change with
            # the ports.
            ip("link", "add", BRIDGE, "address", "02:00:00:00:01:01", "type", "bridge")
            ip("addr", "add", f"{SERVER}/24", "dev", BRIDGE)
            ip("link", "set", BRIDGE, "up")
            for number, name in enumerate(names):
                add_client(number, name)
            yield
        finally:
            remove()
