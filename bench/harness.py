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

import chart

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
BUILD = os.path.join(ROOT, "build", "release")
BINARY = os.path.join(BUILD, "matchcloud")
STOP_SECONDS = 15
CORES = sorted(os.sched_getaffinity(0))[:2]  # the servers', what loads them
LOAD_BEFORE = os.getloadavg()[0]


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


def positive(text):
    """What argparse reads a count with."""
    if int(text) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return int(text)


def program(text):
    """What argparse reads the path of a program with."""
    path = os.path.abspath(text)
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(f"{text} is not a program. Name a built matchcloud")
    return path


def parser_of(part, doc, rounds=5, seconds=5, connections=64):
    """The parser of a part's command line, with the options that every part takes, so that
    `script/bench all` can hand them on; not every part has a use for all of them."""
    parser = argparse.ArgumentParser(prog=f"script/bench {part}", description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default, what in (("rounds", rounds, "of each server"),
                                ("seconds", seconds, "of a round, where it is time that ends it"),
                                ("connections", connections, "that load a server")):
        parser.add_argument(f"--{name}", type=positive, default=default,
                            help=f"{what} (%(default)s)")
    parser.add_argument("--quick", action="store_true",
                        help="whether everything runs: two rounds of a second, small sizes; its "
                             "numbers are none to quote")
    return parser


def parsed(parser, **quick):
    """The arguments; asked to be quick, with `quick` in place of the defaults."""
    if parser.parse_known_args()[0].quick:
        parser.set_defaults(**{"rounds": 2, "seconds": 1, **quick})
    return parser.parse_args()


def refuse_one_core():
    if len(CORES) < 2:
        sys.exit("bench: needs two cores, one for the server and one for what loads it")


def add_parts(parser, known):
    """Adds the option --parts: which of `known` to measure, all by default."""
    def read(text):
        chosen = text.split(",")
        if not set(chosen) <= set(known):
            raise argparse.ArgumentTypeError(f"of {','.join(known)}")
        return chosen

    parser.add_argument("--parts", type=read, default=",".join(known), help="of %(default)s")


def processors():
    """Which CPU each process is pinned to, as parts with servers have them."""
    return {"servers": CORES[0], "load generator": CORES[1]}


def processors_line(pinned):
    return "; ".join(f"{who}: {cpu if isinstance(cpu, str) else f'CPU {cpu}'}"
                     for who, cpu in pinned.items())


def machine(pinned):
    """`pinned`: which CPU each process has, see processors()."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.MULTILINE)
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"],
                            capture_output=True, text=True).stdout.strip()
    return {"cpu": model.group(1) if model else platform.machine(), "cores": os.cpu_count(),
            "kernel": platform.release(), "commit": commit, "processors": pinned,
            "load_before": LOAD_BEFORE}


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


def result_path(part, ending="json"):
    """Where the numbers of a part go; its folder is there."""
    folder = os.path.join(ROOT, "build", "bench")
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, f"{part}.{ending}")


def write_aside(path, text):
    """Replaces a file, whole or not at all."""
    with open(path + ".aside", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".aside", path)


def judged(what, value, at_least=None, at_most=None, doubt=""):
    """Prints whether a number is where it should be; what the summary reads of it. `doubt`: why it
    says little, where something other than the servers limited it."""
    met = value >= at_least if at_most is None else value <= at_most
    wanted = f"at least {at_least}" if at_most is None else f"at most {at_most}"
    print(f"  {what}: {value:.2f}, target {wanted}: {'met' if met else 'MISSED'}"
          + (f", in doubt: {doubt}" if doubt else ""), flush=True)
    return {"what": what, "value": value, "target": wanted, "met": met, "doubt": doubt}


def write_result(part, arguments, pinned, result, panels, targets=()):
    """Writes the numbers of a part and its chart. `targets`: what judged() gave."""
    described = machine(pinned)
    options = {name: value for name, value in vars(arguments).items()
               if isinstance(value, (int, float, str, list))}
    whole = {"machine": described, "options": options, "targets": list(targets), **result}
    write_aside(result_path(part), json.dumps(whole, indent=2) + "\n")
    note = (f"{described['cpu']}, {processors_line(pinned)}; {described['commit']}; "
            f"{arguments.rounds} rounds" + ("; quick: no number to quote" * arguments.quick))
    write_aside(result_path(part, "svg"), chart.page(f"script/bench {part}", note, panels))
    print(f"\n{processors_line(pinned)}")
    print(f"all rounds: {os.path.relpath(result_path(part), ROOT)}, "
          f"chart: {os.path.relpath(result_path(part, 'svg'), ROOT)}")


def run_part(main):
    """Calls `main`; ended from outside, it leaves through what stops the processes it started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
