-- The selection of an export of lobby history, as a user would write it for the sqlite3 shell
-- (`sqlite3 -csv -header`): the same rows, columns and order. To substitute, as text:
--   :game   the game's id, 32 hexadecimal digits without dashes
--   :begin, :end   the span, milliseconds since 1970; half-open
--   :now    the instant of the snapshot, milliseconds since 1970
-- The output differs from an export in line ends, and in quotes that RFC 4180 does not require.
WITH alive AS (
  SELECT hex(lobby_id) AS lobby, lobby_id, kind, start_ts, stop_ts,
         min(coalesce(stop_ts, :now), :end) - max(start_ts, :begin) AS query_uptime
  FROM lobbies
  WHERE game_id = x':game' AND start_ts < :end AND :begin < :end
    AND (stop_ts IS NULL OR stop_ts > :begin OR start_ts >= :begin)
),
kinds AS (
  SELECT kind, hex(namespace_id) AS namespace, name, region_id, region_display_name, tier,
         hex(version_id) AS version, version_name, game_mode
  FROM lobby_kinds JOIN namespaces USING (namespace_id) JOIN regions USING (region_id)
)
SELECT lower(substr(lobby, 1, 8) || '-' || substr(lobby, 9, 4) || '-' || substr(lobby, 13, 4)
             || '-' || substr(lobby, 17, 4) || '-' || substr(lobby, 21)) AS lobby_id,
       lower(substr(namespace, 1, 8) || '-' || substr(namespace, 9, 4) || '-'
             || substr(namespace, 13, 4) || '-' || substr(namespace, 17, 4) || '-'
             || substr(namespace, 21)) AS namespace_id,
       name AS namespace_name, region_id, region_display_name AS region_name, tier,
       lower(substr(version, 1, 8) || '-' || substr(version, 9, 4) || '-' || substr(version, 13, 4)
             || '-' || substr(version, 17, 4) || '-' || substr(version, 21)) AS version_id,
       version_name, game_mode,
       strftime('%Y-%m-%dT%H:%M:%fZ', start_ts / 1000.0, 'unixepoch') AS start_ts,
       strftime('%Y-%m-%dT%H:%M:%fZ', stop_ts / 1000.0, 'unixepoch') AS stop_ts,
       stop_ts - start_ts AS total_uptime_ms,
       max(0, query_uptime) AS query_uptime_ms
FROM alive JOIN kinds USING (kind)
ORDER BY alive.start_ts, alive.lobby_id;
