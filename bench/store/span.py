"""`script/bench store --span`: an export of a fixed span of a game in PostgreSQL. Its time must not
depend on how many other lobbies the game has, so two databases are compared: one with --lobbies,
one with a hundredth of that.

The lobbies are made in the database: one per second, each lasting up to 42 s, in six duration
classes. The span is the hour before the last, with the same lobbies in both databases.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import chart
import openloop
import postgres
import rows
from harness import BINARY, judged, processors_line, result_path, run, write_result

TARGET = 1.5
PROCESSORS = {"all": "any CPU"}
STEP_MS = 1_000
HOUR = 3_600  # lobbies

FILL = """SET search_path = matchcloud;
SET synchronous_commit = off;
INSERT INTO lobby_kinds (namespace_id, region_id, tier, version_id, version_name, game_mode)
  SELECT namespace_id, 'fra', 'basic-1d1', namespace_id, '1.0', 'duel' FROM namespaces LIMIT 1;
DROP INDEX lobbies_by_class;
INSERT INTO lobbies (lobby_id, game_id, start_ts, stop_ts, kind) SELECT
  ('00000000-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, '{game}', {begin} + i * {step},
  {begin} + i * {step} + (1300 << (i % 6)::int), (SELECT max(kind) FROM lobby_kinds)
  FROM generate_series({first}::bigint, {last}) AS i;
{index};
VACUUM ANALYZE lobbies;
"""


def fill(home, database, catalog, game, count, last):
    postgres.psql(home, "postgres", f"CREATE DATABASE {database};")
    run([BINARY, "import", "catalog", "--store", postgres.url(home, database), catalog])
    index = postgres.psql(home, database, "SELECT pg_get_indexdef("
                                          "'matchcloud.lobbies_by_class'::regclass);").strip()
    postgres.psql(home, database, FILL.format(game=game, begin=rows.BEGIN_MS, step=STEP_MS,
                                              first=last - count + 1, last=last, index=index))


def export_seconds(home, database, game, last, output):
    end = rows.BEGIN_MS + (last - HOUR) * STEP_MS
    began = time.monotonic()
    run([BINARY, "export", "--game", game, "--start", str(end - HOUR * STEP_MS), "--end", str(end),
         "--store", postgres.url(home, database), "-o", output], stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def measure(arguments):
    count = arguments.lobbies
    sizes = {"few": max(4 * HOUR, count // 100), "many": count}
    document = rows.catalog(games=1)
    game = document["games"][0]["game_id"]
    seconds = {name: [] for name in sizes}
    found = {}
    with tempfile.TemporaryDirectory(dir=os.path.dirname(result_path("store"))) as folder:
        catalog = os.path.join(folder, "catalog.json")
        with open(catalog, "w", encoding="utf-8") as file:
            json.dump(document, file)
        with postgres.server(folder) as home:
            for name, size in sizes.items():
                fill(home, name, catalog, game, size, count)
            for _ in range(arguments.rounds):
                for name in sizes:
                    output = os.path.join(folder, f"{name}.csv")
                    seconds[name].append(export_seconds(home, name, game, count, output))
                    with open(output, "rb") as file:
                        found[name] = sum(1 for _ in file) - 1
    if found["few"] != found["many"]:
        sys.exit(f"bench: the exports differ: {found}")
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    print(f"an export of {found['many']:,} lobbies, medians of {arguments.rounds} rounds:")
    for name, size in sizes.items():
        print(f"  a game with {size:12,}  {1000 * medians[name]:8.1f} ms   "
              f"({1000 * min(seconds[name]):.1f} to {1000 * max(seconds[name]):.1f})")
    print(f"  {processors_line(PROCESSORS)}")
    ratio = medians["many"] / medians["few"]
    target = judged("an export from many lobbies, to one from few", ratio, at_most=TARGET)
    panel = chart.bars(f"An export of {found['many']:,} lobbies", "ms", {
        "": [openloop.bar(f"from {sizes[name]:,}", [{"ms": 1000 * each} for each in seconds[name]],
                          "ms") for name in sizes]})
    write_result("store-span", arguments, PROCESSORS,
                 {"sizes": sizes, "exported": found["many"], "seconds": seconds,
                  "medians": medians, "ratio": ratio}, [panel], [target])
