"""Data directories with a history of lobbies, and exports of them by the command and by a service.
The data directories are made once and kept in build/bench/export/ (10 million lobbies: 2 GB)."""
import contextlib
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import rows
import servers
from harness import BINARY, CORES, result_path, run

STEP_MS = 8640  # 10,000 lobbies a day
MEAN_MS = 3 * 3600 * 1000
FAR = 4_000_000_000_000  # after every lobby


class history:
    """A data directory with `count` lobbies of one game, made when it is first needed."""

    def __init__(self, count):
        self.count = count
        self.document = rows.catalog(games=1)
        self.game = self.document["games"][0]["game_id"]
        self.path = os.path.join(os.path.dirname(result_path("export")), "export", str(count))
        if not os.path.isdir(self.path):
            self.make()

    def make(self):
        print(f"bench: making a history of {self.count:,} lobbies", file=sys.stderr, flush=True)
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        aside = tempfile.mkdtemp(prefix="making-", dir=os.path.dirname(self.path))
        try:
            catalog, lines = os.path.join(aside, "catalog"), os.path.join(aside, "lines")
            data = os.path.join(aside, "data")
            with open(catalog, "w", encoding="utf-8") as file:
                json.dump(self.document, file)
            rows.write(self.count, self.document, lines, step_ms=STEP_MS, mean_ms=MEAN_MS)
            for kind, name in ("catalog", catalog), ("lobbies", lines):
                run([BINARY, "import", kind, "--data-dir", data, name], stdout=subprocess.DEVNULL)
            os.rename(data, self.path)
        finally:
            shutil.rmtree(aside)


def command_seconds(of, begin, end, output):
    began = time.monotonic()
    run([BINARY, "export", "--data-dir", of.path, "--game", of.game, "--start", str(begin),
         "--end", str(end), "-o", output])
    return time.monotonic() - began


def post_export(address, game, begin, end):
    """Requests an export from a service. Returns its URL, once the file exists."""
    client = http.client.HTTPConnection(address.host, address.port, timeout=600)
    client.request("POST", f"/cloud/games/{game}/matchmaker/lobbies/export-history",
                   json.dumps({"query_start": begin, "query_end": end}),
                   {"Content-Type": "application/json"})
    answer = client.getresponse()
    body = answer.read()
    client.close()
    if answer.status != 200:
        sys.exit(f"bench: export-history returned {answer.status}: {body[:300]!r}")
    return json.loads(body)["url"]


@contextlib.contextmanager
def serving(folder, of, lifetime_ms, data=None, more=()):
    """A service on a history, or on its copy `data`. Its exports are removed at the end. `more`:
    further options."""
    path = data or of.path
    flags = ["--export-limit-bytes", str(1 << 37), "--export-url-lifetime-ms", str(lifetime_ms)]
    try:
        with servers.matchcloud(BINARY, "loops", folder, [], core=CORES[0], data=path,
                                arguments=[*flags, *more]) as server:
            yield server
    finally:
        shutil.rmtree(os.path.join(path, "exports"), ignore_errors=True)
