#!/usr/bin/env python3
"""Replicas that are killed at once are all started again: script/cluster loses none of them.

    script/cluster --once tests/cluster/kills.py [--rounds N]

run.py does the same before its chaos, which has one replica away at a time.
"""
import argparse
import signal
import sys
import time

sys.dont_write_bytecode = True
import cluster

BACK = 30  # seconds; a replica starts again after 2
SETTLED = 2  # seconds; script/cluster gives a replica up that ends sooner again and again


def kill_together(killed):
    """Kills these at once and waits until all of them serve again."""
    begin = time.monotonic()
    cluster.until("a while", lambda: time.monotonic() > begin + SETTLED, 2 * SETTLED)
    before = {each: cluster.pid_of(each) for each in killed}
    for each in killed:
        cluster.send(each, signal.SIGKILL)
    cluster.until(f"new processes of the replicas {killed}, killed at once", lambda: all(
        cluster.pid_of(each) not in (0, before[each]) and cluster.is_ready(each)
        for each in killed), BACK)


def kill_in_rounds(rounds):
    """Each pair of neighbours in turn, then all of them."""
    every = cluster.replicas()
    for number in range(rounds):
        kill_together([every[(number + more) % len(every)] for more in range(2)])
    kill_together(every)


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("--rounds", type=int, default=10)
    rounds = reader.parse_args().rounds
    kill_in_rounds(rounds)
    print(f"passed: two replicas killed at once, {rounds} times, then all, came back")


if __name__ == "__main__":
    main()
