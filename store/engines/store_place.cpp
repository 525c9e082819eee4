#include "store/engines/store_place.hpp"

#include "store/files/secret_files.hpp"
#include "store/open_sqlite.hpp"
#include "store/postgres/connection_string.hpp"
#include "store/postgres/postgres_secrets.hpp"
#include "store/postgres/postgres_session.hpp"
#include "store/sqlite/sqlite_session.hpp"

namespace matchcloud::store {

namespace {

postgres_settings settings_of(const store_place& place, const store_settings& settings) {
  return {place.url, place.allow_unverified, settings.patience, place.statement_timeout,
          settings.sessions};
}

} // namespace

std::string store_place::name() const {
  return url.empty() ? data_dir : place_of(url);
}

bool has_store(const store_place& place) {
  return !place.url.empty() || has_store(place.data_dir);
}

base::expected<std::shared_ptr<database>> open_store(const store_place& place,
                                                     const store_settings& settings) {
  if (place.url.empty()) return open_sqlite(place.data_dir, settings);
  return open_postgres(settings_of(place, settings));
}

base::expected<std::unique_ptr<sql_connection>> open_connection(const store_place& place) {
  if (place.url.empty()) return open_sqlite_connection(place.data_dir);
  return open_postgres_connection(settings_of(place, {}));
}

base::expected<std::shared_ptr<secret_store>> open_secrets(const store_place& place) {
  if (place.url.empty()) return std::make_shared<secret_files>(place.data_dir);
  auto key = read_master_key(place.master_key_file);
  if (!key) return tl::unexpected(key.error());
  return std::make_shared<postgres_secrets>(settings_of(place, {}), *key);
}

} // namespace matchcloud::store
