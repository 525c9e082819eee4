"""What happens to the cluster, and when: a plan that depends only on its seed."""
import random
import signal
import threading

import cluster
import postgres_pair

BACK = 30  # seconds within which a replica that ended serves again


class Event:
    """`begin` and `end` are called with a replica. Between them, for as long as the plan says,
    something is unavailable. Events with `takes` put a replica out of service, so others must be
    ready."""

    def __init__(self, name, begin, end=None, takes=False):
        self.name, self.begin, self.end, self.takes = name, begin, end, takes


def signalled(number):
    return lambda replica: cluster.send(replica, number)


def commanded(text):
    return lambda replica: cluster.command(text.format(replica))


def take_over(replica):
    before = cluster.pid_of(replica)
    cluster.command(f"take-over {replica}")
    cluster.until("a take-over", lambda: cluster.pid_of(replica) not in (0, before), BACK)


class Database:
    """Kills the primary and promotes its standby. A new standby is made in the background."""

    def __init__(self):
        self._pair = postgres_pair.Pair(cluster.POSTGRES)
        self._rebuilding = None

    def kill(self, _):
        self.settle()
        self._pair.primary().kill()

    def promote(self, _):
        self._pair.promote()
        self._rebuilding = threading.Thread(target=self._pair.rebuild)
        self._rebuilding.start()

    def settle(self):
        if self._rebuilding:
            self._rebuilding.join()

    def ask(self, sql):
        return self._pair.primary().ask(sql)

    def exists(self):
        return self._pair.standby() is not None


class Size:
    """Adds a replica, and then removes it, so that the number is the same in the end."""

    def __init__(self):
        self._base = len(cluster.replicas())
        self._more = False

    def change(self, _):
        self._more = not self._more
        cluster.command("add" if self._more else "remove")
        if self._more:
            cluster.until("a new replica", lambda: cluster.is_ready(self._base + 1), BACK)
        else:
            cluster.until("the end of the last replica",
                          lambda: len(cluster.replicas()) == self._base, BACK)

    def restore(self):
        if self._more:
            self.change(None)


def all_events(database, size, while_paused, kill):
    """Every kind of event. `while_paused` is called while a replica is stopped."""
    def pause(replica):
        cluster.send(replica, signal.SIGSTOP)
        while_paused()
    found = [
        Event("kill -9 during a download", kill, takes=True),
        Event("pause", pause, signalled(signal.SIGCONT), takes=True),
        Event("restart", signalled(signal.SIGTERM), takes=True),
        Event("take-over", take_over),
        Event("one replica more or less", size.change),
        Event("one replica more or less, again", size.change),
        Event("reload of the balancer", lambda _: cluster.reload_balancer()),
    ]
    if cluster.HAS_CUTS:
        for what in ("database", "bucket"):
            for how in ("refused", "silent"):
                found.append(Event(f"cut off from the {what}, {how}",
                                   commanded(f"cut {{}} {what} {how}"), commanded("mend {}"),
                                   takes=True))
    if database.exists():
        found.append(Event("the primary is killed, the standby promoted", database.kill,
                           database.promote))
    return found


def plan(seed, events):
    """Yields without end: the pause before the event in seconds, the event, the choice among the
    possible replicas (0 to 1), and how many seconds the event lasts. No kind of event is repeated
    before all others have happened."""
    chance = random.Random(seed)
    while True:
        chance.shuffle(events)
        for event in events:
            yield chance.uniform(0.5, 4), event, chance.random(), chance.uniform(0.5, 8)
