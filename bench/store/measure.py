#!/usr/bin/env python3
"""Lobbies per second into a store: `matchcloud import lobbies` against `sqlite3 .import`, and
`POST /v1/lobbies`.

sqlite3 only inserts rows whose final column values are already in a CSV file. Its table and index
by id are those of a store, except that the table is not STRICT and ids are texts of the same
sixteen bytes, because `.import` reads texts. The journal and synchronous modes are the same.
sqlite3 does not read JSON, check, merge or look anything up, and it uses one transaction;
matchcloud does all of that in transactions below 200 ms. Both start without a file and end with
everything on disk. Rounds are interleaved (matchcloud, sqlite3, post, matchcloud, ...), so that
whatever else happens on the machine affects all sides.
"""
import contextlib
import json
import os
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time

import chart
import compare_postgres
import ingest
import openloop
import rows
import span
from harness import (BINARY, judged, parsed, parser_of, positive, processors_line,
                     refuse_other_builds, result_path, run, run_part, write_result)

TARGET = 0.6
PROCESSORS = {"all": "any CPU"}


def parsed_arguments():
    parser = parser_of("store", __doc__)
    parser.add_argument("--lobbies", type=positive,
                        help="lobbies in a round (1000000) or, with --span, in a game (5000000)")
    parser.add_argument("--postgres", action="store_true",
                        help="instead compare a store in PostgreSQL with psql and the embedded one")
    parser.add_argument("--span", action="store_true",
                        help="instead compare exports of a fixed span from PostgreSQL, for a game "
                             "with few and with many lobbies")
    parser.add_argument("--ids-by-time", action="store_true",
                        help="ids of version 7, which begin with the time, instead of random ones")
    arguments = parsed(parser, lobbies=100_000)
    arguments.lobbies = arguments.lobbies or (5_000_000 if arguments.span else 1_000_000)
    return arguments


class files:
    """The inputs of all rounds, in a folder next to the build: on the disk that is measured."""

    def __init__(self, folder, lobbies, ids_by_time):
        self.folder = folder
        self.catalog = os.path.join(folder, "catalog.json")
        self.lines = os.path.join(folder, "lobbies.jsonl")
        self.csv = os.path.join(folder, "lobbies.csv")
        self.schema = os.path.join(folder, "schema.sql")
        document = rows.catalog()
        with open(self.catalog, "w") as catalog_file:
            json.dump(document, catalog_file)
        rows.write(lobbies, document, self.lines, self.csv, ids_by_time=ids_by_time)
        with open(self.schema, "w") as schema_file:
            schema_file.write(self.schema_of_a_store())

    def schema_of_a_store(self):
        with self.data_directory() as data_dir:
            opened = sqlite3.connect(os.path.join(data_dir, "matchcloud.db"))
            found = opened.execute("SELECT sql FROM sqlite_schema WHERE tbl_name = 'lobbies' "
                                   "AND sql IS NOT NULL ORDER BY type DESC").fetchall()
            opened.close()
        statements = ";\n".join(sql for (sql,) in found).replace("STRICT, ", "")
        return f"PRAGMA journal_mode = WAL;\nPRAGMA synchronous = FULL;\n{statements};\n"

    @contextlib.contextmanager
    def data_directory(self):
        """A store with the catalog and no lobbies."""
        path = tempfile.mkdtemp(prefix="data-", dir=self.folder)
        run([BINARY, "import", "catalog", "--data-dir", path, self.catalog])
        yield path
        shutil.rmtree(path)


def matchcloud_seconds(inputs, lobbies):
    with inputs.data_directory() as data_dir:
        os.sync()
        begun = time.monotonic()
        out = run([BINARY, "import", "lobbies", "--data-dir", data_dir, inputs.lines])
        seconds = time.monotonic() - begun
    if f"{lobbies} lobbies accepted" not in out:
        sys.exit(f"bench: matchcloud did not import {lobbies} lobbies: {out}")
    return seconds


def sqlite_seconds(inputs, lobbies):
    path = tempfile.mkdtemp(prefix="sqlite-", dir=inputs.folder)
    database = os.path.join(path, "rows.db")
    os.sync()
    begun = time.monotonic()
    run(["sqlite3", "-bail", database, f".read {inputs.schema}", ".mode csv",
         f".import {inputs.csv} lobbies"])
    seconds = time.monotonic() - begun
    count = run(["sqlite3", database, "SELECT count(*) FROM lobbies"]).strip()
    shutil.rmtree(path)
    if count != str(lobbies):
        sys.exit(f"bench: sqlite3 imported {count} rows instead of {lobbies}")
    return seconds


def post_seconds(inputs, lobbies):
    with inputs.data_directory() as data_dir:
        return ingest.post_seconds(inputs.folder, inputs.lines, lobbies, ["--data-dir", data_dir])


SIDES = {"matchcloud": matchcloud_seconds, "sqlite3": sqlite_seconds, "post": post_seconds}


def main():
    arguments = parsed_arguments()
    refuse_other_builds()
    if arguments.span:
        span.measure(arguments)
        return
    if arguments.postgres:
        compare_postgres.compare(arguments)
        return
    rates = {name: [] for name in SIDES}
    with tempfile.TemporaryDirectory(dir=os.path.dirname(result_path("store"))) as folder:
        inputs = files(folder, arguments.lobbies, arguments.ids_by_time)
        for number in range(arguments.rounds):
            for name, seconds_of in SIDES.items():
                rate = arguments.lobbies / seconds_of(inputs, arguments.lobbies)
                rates[name].append(rate)
                print(f"round {number + 1}: {name} {rate:,.0f}/s", file=sys.stderr)
    medians = {name: statistics.median(each) for name, each in rates.items()}
    ratio = medians["matchcloud"] / medians["sqlite3"]
    print(f"lobbies per second, medians of {arguments.rounds} rounds of {arguments.lobbies:,}:")
    for name, label in (("matchcloud", "matchcloud import lobbies"),
                        ("sqlite3", "sqlite3 .import"), ("post", "POST /v1/lobbies")):
        print(f"  {label:26} {medians[name]:10,.0f}   "
              f"({min(rates[name]):,.0f} to {max(rates[name]):,.0f})")
    print(f"  {processors_line(PROCESSORS)}")
    target = judged("import to sqlite3 .import", ratio, at_least=TARGET)
    panel = chart.bars(f"Into a store, {arguments.lobbies:,} lobbies", "lobbies per second", {
        "": [openloop.bar(name, [{"rate": rate} for rate in each], "rate")
             for name, each in rates.items()]})
    write_result("store", arguments, PROCESSORS,
                 {"lobbies": arguments.lobbies, "rates": rates, "medians": medians,
                  "ratio": ratio}, [panel], [target])


if __name__ == "__main__":
    run_part(main)
