"""The attackers of script/bench fairness --parts attacks: what each sends, and from where."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile

import network
import openloop
import servers
from harness import CORES

END_SECONDS = 15
PING_CONNECTIONS = 4_000
# More than one core can answer, and near the rate that the limit of an address allows forever.
BODIES = {"rate": 1_110, "connections": 2_000, "bytes": 17_000, "members": 1_001}
# By default, the limit of a token is 5,000/s and of an address 1,000/s.
TOKEN = {"rate": 1_000, "connections": 400, "bytes": 6_000, "members": 350}
TOKEN_ADDRESSES = 5
HELLOS = {"rate": 2_300, "connections": 1_000}
HELLOS_PROGRAM = os.path.join(os.path.dirname(__file__), "hellos.py")
# All network namespaces.
NAMES = ("bodies", "pings", "hellos", *(f"token-{number}" for number in range(TOKEN_ADDRESSES)))
# On the load generators' core, the honest client has the highest priority. The server has no
# real-time priority, because if it were busy all the time it would stop for 50 ms of each second
# (sched_rt_runtime_us).
FIRST = ("chrt", "--rr", "1")
SHARED = ("chrt", "--other", "0")
LAST = (*SHARED, "nice", "-n", "5")


def body(of):
    """A version of about `of["bytes"]` with `of["members"]` unknown members. They are nested deep,
    where they cost most, because each is compared with the members that are known there."""
    name_bytes = round(of["bytes"] / of["members"]) - len('"":1,')
    members = {f"m{number}".ljust(name_bytes, "x"): 1 for number in range(of["members"])}
    mode = {"docker": {"ports": {"game": members}}}
    version = {"display_name": "attack", "config": {"matchmaker": {"game_modes": {"duel": mode}}}}
    return json.dumps(version, separators=(",", ":"))


def write_mixes(folder):
    """{attack: the options with which matchcloud-load sends its bodies}"""
    options = {}
    for name, of in (("bodies", BODIES), ("token", TOKEN)):
        with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as file:
            file.write(body(of))
        path = os.path.join(folder, f"{name}.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'[[operation]]\nname = "versions.validate"\nbody_file = "{name}.json"\n')
        options[name] = ("--mix", path, "--rate", of["rate"])
    return options


@contextlib.contextmanager
def running(name, command):
    """Runs a process in the namespace of `name` until the end of the block, where SIGINT ends it.
    Yields a dictionary that then contains what the process printed."""
    said = {}
    command = [*LAST, *network.inside(name), *map(str, command)]
    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.STDOUT)
        try:
            yield said
            if child.poll() is not None:
                output.seek(0)
                sys.exit(f"bench: {' '.join(command)} ended: {output.read()[-2000:]}")
            child.send_signal(signal.SIGINT)
            child.wait(END_SECONDS)
            output.seek(0)
            said["text"] = output.read()
        finally:
            child.kill()
            child.wait()


@contextlib.contextmanager
def versions(server, name, of, options, token_file):
    """Sends versions by matchcloud-load as the client `name`."""
    with tempfile.TemporaryDirectory(prefix="matchcloud-bench-") as folder:
        path = os.path.join(folder, "report.json")
        if token_file:
            options = (*options, "--token-file", token_file)
        command = openloop.command_of(server.plain, openloop.LONG_SECONDS, of["connections"],
                                      options, path)
        with running(name, command) as made:
            yield made
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        made.update({"sent": report["sent"], "by_status": report["by_status"],
                     "errors": {kind: count for kind, count in report["errors"].items() if count}})


def token_of(server, number):
    return server.game_tokens[number] if server.game_tokens else None


def bodies(stack, server, mixes):
    return {"bodies": stack.enter_context(versions(
        server, "bodies", BODIES, mixes["bodies"], token_of(server, 0)))}


def token(stack, server, mixes):
    return {name: stack.enter_context(versions(
        server, name, TOKEN, mixes["token"], token_of(server, 1)))
        for name in NAMES if name.startswith("token-")}


def pings(stack, server, _):
    return {"pings": stack.enter_context(running("pings", servers.pinned(CORES[1]) + [
        "wrk", "-t1", f"-c{PING_CONNECTIONS}", f"-d{openloop.LONG_SECONDS}s", "--timeout", "10s",
        server.plain.url + "/ping"]))}


def hellos(stack, server, _):
    return {"hellos": stack.enter_context(running("hellos", servers.pinned(CORES[1]) + [
        sys.executable, "-B", HELLOS_PROGRAM, server.tls.host, server.tls.port,
        HELLOS["rate"], HELLOS["connections"]]))}


def mixed(stack, server, mixes):
    made = {}
    for attack in (bodies, token, pings, hellos):
        made.update(attack(stack, server, mixes))
    return made
