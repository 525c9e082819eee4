"""Tests alerts and dashboards with the real program and Debian's Prometheus: run.py FOLDER [WORD..]
runs the tests whose names contain a word. run.sh calls this."""
import concurrent.futures
import os
import subprocess
import sys
import time

import causes
import live
import pages
from service import run

AT_ONCE = 4


def outcome(name, test):
    """Runs a test and prints whether it passed. Returns that."""
    start, wrong = time.monotonic(), ""
    try:
        test()
    except (AssertionError, OSError, ValueError, TypeError, subprocess.SubprocessError) as failure:
        wrong = str(failure) or repr(failure)
    print(f"{'FAILED' if wrong else 'ok    '}  {name} ({time.monotonic() - start:.1f} s)"
          f"{': ' if wrong else ''}{wrong}", flush=True)
    return not wrong


def main():
    folder, words = sys.argv[1], sys.argv[2:]
    demo = os.path.join(folder, "demo")
    run("demo", "--data-dir", demo, "--until", "2026-02-01")
    known = [*causes.tests(demo, folder), *live.tests(demo, folder), *pages.tests()]
    wanted = [(name, test) for name, test in known
              if not words or any(each in name for each in words)]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as threads:
        passed = sum(threads.map(lambda test: outcome(*test), wanted))
    failed = len(wanted) - passed
    print(f"prometheus: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
