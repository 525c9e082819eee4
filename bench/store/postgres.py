"""A PostgreSQL server for a measurement, and the SQL that psql runs in comparison."""
import contextlib
import os
import subprocess
import sys

import postgres_server
from harness import run
from postgres_server import url

BATCH = 5_000  # lobbies in a transaction, the same as in matchcloud


@contextlib.contextmanager
def server(folder):
    """Runs a server with its files in `folder`. Yields the folder of its socket, for `url`. The
    server syncs its commits, and has the memory settings of a small machine."""
    if postgres_server.programs() is None:
        sys.exit("bench: the PostgreSQL server is not installed: script/setup postgres")
    for path in (folder, os.path.dirname(folder)):  # the server's user must pass through
        os.chmod(path, os.stat(path).st_mode | 0o011)
    settings = ["shared_buffers=512MB", "max_wal_size=4GB", "work_mem=64MB"]
    with postgres_server.server(folder, settings) as home:
        yield home


def psql(home, database, script, stdout=subprocess.PIPE):
    return run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", url(home, database)], input=script,
               stdout=stdout)


MERGE = """INSERT INTO lobbies AS known (lobby_id, game_id, start_ts, stop_ts, kind)
SELECT lobby_id, game_id, start_ts, stop_ts, kind FROM staging ORDER BY lobby_id
ON CONFLICT (lobby_id) DO UPDATE SET start_ts = least(known.start_ts, excluded.start_ts),
  stop_ts = greatest(known.stop_ts, excluded.stop_ts)
WHERE known.kind = excluded.kind AND (excluded.start_ts < known.start_ts
  OR excluded.stop_ts > known.stop_ts
  OR (known.stop_ts IS NULL AND excluded.stop_ts IS NOT NULL));
"""


def merge_script(batches):
    """A script for psql that merges files of rows, each in a transaction."""
    lines = ["SET search_path = matchcloud;",
             "CREATE TEMP TABLE staging (lobby_id uuid, game_id uuid, start_ts bigint, "
             "stop_ts bigint, kind bigint) ON COMMIT DELETE ROWS;"]
    for path in batches:
        lines += ["BEGIN;", f"\\copy staging FROM '{path}' CSV", MERGE, "COMMIT;"]
    return "\n".join(lines)


# The selection of an export, with its order and columns.
SELECTION = """COPY (
SELECT l.lobby_id, k.namespace_id, n.name, k.region_id, r.region_display_name, k.tier,
  k.version_id, k.version_name, k.game_mode,
  to_char(to_timestamp(l.start_ts / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  to_char(to_timestamp(l.stop_ts / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  l.stop_ts - l.start_ts,
  greatest(0, least(coalesce(l.stop_ts, {now}), {end}) - greatest(l.start_ts, 0))
FROM lobbies l JOIN lobby_kinds k USING (kind) JOIN namespaces n USING (namespace_id)
  JOIN regions r USING (region_id)
WHERE l.game_id = '{game}' AND l.start_ts < {end} AND (l.stop_ts IS NULL OR l.stop_ts > 0)
ORDER BY l.start_ts, l.lobby_id) TO STDOUT CSV;
"""


def selection(game, end, now):
    return "SET search_path = matchcloud;\n" + SELECTION.format(game=game, end=end, now=now)
