#pragma once

#include "base/expected.hpp"
#include "store/object_store.hpp"
#include "store/objects/object_links.hpp"
#include "store/open_postgres.hpp"
#include "store/s3/s3_settings.hpp"
#include "store/secrets/secret_store.hpp"
#include "store/store_examination.hpp"
#include "store/store_settings.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace matchcloud::store {

class sql_connection;

/// Where a store is, and so which engine it has: SQLite in a data directory, or a PostgreSQL
/// database.
struct store_place {
  std::string data_dir = "var";
  /// Whether the service itself opens it, which works as whoever started it: see `take_owner`.
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
  /// How downloads get what is in the bucket.
  objects_delivery delivery = objects_delivery::redirect;
  /// Where everybody may read the images of the bucket; empty: at this service.
  std::string images_url = {};

  bool has_bucket() const noexcept { return !objects.location.bucket.empty(); }

  /// For messages: the data directory, or the database without user and password.
  std::string name() const;
};

/// Where this process is root and the data directory another user's, works as that user from here
/// on (see `base::work_as_owner_of`), unless it is the service. All functions below do so before
/// they touch the directory; so must who makes files in there otherwise. Fails with `store_failed`.
base::expected<void> take_owner(const store_place& place);

/// Whether there is a store: a database in the data directory, or the tables in the PostgreSQL
/// database. Creates nothing. Fails with `store_failed` if that cannot be told, or like
/// `open_store`.
base::expected<bool> find_store(const store_place& place);

/// Fails with `store_failed` if there is no store, and says where none is. For all that would make
/// no sense on a new store: at a mistyped place it would say that there are no tokens. Creates
/// nothing.
base::expected<void> require_store(const store_place& place);

/// Opens the store, creating and migrating it if necessary. Fails like `open_sqlite` or
/// `open_postgres`; with `import_invalid` where a copy into it did not end.
base::expected<std::shared_ptr<database>> open_store(const store_place& place,
                                                     const store_settings& settings = {});

/// Opens a store that exists. Fails like `require_store` and `open_store`.
base::expected<std::shared_ptr<database>> open_existing_store(const store_place& place,
                                                              const store_settings& settings = {});

/// Where this process is root: fails with `config_invalid` if the store's secrets, or the data
/// directory that they would be made in, belong to another user. A service of root's would use
/// what that user may change, and leave its own files among theirs. Creates nothing.
base::expected<void> refuse_secrets_of_others(const store_place& place);

/// Whether a failure to open a store on a server, or a bucket, may pass by itself: it cannot be
/// reached, or says that it is busy or starting. Otherwise somebody has to change something, such
/// as a password.
bool is_out_of_reach(const base::error& failure);

/// Opens a connection to the store itself, for copying it whole. Creates and migrates like
/// `open_store`, and fails like it; also with `store_newer` where the schema is any newer than this
/// program's, because a copy would leave out what is new.
base::expected<std::unique_ptr<sql_connection>> open_connection(const store_place& place);

/// The named secrets that all processes on the store share: files of the data directory, or a table
/// whose content is encrypted. Fails with `config_invalid` where a master key is needed and is
/// missing or no key.
base::expected<std::shared_ptr<secret_store>> open_secrets(const store_place& place);

/// The objects of the store: files of the data directory, or a bucket, with the credentials of the
/// environment. Asks a bucket whether it is there. Fails with `config_invalid`, `store_failed` or
/// `store_full`.
base::expected<std::shared_ptr<object_store>> open_objects(const store_place& place);

/// Looks at the store without changing anything, also while a service uses it. Waits for a server
/// as long as connecting and a statement may take. Fails as `open_store` would.
base::expected<store_examination> examine_store(const store_place& place);

/// The same of a bucket, for 5 s at most for each of three requests, beside getting credentials.
/// Fails as `open_objects` would.
base::expected<bucket_examination> examine_bucket(const store_place& place);

} // namespace matchcloud::store
