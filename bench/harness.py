"""What every part of script/bench needs: the build, the machine, child processes, the result."""
import argparse
import contextlib
import json
import os
import platform
import queue
import re
import signal
import subprocess
import sys
import threading

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
BUILD = os.path.join(ROOT, "build", "release")
BINARY = os.path.join(BUILD, "matchcloud")
STOP_SECONDS = 15


def refuse_other_builds():
    """Only an optimised build without sanitizers has numbers worth printing."""
    try:
        with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
            cache = dict(re.findall(r"^(\w+):\w+=(.*)$", file.read(), re.MULTILINE))
    except FileNotFoundError:
        sys.exit("bench: there is no build/release; script/bench builds it")
    if cache.get("CMAKE_BUILD_TYPE") != "Release" or cache.get("MATCHCLOUD_SANITIZE") == "ON":
        sys.exit("bench: build/release is no Release build: remove the folder and start again")


def run(command, stdout=subprocess.PIPE, **more):
    """Runs `command` to its end and returns what it printed; ends the benchmark where it fails."""
    done = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def add_parts(parser, known):
    """Adds the option --parts: which of `known` to measure, all by default."""
    def read(text):
        chosen = text.split(",")
        if not set(chosen) <= set(known):
            raise argparse.ArgumentTypeError(f"of {','.join(known)}")
        return chosen

    parser.add_argument("--parts", type=read, default=",".join(known), help="of %(default)s")


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.MULTILINE)
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"],
                            capture_output=True, text=True).stdout.strip()
    return {"cpu": model.group(1) if model else platform.machine(), "cores": os.cpu_count(),
            "kernel": platform.release(), "commit": commit,
            "load_before": os.getloadavg()[0]}


@contextlib.contextmanager
def process(name, command, log):
    """Runs `command`; yields it with `lines`, a queue of what it prints (None at its end).

    Ends it on the way out, and only it: politely, then after STOP_SECONDS for good.
    """
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace")
    child.lines = queue.Queue()

    def drain():
        with open(log, "w", encoding="utf-8") as file:
            for line in child.stdout:
                file.write(line)
                file.flush()
                child.lines.put(line)
        child.lines.put(None)

    reader = threading.Thread(target=drain, daemon=True)
    reader.start()
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            print(f"bench: {name} did not end within {STOP_SECONDS} s and was killed", flush=True)
            child.kill()
            child.wait()


def result_path(part):
    """Where the numbers of a part go; its folder is there."""
    folder = os.path.join(ROOT, "build", "bench")
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, f"{part}.json")


def write_result(part, result):
    """Replaces the numbers of a part, whole or not at all."""
    path = result_path(part)
    with open(path + ".aside", "w", encoding="utf-8") as file:
        json.dump(result, file, indent=2)
        file.write("\n")
    os.replace(path + ".aside", path)
    print(f"\nall rounds: {os.path.relpath(path, ROOT)}")


def run_part(main):
    """Calls `main`; ended from outside, it leaves through what stops the processes it started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
