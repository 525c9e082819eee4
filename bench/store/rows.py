"""Lobbies for a measurement: as JSON Lines, and as CSV with the table's column values."""
import itertools
import json
import os
import random
import uuid

BEGIN_MS = 1767225600000  # 2026-01-01T00:00:00Z
STEP_MS = 26  # between two new lobbies: a million in seven hours
MEAN_MS = 15 * 60 * 1000
RUNNING_PERCENT = 1
GAMES = 4
VERSIONS = 5
MODES = ("deathmatch", "duel", "team")
REGIONS = ("fra", "iad", "nrt", "syd")


def catalog(seed=1, games=GAMES):
    """A catalog document of `games` games with two namespaces each."""
    ids = random.Random(seed)
    return {
        "regions": [{"region_id": each, "region_display_name": each, "provider_display_name": "P",
                     "datacenter_coord": {"latitude": 0, "longitude": 0}} for each in REGIONS],
        "games": [{"game_id": new_uuid(ids), "display_name": f"Game {number}",
                   "namespaces": [{"namespace_id": new_uuid(ids), "name": name}
                                  for name in ("prod", "test")]}
                  for number in range(games)]}


def new_uuid(ids):
    return str(uuid.UUID(int=ids.getrandbits(128), version=4))


def new_lobby_uuid(draw, begin_ms, by_time):
    """A random id, or one of version 7: it begins with the time."""
    bits = draw.getrandbits(128)
    if not by_time:
        return uuid.UUID(int=bits, version=4)
    random_part = bits & ~(0xF << 76) & ~(3 << 62) & ((1 << 80) - 1)
    return uuid.UUID(int=begin_ms << 80 | 7 << 76 | 2 << 62 | random_part)


def write(count, document, json_path, csv_path=os.devnull, seed=2, step_ms=STEP_MS,
          mean_ms=MEAN_MS, ids_by_time=False):
    """Writes `count` lobbies in the order of their starts, the same for the same seeds.

    A lobby starts every `step_ms` and lasts `mean_ms` on average.

    In the CSV, ids are texts of sixteen characters, which `.import` can read. They have as many
    bytes as the ids that matchcloud stores. The CSV has no NULL, so running lobbies have a stop,
    too.
    """
    draw = random.Random(seed)
    game_of = {space["namespace_id"]: game["game_id"] for game in document["games"]
               for space in game["namespaces"]}
    versions = [(new_uuid(draw), f"1.{number}") for number in range(VERSIONS)]
    kinds = list(itertools.product(game_of, REGIONS, versions, MODES))
    games = dict.fromkeys(game_of.values())
    short = {game: f"game{number:012}" for number, game in enumerate(games)}
    with open(json_path, "w") as lines, open(csv_path, "w") as rows:
        for number in range(count):
            space, region, (version_id, version_name), mode = kinds[draw.randrange(len(kinds))]
            start = BEGIN_MS + number * step_ms
            lobby_id = new_lobby_uuid(draw, start, ids_by_time)
            stop = start + int(draw.expovariate(1 / mean_ms)) + 1000
            running = draw.randrange(100) < RUNNING_PERCENT
            line = {"lobby_id": str(lobby_id), "namespace_id": space, "region_id": region,
                    "tier": "basic-1d1", "version_id": version_id, "version_name": version_name,
                    "game_mode": mode, "start_ts": start}
            if not running:
                line["stop_ts"] = stop
            lines.write(json.dumps(line, separators=(",", ":")) + "\n")
            duration_class = -1 if running else (stop - start).bit_length() - 1
            rows.write(f"{short[game_of[space]]},{duration_class},{start},{lobby_id.hex[:16]},"
                       f"{stop},{number % len(kinds) + 1}\n")
