"""Lobbies that the test makes up and reports, and the CSV that their export must return."""
import datetime
import itertools
import json
import uuid

HEADER = ("lobby_id,namespace_id,namespace_name,region_id,region_name,tier,version_id,version_name,"
          "game_mode,start_ts,stop_ts,total_uptime_ms,query_uptime_ms\r\n")
REGIONS = {"lon": "London", "bom": "Mumbai"}  # in the demo data
EPOCH_MS = 1_748_736_000_000  # 2025-06-01, when the demo data has nothing
SLOT_MS = 3_600_000


def moment(ms):
    at = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=ms)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}Z"


class Game:
    """A game of the test. Each lobby lies within a slot of an hour."""

    def __init__(self, number):
        self.id = str(uuid.UUID(int=0xc4a05_0000_4000_8000_0000_0000_0000 + number))
        self.namespace = str(uuid.UUID(int=0xc4a05_0000_4000_8000_0001_0000_0000 + number))
        self.name = f"chaos-{number}"
        self.lobbies = []

    def documents(self):
        """The documents that create the game, by their paths on the ops plane."""
        yield f"/v1/games/{self.id}", {"display_name": f"Chaos {self.name}"}
        yield f"/v1/namespaces/{self.namespace}", {"game_id": self.id, "name": self.name}

    def make(self, chance, slot, count):
        """`count` new lobbies in the slot, which are not in `lobbies` yet."""
        base = EPOCH_MS + slot * SLOT_MS
        for _ in range(count):
            start = base + chance.randrange(SLOT_MS - 1)
            yield Lobby(self, str(uuid.UUID(int=chance.getrandbits(128), version=4)),
                        chance.choice(sorted(REGIONS)), chance.choice(["duel", "a \"b\", c"]),
                        start, start + chance.randrange(base + SLOT_MS - start))

    def csv(self, start, end):
        alive = [each for each in self.lobbies if each.is_alive(start, end)]
        alive.sort(key=lambda each: (each.start, each.id))
        return (HEADER + "".join(each.row(start, end) for each in alive)).encode()


class Lobby:
    VERSION = "00000000-0000-4000-8000-0000000000c5"

    def __init__(self, game, lobby_id, region, mode, start, stop):
        self.game, self.id, self.region, self.mode = game, lobby_id, region, mode
        self.start, self.stop = start, stop

    def line(self, start, stop):
        said = {"lobby_id": self.id, "namespace_id": self.game.namespace,
                "region_id": self.region, "tier": "basic-1d1", "version_id": self.VERSION,
                "version_name": "1.0", "game_mode": self.mode, "start_ts": start}
        if stop is not None:
            said["stop_ts"] = stop
        return json.dumps(said)

    def whole(self):
        return self.line(self.start, self.stop)

    def parts(self):
        """Two reports that only together have both the start and the stop."""
        later = min(self.start + 1000, self.stop)
        return self.line(self.start, None), self.line(later, self.stop)

    def is_alive(self, start, end):
        return start < end and self.start < end and (
            self.stop > start or self.start == self.stop == start)

    def row(self, start, end):
        mode = f'"{self.mode.replace(chr(34), chr(34) * 2)}"' if "," in self.mode else self.mode
        within = min(self.stop, end) - max(self.start, start)
        return ",".join([self.id, self.game.namespace, self.game.name, self.region,
                         REGIONS[self.region], "basic-1d1", self.VERSION, "1.0", mode,
                         moment(self.start), moment(self.stop), str(self.stop - self.start),
                         str(within)]) + "\r\n"


def batched(lines, size):
    lines = iter(lines)
    while batch := list(itertools.islice(lines, size)):
        yield "\n".join(batch) + "\n"
