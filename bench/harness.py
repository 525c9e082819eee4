"""What every part of script/bench needs: the build, the machine, child processes and results."""
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

import chart

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
BUILD = os.path.join(ROOT, "build", "release")
BINARY = os.path.join(BUILD, "matchcloud")
STOP_SECONDS = 15
CORES = sorted(os.sched_getaffinity(0))[:2]  # for the servers, for the load generator
LOAD_BEFORE = os.getloadavg()[0]


def refuse_other_builds():
    """Refuses builds that are not optimised or have sanitizers: their numbers mean nothing."""
    try:
        with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
            cache = dict(re.findall(r"^(\w+):\w+=(.*)$", file.read(), re.MULTILINE))
    except FileNotFoundError:
        sys.exit("bench: there is no build/release; script/bench builds it")
    if cache.get("CMAKE_BUILD_TYPE") != "Release" or cache.get("MATCHCLOUD_SANITIZE") == "ON":
        sys.exit("bench: build/release is not a Release build: remove the folder and start again")


def run(command, stdout=subprocess.PIPE, **more):
    """Runs `command` to its end and returns its output. If it fails, the benchmark ends."""
    done = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def positive(text):
    """For argparse: a count, at least 1."""
    if int(text) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return int(text)


def program(text):
    """For argparse: the path of a program."""
    path = os.path.abspath(text)
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(f"{text} is not a program. Name a build of matchcloud")
    return path


def parser_of(part, doc, rounds=5, seconds=5, connections=64):
    """The parser of a part's command line. It has the options that every part accepts, so that
    `script/bench all` can pass them on; not every part uses all of them."""
    parser = argparse.ArgumentParser(prog=f"script/bench {part}", description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default, what in (("rounds", rounds, "rounds for each server"),
                                ("seconds", seconds, "seconds of a round, if time ends it"),
                                ("connections", connections, "connections to a server")):
        parser.add_argument(f"--{name}", type=positive, default=default,
                            help=f"{what} (%(default)s)")
    parser.add_argument("--quick", action="store_true",
                        help="checks that everything runs: two rounds of a second, small sizes; do "
                             "not quote its numbers")
    return parser


def parsed(parser, **quick):
    """The arguments. With --quick, `quick` replaces the defaults."""
    if parser.parse_known_args()[0].quick:
        parser.set_defaults(**{"rounds": 2, "seconds": 1, **quick})
    return parser.parse_args()


def refuse_one_core():
    if len(CORES) < 2:
        sys.exit("bench: needs two cores, one for the server and one for the load generator")


def add_parts(parser, known):
    """Adds the option --parts: which of `known` to measure, all by default."""
    def read(text):
        chosen = text.split(",")
        if not set(chosen) <= set(known):
            raise argparse.ArgumentTypeError(f"choose from {','.join(known)}")
        return chosen

    parser.add_argument("--parts", type=read, default=",".join(known),
                        help="only these parts (%(default)s)")


def processors():
    """Which CPU each process is pinned to, in parts with servers."""
    return {"servers": CORES[0], "load generator": CORES[1]}


def processors_line(pinned):
    return "; ".join(f"{who}: {cpu if isinstance(cpu, str) else f'CPU {cpu}'}"
                     for who, cpu in pinned.items())


def machine(pinned):
    """Describes this machine. `pinned`: which CPU each process has, see processors()."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.MULTILINE)
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"],
                            capture_output=True, text=True).stdout.strip()
    return {"cpu": model.group(1) if model else platform.machine(), "cores": os.cpu_count(),
            "kernel": platform.release(), "commit": commit, "processors": pinned,
            "load_before": LOAD_BEFORE}


@contextlib.contextmanager
def process(name, command, log):
    """Runs `command`. Yields the process with `lines`, a queue of its output (None at its end).

    At the end of the block, ends the process, but not its children: with SIGTERM, and with SIGKILL
    after STOP_SECONDS.
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


def result_path(part, ending="json"):
    """The file for the numbers of a part. Creates its folder."""
    folder = os.path.join(ROOT, "build", "bench")
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, f"{part}.{ending}")


def write_aside(path, text):
    """Replaces a file as a whole or not at all."""
    with open(path + ".aside", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".aside", path)


def judged(what, value, at_least=None, at_most=None, doubt=""):
    """Prints whether a number meets its target. Returns what the summary reads. `doubt`: why the
    number means little, if something other than the servers limited it."""
    met = value >= at_least if at_most is None else value <= at_most
    wanted = f"at least {at_least}" if at_most is None else f"at most {at_most}"
    print(f"  {what}: {value:.2f}, target {wanted}: {'met' if met else 'MISSED'}"
          + (f", in doubt: {doubt}" if doubt else ""), flush=True)
    return {"what": what, "value": value, "target": wanted, "met": met, "doubt": doubt}


def write_result(part, arguments, pinned, result, panels, targets=()):
    """Writes the numbers of a part and its chart. `targets`: the results of judged()."""
    described = machine(pinned)
    options = {name: value for name, value in vars(arguments).items()
               if isinstance(value, (int, float, str, list))}
    whole = {"machine": described, "options": options, "targets": list(targets), **result}
    write_aside(result_path(part), json.dumps(whole, indent=2) + "\n")
    note = (f"{described['cpu']}, {processors_line(pinned)}; {described['commit']}; "
            f"{arguments.rounds} rounds" + ("; quick: do not quote numbers" * arguments.quick))
    write_aside(result_path(part, "svg"), chart.page(f"script/bench {part}", note, panels))
    print(f"\n{processors_line(pinned)}")
    print(f"all rounds: {os.path.relpath(result_path(part), ROOT)}, "
          f"chart: {os.path.relpath(result_path(part, 'svg'), ROOT)}")


def run_part(main):
    """Calls `main`. A signal ends it by an exception, which also ends the processes it started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
