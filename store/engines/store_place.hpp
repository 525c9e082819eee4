#pragma once

#include "base/expected.hpp"
#include "store/object_store.hpp"
#include "store/open_store.hpp"
#include "store/s3/s3_settings.hpp"
#include "store/secrets/secret_store.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace matchcloud::store {

class sql_connection;

/// The place of a store, which determines its engine: SQLite in a data directory, or a PostgreSQL
/// database.
struct store_place {
  std::string data_dir = "var";
  /// Whether the service itself opens it, as the user that started it: see `take_owner`.
  bool is_for_service = false;
  /// A connection string of libpq; empty: the store is in the data directory.
  std::string url = {};
  /// See `postgres_settings`.
  bool allow_unverified = false;
  std::chrono::milliseconds statement_timeout = postgres_settings{}.statement_timeout;
  /// A file with the key that secrets in PostgreSQL are encrypted under.
  std::string master_key_file = {};
  /// Where images and exports are. Without a bucket they are in the data directory.
  s3_settings objects = {};
  /// Whether the bucket's credentials come from the instance metadata service.
  bool objects_by_metadata = false;
  /// How downloads are served from the bucket.
  objects_delivery delivery = objects_delivery::redirect;
  /// Where the bucket's images are public; empty: at this service.
  std::string images_url = {};

  bool has_bucket() const noexcept { return !objects.location.bucket.empty(); }

  /// For messages: the data directory, or the database without user and password.
  std::string name() const;
};

/// If this process is root and the data directory another user's, continues as that user (see
/// `base::work_as_owner_of`), unless it is the service. All functions below do so before they touch
/// the directory; so must any other code that creates files in it. Fails with `store_failed`.
base::expected<void> take_owner(const store_place& place);

/// Whether there is a store: a database in the data directory, or the tables in the PostgreSQL
/// database. Creates nothing. Fails with `store_failed` if that is unknown, or like
/// `open_store`.
base::expected<bool> find_store(const store_place& place);

/// Fails with `store_failed` if there is no store, and names the place. For commands that make no
/// sense on a new store: at a mistyped place they would report that there are no tokens. Creates
/// nothing.
base::expected<void> require_store(const store_place& place);

/// Opens the store, creating and migrating it if necessary. Fails like `open_sqlite` or
/// `open_postgres`; with `import_invalid` if a copy into it is unfinished.
base::expected<std::shared_ptr<database>> open_store(const store_place& place,
                                                     const store_settings& settings = {});

/// Opens a store that exists. Fails like `require_store` and `open_store`.
base::expected<std::shared_ptr<database>> open_existing_store(const store_place& place,
                                                              const store_settings& settings = {});

/// The same, for what only reads: fails with `store_failed` if its schema is older than the
/// program's.
base::expected<std::shared_ptr<database>> open_to_read(const store_place& place);

/// If this process is root: fails with `config_invalid` if the store's secrets, or the data
/// directory for new ones, belong to another user. A service that runs as root would use what that
/// user can change, and leave its own files among theirs. Creates nothing.
base::expected<void> refuse_secrets_of_others(const store_place& place);

/// Opens a connection to the store itself, for copying it whole. Creates and migrates like
/// `open_store`, and fails like it; also with `store_newer` if the schema is newer than this
/// program's at all, because a copy would leave out the additions.
base::expected<std::unique_ptr<sql_connection>>
open_connection(const store_place& place, older_schema older = older_schema::migrates);

/// The named secrets that all processes on the store share: files of the data directory, or a table
/// whose content is encrypted. Fails with `config_invalid` if a master key is needed but missing or
/// invalid.
base::expected<std::shared_ptr<secret_store>> open_secrets(const store_place& place);

/// The objects of the store: files of the data directory, or a bucket, with the credentials of the
/// environment. Checks that a bucket exists. Fails with `config_invalid`, `store_failed` or
/// `store_full`.
base::expected<std::shared_ptr<object_store>> open_objects(const store_place& place);

/// Examines the store without changing anything, also while a service uses it. Waits for a server
/// as long as connecting and a statement may take. Fails as `open_store` would.
base::expected<store_examination> examine_store(const store_place& place);

/// The same for a bucket. Each of the three requests takes at most 5 s, apart from getting
/// credentials. Fails as `open_objects` would.
base::expected<void> examine_bucket(const store_place& place);

/// Writes an object `doctor/ID` to the bucket, checks that its name cannot be written again, reads
/// it and removes it. Fails as those calls do, or with `store_failed` if the bucket does not do
/// what it says.
base::expected<void> try_writing(const store_place& place);

} // namespace matchcloud::store
