#include "store/sqlite/sqlite.hpp"

#include <array>
#include <string>

namespace matchcloud::store {

namespace {

/// SQLite's `application_id` of a store, the bytes "mcld".
constexpr std::int64_t application_id = 0x6D636C64;

constexpr auto reading_version = "read the database's version";

/// Ids are the sixteen bytes of the UUID. Times are milliseconds since 1970.
constexpr std::array sqlite_migrations{
    migration{schema_versions::baseline, R"sql(
      PRAGMA application_id = 0x6D636C64;

      -- The version itself is in the database's head, as user_version.
      CREATE TABLE schema_version (least_program INTEGER NOT NULL) STRICT;
      INSERT INTO schema_version VALUES (0); -- set by each migration

      CREATE TABLE revisions (
        name TEXT PRIMARY KEY,
        revision INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      INSERT INTO revisions VALUES ('catalog', 0), ('tokens', 0);

      -- One sequence per subject: what lies above a revision has moved since.
      CREATE TABLE game_revisions (
        subject TEXT NOT NULL, -- 'avatars', 'lobbies'
        game_id BLOB NOT NULL CHECK (length(game_id) = 16),
        revision INTEGER NOT NULL,
        PRIMARY KEY (subject, game_id)
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX game_revisions_in_order ON game_revisions (subject, revision);

      -- As in PostgreSQL, where many write at once: here rows come from a copy of such a store, and
      -- count as they did there.
      CREATE TABLE lobby_changes (
        game_id BLOB NOT NULL CHECK (length(game_id) = 16),
        writer BLOB NOT NULL CHECK (length(writer) = 16),
        changes INTEGER NOT NULL,
        PRIMARY KEY (game_id, writer)
      ) STRICT, WITHOUT ROWID;

      -- What is removed is hidden and stays for what refers to it: history, and a later return.
      CREATE TABLE regions (
        region_id TEXT PRIMARY KEY,
        region_display_name TEXT NOT NULL,
        provider_display_name TEXT NOT NULL,
        latitude REAL NOT NULL,
        longitude REAL NOT NULL,
        ping_url TEXT NOT NULL DEFAULT '', -- where pages measure the latency; empty: nowhere
        removed INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE tiers (
        tier TEXT PRIMARY KEY,
        removed INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;
      INSERT INTO tiers (tier) VALUES ('basic-4d1'), ('basic-2d1'), ('basic-1d1'), ('basic-1d2'),
                                      ('basic-1d4'), ('basic-1d8'), ('basic-1d16');

      CREATE TABLE games (
        game_id BLOB PRIMARY KEY CHECK (length(game_id) = 16),
        display_name TEXT NOT NULL,
        removed INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE namespaces (
        namespace_id BLOB PRIMARY KEY CHECK (length(namespace_id) = 16),
        game_id BLOB NOT NULL REFERENCES games,
        name TEXT NOT NULL,
        all_regions INTEGER NOT NULL, -- 1: namespace_regions does not apply
        removed INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX namespaces_by_game ON namespaces (game_id);

      CREATE TABLE namespace_domains (
        domain TEXT PRIMARY KEY,
        namespace_id BLOB NOT NULL REFERENCES namespaces
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX namespace_domains_by_namespace ON namespace_domains (namespace_id);

      CREATE TABLE namespace_regions (
        namespace_id BLOB NOT NULL REFERENCES namespaces,
        region_id TEXT NOT NULL REFERENCES regions,
        PRIMARY KEY (namespace_id, region_id)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE avatars (
        upload_id BLOB PRIMARY KEY CHECK (length(upload_id) = 16),
        game_id BLOB NOT NULL REFERENCES games,
        display_name TEXT NOT NULL,
        create_ts INTEGER NOT NULL,
        content_length INTEGER NOT NULL, -- the 64 bits of an unsigned number
        complete INTEGER NOT NULL,
        image_digest BLOB CHECK (length(image_digest) = 16),
        image_type INTEGER -- 0: PNG, 1: JPEG
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX avatars_by_game ON avatars (game_id, create_ts DESC, upload_id);

      -- What lobbies have in common, once: there are few of these and many lobbies.
      CREATE TABLE lobby_kinds (
        kind INTEGER PRIMARY KEY,
        namespace_id BLOB NOT NULL REFERENCES namespaces,
        region_id TEXT NOT NULL REFERENCES regions,
        tier TEXT NOT NULL,
        version_id BLOB NOT NULL CHECK (length(version_id) = 16),
        version_name TEXT NOT NULL,
        game_mode TEXT NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX lobby_kinds_by_content ON lobby_kinds
        (namespace_id, version_id, region_id, game_mode, tier, version_name);

      -- Clustered so that a span costs what it returns: in a class all lobbies last 2^class to
      -- 2^(class+1) milliseconds, so that those which reach into a span start near it.
      CREATE TABLE lobbies (
        game_id BLOB NOT NULL CHECK (length(game_id) = 16),
        duration_class INTEGER NOT NULL, -- -1: running
        start_ts INTEGER NOT NULL,
        lobby_id BLOB NOT NULL CHECK (length(lobby_id) = 16),
        stop_ts INTEGER,       -- null: running
        kind INTEGER NOT NULL, -- of lobby_kinds, which only grow
        PRIMARY KEY (game_id, duration_class, start_ts, lobby_id)
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX lobbies_by_id ON lobbies (lobby_id);

      -- Of a token's text only the SHA-256 is here.
      CREATE TABLE tokens (
        token_id BLOB PRIMARY KEY CHECK (length(token_id) = 16),
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        scope BLOB CHECK (length(scope) = 16), -- the game or namespace; null: none
        digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
        former_digest BLOB UNIQUE CHECK (length(former_digest) = 32),
        former_until_ms INTEGER NOT NULL DEFAULT 0,
        created_ms INTEGER NOT NULL,
        created_by TEXT NOT NULL,
        expires_ms INTEGER,     -- null: never
        revoked_ms INTEGER,     -- null: it is not
        cheap_limit TEXT,       -- null: the configured one
        expensive_limit TEXT
      ) STRICT, WITHOUT ROWID;

      -- Apart from the tokens: written often, without a revision.
      CREATE TABLE token_uses (
        token_id BLOB PRIMARY KEY CHECK (length(token_id) = 16),
        last_use_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Written in the transaction of the change, and never changed.
      CREATE TABLE audit (
        entry INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        author_kind TEXT NOT NULL,
        author_name TEXT,
        author_id TEXT,
        address TEXT,
        request_id TEXT,
        action TEXT NOT NULL,
        subject TEXT,
        before TEXT,
        after TEXT
      ) STRICT;
      CREATE INDEX audit_by_time ON audit (at_ms);
      CREATE TRIGGER audit_is_kept BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'entries of the audit log are never changed'); END;

      -- Exports whose CSV is an object, which counts once its size and digest are known.
      CREATE TABLE exports (
        export_id BLOB PRIMARY KEY CHECK (length(export_id) = 16),
        game_id BLOB NOT NULL CHECK (length(game_id) = 16),
        query_start INTEGER NOT NULL, -- the 64 bits of an unsigned number, as query_end
        query_end INTEGER NOT NULL,
        generation INTEGER NOT NULL,
        begun_ts INTEGER NOT NULL,
        keep_until_ts INTEGER,        -- null: not complete
        size_bytes INTEGER,
        sha256 TEXT,
        owner BLOB,                   -- who writes it, until when it counts as written
        leased_until_ts INTEGER,      -- by the store's clock
        lobbies_revision INTEGER,     -- null: reading has not begun
        catalog_revision INTEGER,
        taken_ts INTEGER,
        has_running INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX exports_by_query ON exports (game_id, query_start, query_end);

      -- The processes that serve, each until it says so again.
      CREATE TABLE replicas (
        replica_id BLOB PRIMARY KEY CHECK (length(replica_id) = 16),
        serving_until_ts INTEGER NOT NULL -- by the store's clock
      ) STRICT, WITHOUT ROWID;
    )sql"},
    migration{schema_versions::baseline, R"sql(
      ALTER TABLE games ADD COLUMN retention_days INTEGER; -- null: as configured; 0: for ever

      -- From when on the history of a game is complete, where older lobbies have expired.
      CREATE TABLE history_horizons (
        game_id BLOB PRIMARY KEY CHECK (length(game_id) = 16),
        complete_from_ts INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      ALTER TABLE exports ADD COLUMN complete_from_ts INTEGER; -- of its snapshot; null: all

      -- Games that are gone with all that they had, or will be. Their rows stay for ever, so that
      -- what comes late finds no game.
      CREATE TABLE erasures (
        game_id BLOB PRIMARY KEY CHECK (length(game_id) = 16),
        begun_ms INTEGER NOT NULL,
        begun_transaction INTEGER NOT NULL, -- as in PostgreSQL; 0 here
        lobbies INTEGER NOT NULL DEFAULT 0, -- how many are gone
        avatars INTEGER NOT NULL DEFAULT 0,
        exports INTEGER NOT NULL DEFAULT 0,
        tokens INTEGER NOT NULL DEFAULT 0,
        finished_ms INTEGER -- null: something is left
      ) STRICT, WITHOUT ROWID;

      -- Images whose avatars were removed, until they are gone.
      CREATE TABLE removed_images (
        upload_id BLOB NOT NULL CHECK (length(upload_id) = 16),
        image_digest BLOB NOT NULL CHECK (length(image_digest) = 16),
        image_type INTEGER NOT NULL,
        PRIMARY KEY (upload_id, image_digest, image_type)
      ) STRICT, WITHOUT ROWID;

      -- What one process does for all.
      CREATE TABLE duties (
        duty TEXT PRIMARY KEY,
        owner BLOB NOT NULL CHECK (length(owner) = 16),
        leased_until_ts INTEGER NOT NULL -- by the store's clock
      ) STRICT, WITHOUT ROWID;
    )sql"},
    migration{schema_versions::baseline, R"sql(
      -- What a process tells the others of itself, and when, by the store's clock.
      ALTER TABLE replicas ADD COLUMN summary TEXT;
      ALTER TABLE replicas ADD COLUMN told_ts INTEGER;
    )sql"},
    migration{schema_versions::baseline, R"sql(
      -- What players' round trips say of the latency between a cell, a group of clients, and a
      -- region. Whatever lies above a revision has changed since.
      CREATE TABLE latencies (
        cell INTEGER NOT NULL,      -- the 64 bits of an unsigned number
        region_id TEXT NOT NULL,    -- also of regions that are gone
        latitude REAL NOT NULL,     -- where the region was
        longitude REAL NOT NULL,
        minute INTEGER NOT NULL,    -- since 1970, of the last report
        contributed INTEGER NOT NULL,
        reporters INTEGER NOT NULL, -- 16 bits, of hashes
        points BLOB NOT NULL CHECK (length(points) = 28),
        revision INTEGER NOT NULL,
        PRIMARY KEY (cell, region_id)
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX latencies_in_order ON latencies (revision, cell, region_id);
      CREATE INDEX latencies_by_minute ON latencies (minute);
      INSERT INTO revisions VALUES ('latencies', 0);
    )sql"},
    migration{schema_versions::baseline, R"sql(
      -- When another image replaced this one, by the store's clock; null: its avatar was removed.
      ALTER TABLE removed_images ADD COLUMN replaced_ts INTEGER;
    )sql"},
    migration{schema_versions::baseline, R"sql(
      -- Keys of hashes. A copy of a store has its own.
      CREATE TABLE hash_keys (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO hash_keys VALUES ('latencies', random());

      -- What players measured between a cell, a group of clients, and a region. Replaces latencies,
      -- whose revision it continues.
      CREATE TABLE latency_voices (
        cell INTEGER NOT NULL,      -- the 64 bits of an unsigned number
        region_id TEXT NOT NULL,    -- also of regions that are gone
        latitude REAL NOT NULL,     -- where the region was
        longitude REAL NOT NULL,
        minute INTEGER NOT NULL,    -- since 1970, of the last report
        voices BLOB NOT NULL,       -- each: a time, a hash, a latency
        revision INTEGER NOT NULL,
        PRIMARY KEY (cell, region_id)
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX latency_voices_in_order ON latency_voices (revision, cell, region_id);
      CREATE INDEX latency_voices_by_minute ON latency_voices (minute);
    )sql"},
};
constexpr schema_versions sqlite_versions{sqlite_migrations};

/// Checks that the file is a store: it has the `application_id` of the baseline, or is empty.
/// `tables`: the number of tables before `version` was read.
void check_is_ours(sqlite_connection& on, std::int64_t version, std::int64_t tables) {
  const auto mark =
      version > 0 ? on.read_integer("PRAGMA application_id", reading_version) : tables;
  if (mark != (version > 0 ? application_id : 0))
    throw on.failure("use the store", "the file is the database of another program");
}

/// Applies the next migration, if any is left; returns the resulting version.
std::int64_t apply_next(sqlite_connection& on, const schema_versions& known) {
  auto changes = sql_transaction::write(on, std::nullopt, "migrate the database");
  const auto version =
      check_schema(on, known); // again under the lock: another process may have migrated first
  if (version >= known.newest()) return version;
  const auto& step = known.step_after(version);
  const auto next = schema_versions::version_after(version);
  const auto operation = "migrate the database to version " + std::to_string(next);
  const auto facts =
      "PRAGMA user_version = " + std::to_string(next) +
      "; UPDATE schema_version SET least_program = " + std::to_string(step.least_program);
  on.execute(step.sql, operation);
  on.execute(facts.c_str(), operation);
  changes.commit();
  return next;
}

} // namespace

const schema_versions& sqlite_schema() noexcept {
  return sqlite_versions;
}

std::int64_t check_schema(sqlite_connection& on, const schema_versions& known) {
  // In this order: another process may create the first version in between, which has tables.
  const auto tables = on.read_integer("SELECT count(*) FROM sqlite_schema", reading_version);
  const auto version = on.read_integer("PRAGMA user_version", reading_version);
  if (version < 0) throw on.failure(reading_version, "it is negative");
  check_is_ours(on, version, tables);
  const auto least_program =
      version > known.newest()
          ? on.read_integer("SELECT least_program FROM schema_version", reading_version)
          : 0;
  known.check(version, least_program, on.path());
  return version;
}

void migrate(sqlite_connection& on, const schema_versions& known) {
  auto version = check_schema(on, known);
  while (version < known.newest())
    version = apply_next(on, known);
}

} // namespace matchcloud::store
