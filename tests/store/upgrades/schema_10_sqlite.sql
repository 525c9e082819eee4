-- A store as version 0.1.0 made it: schema 10 with something in every table that a service fills.
-- Never changed: today's program must open it (schema_upgrade_test.cpp).
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE schema_version (least_program INTEGER NOT NULL) STRICT;
INSERT INTO schema_version VALUES(10);
CREATE TABLE revisions (
        name TEXT PRIMARY KEY,
        revision INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
INSERT INTO revisions VALUES('catalog',2);
INSERT INTO revisions VALUES('tokens',1);
CREATE TABLE game_revisions (
        subject TEXT NOT NULL, -- 'avatars', 'lobbies'
        game_id BLOB NOT NULL CHECK (length(game_id) = 16),
        revision INTEGER NOT NULL,
        PRIMARY KEY (subject, game_id)
      ) STRICT, WITHOUT ROWID;
INSERT INTO game_revisions VALUES('avatars',X'00000000000040008000000000000001',1);
INSERT INTO game_revisions VALUES('lobbies',X'00000000000040008000000000000001',1);
INSERT INTO game_revisions VALUES('lobbies',X'00000000000040008000000000000002',2);
CREATE TABLE lobby_changes (
        game_id BLOB NOT NULL CHECK (length(game_id) = 16),
        writer BLOB NOT NULL CHECK (length(writer) = 16),
        changes INTEGER NOT NULL,
        PRIMARY KEY (game_id, writer)
      ) STRICT, WITHOUT ROWID;
CREATE TABLE regions (
        region_id TEXT PRIMARY KEY,
        region_display_name TEXT NOT NULL,
        provider_display_name TEXT NOT NULL,
        latitude REAL NOT NULL,
        longitude REAL NOT NULL,
        ping_url TEXT NOT NULL DEFAULT '', -- where pages measure the latency; empty: nowhere
        removed INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;
INSERT INTO regions VALUES('fra','Frankfurt','P',50.0,8.5,'',0);
INSERT INTO regions VALUES('lon','London','P',51.5,-0.125,'https://lon.example/ping',0);
CREATE TABLE tiers (
        tier TEXT PRIMARY KEY,
        removed INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;
INSERT INTO tiers VALUES('basic-1d1',0);
INSERT INTO tiers VALUES('basic-1d16',0);
INSERT INTO tiers VALUES('basic-1d2',0);
INSERT INTO tiers VALUES('basic-1d4',0);
INSERT INTO tiers VALUES('basic-1d8',0);
INSERT INTO tiers VALUES('basic-2d1',0);
INSERT INTO tiers VALUES('basic-4d1',0);
INSERT INTO tiers VALUES('basic-9d9',0);
CREATE TABLE games (
        game_id BLOB PRIMARY KEY CHECK (length(game_id) = 16),
        display_name TEXT NOT NULL,
        removed INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;
INSERT INTO games VALUES(X'00000000000040008000000000000001','One',0);
INSERT INTO games VALUES(X'00000000000040008000000000000002','Two',0);
CREATE TABLE namespaces (
        namespace_id BLOB PRIMARY KEY CHECK (length(namespace_id) = 16),
        game_id BLOB NOT NULL REFERENCES games,
        name TEXT NOT NULL,
        all_regions INTEGER NOT NULL, -- 1: namespace_regions does not apply
        removed INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;
INSERT INTO namespaces VALUES(X'00000000000040008000000000000011',X'00000000000040008000000000000001','prod',0,0);
INSERT INTO namespaces VALUES(X'00000000000040008000000000000012',X'00000000000040008000000000000001','old',1,1);
INSERT INTO namespaces VALUES(X'00000000000040008000000000000021',X'00000000000040008000000000000002','prod',1,0);
CREATE TABLE namespace_domains (
        domain TEXT PRIMARY KEY,
        namespace_id BLOB NOT NULL REFERENCES namespaces
      ) STRICT, WITHOUT ROWID;
INSERT INTO namespace_domains VALUES('one.example',X'00000000000040008000000000000011');
CREATE TABLE namespace_regions (
        namespace_id BLOB NOT NULL REFERENCES namespaces,
        region_id TEXT NOT NULL REFERENCES regions,
        PRIMARY KEY (namespace_id, region_id)
      ) STRICT, WITHOUT ROWID;
INSERT INTO namespace_regions VALUES(X'00000000000040008000000000000011','lon');
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
INSERT INTO avatars VALUES(X'10000000000040008000000000000001',X'00000000000040008000000000000001','Avatar 1',1767225600001,101,1,X'a1abfd410973b0111c215baa879b9edc',0);
INSERT INTO avatars VALUES(X'10000000000040008000000000000002',X'00000000000040008000000000000001','Avatar 2',1767225600002,-1,1,X'a1abfd410973b0111c215baa879b9edc',0);
INSERT INTO avatars VALUES(X'10000000000040008000000000000003',X'00000000000040008000000000000001','Avatar 3',1767225600003,103,0,NULL,NULL);
CREATE TABLE lobby_kinds (
        kind INTEGER PRIMARY KEY,
        namespace_id BLOB NOT NULL REFERENCES namespaces,
        region_id TEXT NOT NULL REFERENCES regions,
        tier TEXT NOT NULL,
        version_id BLOB NOT NULL CHECK (length(version_id) = 16),
        version_name TEXT NOT NULL,
        game_mode TEXT NOT NULL
      ) STRICT;
INSERT INTO lobby_kinds VALUES(1,X'00000000000040008000000000000011','lon','basic-1d1',X'30000000000040008000000000000000','1.0','duel');
INSERT INTO lobby_kinds VALUES(2,X'00000000000040008000000000000012','lon','basic-1d1',X'30000000000040008000000000000001','1.1','sïege');
INSERT INTO lobby_kinds VALUES(3,X'00000000000040008000000000000021','lon','basic-1d1',X'30000000000040008000000000000000','1.0','duel');
INSERT INTO lobby_kinds VALUES(4,X'00000000000040008000000000000011','lon','basic-1d1',X'30000000000040008000000000000001','1.1','sïege');
INSERT INTO lobby_kinds VALUES(5,X'00000000000040008000000000000012','lon','basic-1d1',X'30000000000040008000000000000000','1.0','duel');
INSERT INTO lobby_kinds VALUES(6,X'00000000000040008000000000000021','fra','basic-1d1',X'30000000000040008000000000000001','1.1','sïege');
CREATE TABLE lobbies (
        game_id BLOB NOT NULL CHECK (length(game_id) = 16),
        duration_class INTEGER NOT NULL, -- -1: running
        start_ts INTEGER NOT NULL,
        lobby_id BLOB NOT NULL CHECK (length(lobby_id) = 16),
        stop_ts INTEGER,       -- null: running
        kind INTEGER NOT NULL, -- of lobby_kinds, which only grow
        PRIMARY KEY (game_id, duration_class, start_ts, lobby_id)
      ) STRICT, WITHOUT ROWID;
INSERT INTO lobbies VALUES(X'00000000000040008000000000000001',-1,1767225600000,X'20000000000040008000000000000000',NULL,1);
INSERT INTO lobbies VALUES(X'00000000000040008000000000000001',-1,1767225840000,X'20000000000040008000000000000004',NULL,5);
INSERT INTO lobbies VALUES(X'00000000000040008000000000000001',2,1767225660000,X'20000000000040008000000000000001',1767225660007,2);
INSERT INTO lobbies VALUES(X'00000000000040008000000000000001',8,1767225780000,X'20000000000040008000000000000003',1767225780343,4);
INSERT INTO lobbies VALUES(X'00000000000040008000000000000001',16,1767225960000,X'20000000000040008000000000000006',1767226077649,1);
INSERT INTO lobbies VALUES(X'00000000000040008000000000000001',19,1767226020000,X'20000000000040008000000000000007',1767226843543,2);
INSERT INTO lobbies VALUES(X'00000000000040008000000000000001',25,1767226140000,X'20000000000040008000000000000009',1767266493607,4);
INSERT INTO lobbies VALUES(X'00000000000040008000000000000001',28,1767226200000,X'20000000000040008000000000000010',1767508675249,5);
INSERT INTO lobbies VALUES(X'00000000000040008000000000000002',-1,1767226080000,X'20000000000040008000000000000008',NULL,3);
INSERT INTO lobbies VALUES(X'00000000000040008000000000000002',5,1767225720000,X'20000000000040008000000000000002',1767225720049,3);
INSERT INTO lobbies VALUES(X'00000000000040008000000000000002',14,1767225900000,X'20000000000040008000000000000005',1767225916807,6);
INSERT INTO lobbies VALUES(X'00000000000040008000000000000002',30,1767226260000,X'20000000000040008000000000000011',1769203586743,6);
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
INSERT INTO tokens VALUES(X'859325324e584278a1353dfc1623d0a3','viewer','dashboards',NULL,X'83c239957f8530519e6eb392502e6561becda417f5c1fba608720b1603dbe126',NULL,0,1795708716115,'local root (0)',2111068716115,NULL,NULL,NULL);
CREATE TABLE token_uses (
        token_id BLOB PRIMARY KEY CHECK (length(token_id) = 16),
        last_use_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
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
INSERT INTO audit VALUES(1,1795708714348,'local','root','0',NULL,NULL,'catalog.import',NULL,'{"revision":0}','{"regions":2,"tiers":1,"games":2,"namespaces":3,"revision":1}');
INSERT INTO audit VALUES(2,1795708715467,'local','root','0',NULL,NULL,'lobbies.import','l.jsonl',NULL,NULL);
INSERT INTO audit VALUES(3,1795708715672,'local','root','0',NULL,NULL,'avatars.import','a.jsonl',NULL,NULL);
INSERT INTO audit VALUES(4,1795708715833,'local','root','0',NULL,NULL,'catalog.remove','namespaces/00000000-0000-4000-8000-000000000012','{"namespace_id":"00000000-0000-4000-8000-000000000012","game_id":"00000000-0000-4000-8000-000000000001","name":"old","domains":[]}',NULL);
INSERT INTO audit VALUES(5,1795708716132,'local','root','0',NULL,NULL,'token.create','tokens/85932532-4e58-4278-a135-3dfc1623d0a3',NULL,'{"token_id":"85932532-4e58-4278-a135-3dfc1623d0a3","kind":"viewer","name":"dashboards","state":"active","sha256":"83c239957f8530519e6eb392502e6561becda417f5c1fba608720b1603dbe126","created":"2026-11-26T15:58:36.115Z","created_by":"local root (0)","expires":"2036-11-23T15:58:36.115Z","revoked":null,"last_use":null}');
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
CREATE TABLE replicas (
        replica_id BLOB PRIMARY KEY CHECK (length(replica_id) = 16),
        serving_until_ts INTEGER NOT NULL -- by the store's clock
      ) STRICT, WITHOUT ROWID;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('audit',5);
CREATE UNIQUE INDEX game_revisions_in_order ON game_revisions (subject, revision);
CREATE INDEX namespaces_by_game ON namespaces (game_id);
CREATE INDEX namespace_domains_by_namespace ON namespace_domains (namespace_id);
CREATE INDEX avatars_by_game ON avatars (game_id, create_ts DESC, upload_id);
CREATE UNIQUE INDEX lobby_kinds_by_content ON lobby_kinds
        (namespace_id, version_id, region_id, game_mode, tier, version_name);
CREATE UNIQUE INDEX lobbies_by_id ON lobbies (lobby_id);
CREATE INDEX audit_by_time ON audit (at_ms);
CREATE TRIGGER audit_is_kept BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'entries of the audit log are never changed'); END;
CREATE INDEX exports_by_query ON exports (game_id, query_start, query_end);
COMMIT;
PRAGMA application_id = 0x6D636C64;
PRAGMA user_version = 10;
