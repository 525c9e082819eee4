#include "store/engines/store_place.hpp"

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "base/files/working_identity.hpp"
#include "store/database_file.hpp"
#include "store/files/file_objects.hpp"
#include "store/files/secret_files.hpp"
#include "store/open_store.hpp"
#include "store/postgres/postgres.hpp"
#include "store/postgres/postgres_secrets.hpp"
#include "store/s3/s3_objects.hpp"
#include "store/sqlite/sqlite.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

namespace {

postgres_settings settings_of(const store_place& place, const store_settings& settings) {
  return {place.url,         place.allow_unverified, settings.patience, place.statement_timeout,
          settings.sessions, settings.older};
}

/// For a service that runs as root: refuses `path` if it belongs to another user. `whole` is what
/// root would have to own. A link counts as its target if `follows`.
void refuse_owner_of(const std::string& path, const std::string& whole, bool follows = true) {
  struct stat found {};
  if ((follows ? ::stat : ::lstat)(path.c_str(), &found) != 0 || found.st_uid == 0) return;
  const auto user = std::to_string(found.st_uid);
  throw base::failure{base::errc::config_invalid,
                      "{}: belongs to user {}, but serve runs as root and then uses only data and "
                      "secrets that root owns; run serve as user {} (User= of a systemd unit, "
                      "docker run --user {}), or give it all to root: `chown -R root: {}`",
                      path,
                      user,
                      user,
                      user,
                      whole};
}

} // namespace

std::string store_place::name() const {
  return url.empty() ? data_dir : server_name_of(url);
}

base::expected<void> take_owner(const store_place& place) {
  if (place.is_for_service) return {};
  const auto there = base::existing_part(place.data_dir);
  return base::work_as_owner_of(there, there == place.data_dir ? database_file_name : "");
}

base::expected<bool> find_store(const store_place& place) {
  if (!place.url.empty()) return find_postgres_store(settings_of(place, {}));
  return take_owner(place).and_then([&] { return find_store(place.data_dir); });
}

base::expected<void> require_store(const store_place& place) {
  const auto found = find_store(place);
  if (!found) return tl::unexpected(found.error());
  if (*found) return {};
  return base::fail(base::errc::store_failed, place.name() + ": there is no store; is this the " +
                                                  (place.url.empty() ? "--data-dir" : "--store") +
                                                  " of serve?");
}

base::expected<void> refuse_secrets_of_others(const store_place& place) {
  if (::geteuid() != 0) return {};
  return base::attempt([&] {
    if (!place.url.empty()) refuse_owner_of(place.master_key_file, place.master_key_file);
    if (!place.url.empty() && place.has_bucket()) return;
    const auto& folder = place.data_dir;
    const auto refuse_in_it = [&](std::string_view name) {
      refuse_owner_of(folder + "/" + std::string{name}, folder, /*follows=*/false);
    };
    refuse_owner_of(folder, folder);
    refuse_in_it(database_file_name);
    refuse_in_it(signing_keys_name);
  });
}

base::expected<std::shared_ptr<database>> open_store(const store_place& place,
                                                     const store_settings& settings) {
  if (!place.url.empty()) return open_postgres(settings_of(place, settings));
  return take_owner(place).and_then([&] { return open_sqlite(place.data_dir, settings); });
}

base::expected<std::shared_ptr<database>> open_existing_store(const store_place& place,
                                                              const store_settings& settings) {
  return require_store(place).and_then([&] { return open_store(place, settings); });
}

base::expected<std::shared_ptr<database>> open_to_read(const store_place& place) {
  return open_existing_store(place, {.older = older_schema::refuses});
}

base::expected<std::unique_ptr<sql_connection>> open_connection(const store_place& place,
                                                                older_schema older) {
  return base::attempt([&] {
    if (!place.url.empty()) return open_postgres_connection(settings_of(place, {.older = older}));
    base::value_of(take_owner(place));
    return open_sqlite_connection(place.data_dir, older);
  });
}

base::expected<std::shared_ptr<secret_store>> open_secrets(const store_place& place) {
  return base::attempt([&]() -> std::shared_ptr<secret_store> {
    if (!place.url.empty())
      return std::make_shared<postgres_secrets>(
          settings_of(place, {}), base::value_of(read_master_key(place.master_key_file)));
    base::value_of(take_owner(place));
    return std::make_shared<secret_files>(place.data_dir);
  });
}

namespace {

/// Opens the bucket without sending a request. Throws.
std::shared_ptr<s3_objects> open_bucket(const store_place& place) {
  const auto& time = base::machine_clock();
  auto settings = place.objects;
  if (settings.region.empty()) settings.region = given_region(process_environment());
  // STS is called in the environment's region, because a pod may be able to reach it only there, or
  // else in the bucket's.
  const environment with_region = [region = settings.region,
                                   of = process_environment()](const char* name) {
    const bool is_missing = std::string_view{name} == "AWS_REGION" && given_region(of).empty();
    return is_missing && !region.empty() ? std::optional{region} : of(name);
  };
  auto credentials = base::value_of(s3_credential_source::open(
      with_region, time,
      place.objects_by_metadata ? credential_origin::metadata : credential_origin::usual));
  return std::make_shared<s3_objects>(std::move(settings), std::move(credentials), time);
}

/// With bounds for a command that somebody waits for.
store_place hurried(store_place place) {
  place.objects.call_timeout = std::chrono::seconds{5};
  place.objects.attempts_limit = 2;
  return place;
}

} // namespace

base::expected<std::shared_ptr<object_store>> open_objects(const store_place& place) {
  return base::attempt([&]() -> std::shared_ptr<object_store> {
    if (!place.has_bucket()) {
      base::value_of(take_owner(place));
      return base::value_of(file_objects::open(place.data_dir));
    }
    auto bucket = open_bucket(place);
    base::value_of(bucket->check_readable());
    return bucket;
  });
}

base::expected<store_examination> examine_store(const store_place& place) {
  if (!place.url.empty()) return examine_postgres(settings_of(place, {}));
  return take_owner(place).and_then([&] { return examine_sqlite(place.data_dir); });
}

base::expected<void> examine_bucket(const store_place& place) {
  return base::attempt([&] { base::value_of(open_bucket(hurried(place))->examine()); });
}

base::expected<void> try_writing(const store_place& place) {
  return base::attempt([&] {
    const auto bucket = open_bucket(hurried(place));
    const auto id = new_write_name();
    const auto name = *object_name::parse("doctor/" + id);
    const auto shown = place.objects.location.shown() + name.text();
    const auto write = [&] { return bucket->put_new(name, id, "text/plain"); };
    base::value_of(write());
    auto again = write();
    std::string found;
    auto read = bucket->read(name, {}, [&found](std::string_view piece) {
      found += piece;
      return true;
    });
    if (const auto removed = bucket->remove(name); !removed)
      throw base::failure{removed.error().code, removed.error().detail + ". Remove " + shown};
    if (base::value_of(std::move(again)) != object_outcome::was_there)
      throw base::failure{
          base::errc::store_failed,
          "{} was written twice. Use a service with conditional writes (If-None-Match)", shown};
    base::value_of(std::move(read));
    if (found != id)
      throw base::failure{base::errc::store_failed, "{} was not what had been written", shown};
  });
}

} // namespace matchcloud::store
