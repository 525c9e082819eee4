"""`script/bench store --postgres`: a store in PostgreSQL against PostgreSQL's own client.

ingest   `POST /v1/lobbies` against psql with the same lobbies, as final values of the columns and
         sorted by id. psql runs \\copy into a staging table and the same merge, in transactions of
         the same size. It reads no JSON, and checks and looks up nothing.
export   `matchcloud export` of one game against psql's COPY of the same selection as CSV.

Both are also compared with the embedded store. The server syncs its commits and runs on the same
machine.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import chart
import ingest
import openloop
import postgres
import rows
from harness import BINARY, judged, processors_line, result_path, run, write_result

INGEST_TARGET, EXPORT_TARGET = 0.8, 1.2
PROCESSORS = {"all": "any CPU"}
FAR_MS = 4_000_000_000_000


class inputs:
    """The lobbies of all rounds: as lines, and as a file of rows for each transaction of psql."""

    def __init__(self, folder, count):
        self.folder, self.count = folder, count
        self.document = rows.catalog()
        self.catalog = os.path.join(folder, "catalog.json")
        self.lines = os.path.join(folder, "lobbies.jsonl")
        self.key = os.path.join(folder, "master-key")
        with open(self.catalog, "w", encoding="utf-8") as file:
            json.dump(self.document, file)
        with open(os.open(self.key, os.O_CREAT | os.O_WRONLY, 0o600), "w",
                  encoding="utf-8") as file:
            file.write("5a" * 32)
        rows.write(count, self.document, self.lines)
        self.batches = list(self.write_batches())

    def write_batches(self):
        games = {space["namespace_id"]: game["game_id"] for game in self.document["games"]
                 for space in game["namespaces"]}
        kinds = {}
        batch = []
        with open(self.lines, encoding="utf-8") as lines:
            for line in lines:
                each = json.loads(line)
                kind = tuple(each[name] for name in ("namespace_id", "region_id", "version_id",
                                                     "game_mode"))
                number = kinds.setdefault(kind, len(kinds) + 1)
                batch.append(f"{each['lobby_id']},{games[each['namespace_id']]},"
                             f"{each['start_ts']},{each.get('stop_ts', '')},{number}\n")
                if len(batch) == postgres.BATCH:
                    yield self.write_batch(batch)
                    batch = []
        if batch:
            yield self.write_batch(batch)

    def write_batch(self, batch):
        path = tempfile.mktemp(prefix="batch-", dir=self.folder)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(sorted(batch))
        return path


def post(of, data_dir, store):
    """Sends all lobbies to a service. Returns the seconds."""
    arguments = ["--data-dir", data_dir, "--master-key-file", of.key]
    return ingest.post_seconds(of.folder, of.lines, of.count,
                               arguments + (["--store", store] if store else []))


def export(of, data_dir, store, game, output):
    began = time.monotonic()
    where = ["--store", store] if store else ["--data-dir", data_dir]
    run([BINARY, "export", "--game", game, "--start", "0", "--end", str(FAR_MS), *where,
         "-o", output], stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def copy_out(home, database, game, output):
    began = time.monotonic()
    with open(output, "w", encoding="utf-8") as file:
        postgres.psql(home, database, postgres.selection(game, FAR_MS, int(time.time() * 1000)),
                      stdout=file)
    return time.monotonic() - began


def line_count(path):
    with open(path, "rb") as file:
        return sum(1 for _ in file)


def one_round(of, home, number, seconds):
    names = [f"ours{number}", f"psql{number}"]
    for name in names:
        postgres.psql(home, "postgres", f"CREATE DATABASE {name};")
        run([BINARY, "import", "catalog", "--store", postgres.url(home, name), of.catalog])
    postgres.psql(home, "postgres", "CHECKPOINT;")
    with tempfile.TemporaryDirectory(prefix="data-", dir=of.folder) as data_dir:
        run([BINARY, "import", "catalog", "--data-dir", data_dir, of.catalog])
        seconds["POST, PostgreSQL"].append(post(of, data_dir, postgres.url(home, names[0])))
        postgres.psql(home, "postgres", "CHECKPOINT;")
        began = time.monotonic()
        postgres.psql(home, names[1], postgres.merge_script(of.batches))
        seconds["psql, copy and merge"].append(time.monotonic() - began)
        os.sync()
        seconds["POST, embedded"].append(post(of, data_dir, None))

        postgres.psql(home, names[0], "VACUUM ANALYZE matchcloud.lobbies;")
        game = of.document["games"][0]["game_id"]
        ours, theirs = (os.path.join(of.folder, each) for each in ("ours.csv", "theirs.csv"))
        seconds["export, PostgreSQL"].append(
            export(of, data_dir, postgres.url(home, names[0]), game, ours))
        seconds["psql, COPY out"].append(copy_out(home, names[0], game, theirs))
        if line_count(ours) != line_count(theirs) + 1:
            sys.exit("bench: psql selects a different number of rows than an export")
        seconds["export, embedded"].append(export(of, data_dir, None, game, ours))
    for name in names:
        postgres.psql(home, "postgres", f"DROP DATABASE {name};")
    return line_count(theirs)


def compare(arguments):
    names = ("POST, PostgreSQL", "psql, copy and merge", "POST, embedded", "export, PostgreSQL",
             "psql, COPY out", "export, embedded")
    seconds = {name: [] for name in names}
    exported = 0
    with tempfile.TemporaryDirectory(dir=os.path.dirname(result_path("store"))) as folder:
        of = inputs(folder, arguments.lobbies)
        with postgres.server(folder) as home:
            for number in range(arguments.rounds):
                exported = one_round(of, home, number, seconds)
                print(f"round {number + 1}: " + ", ".join(
                    f"{name} {each[-1]:.2f} s" for name, each in seconds.items()),
                    file=sys.stderr)
    counts = {name: of.count if "POST" in name or "merge" in name else exported for name in names}
    rates = {name: [counts[name] / each for each in seconds[name]] for name in names}
    medians = {name: statistics.median(each) for name, each in rates.items()}
    print(f"lobbies per second, medians of {arguments.rounds} rounds of {of.count:,} in and "
          f"{exported:,} out:")
    for name in names:
        print(f"  {name:22} {medians[name]:10,.0f}   "
              f"({min(rates[name]):,.0f} to {max(rates[name]):,.0f})")
    print(f"  {processors_line(PROCESSORS)}")
    ratios = {"ingest": medians["POST, PostgreSQL"] / medians["psql, copy and merge"],
              "export": medians["export, PostgreSQL"] / medians["psql, COPY out"]}
    targets = [judged("ingestion to psql's copy and merge", ratios["ingest"],
                      at_least=INGEST_TARGET),
               judged("export to psql's COPY", ratios["export"], at_least=EXPORT_TARGET)]
    panel = chart.bars(f"PostgreSQL, {of.count:,} lobbies", "lobbies per second", {
        "": [openloop.bar(name, [{"rate": rate} for rate in rates[name]], "rate")
             for name in names]})
    write_result("store-postgres", arguments, PROCESSORS,
                 {"lobbies": of.count, "rates": rates, "medians": medians, "ratios": ratios},
                 [panel], targets)
