#include "app/commands/store_options.hpp"

#include "app/commands/commands.hpp"
#include "app/config/store_url.hpp"

#include <string>

namespace matchcloud::app {

namespace {

std::string check_url(const std::string& url) {
  const auto checked = check_store_url(url, url_source::flag);
  return checked ? std::string{} : checked.error().detail;
}

} // namespace

CLI::Option* add_store_options(CLI::App& command, store::store_place& place) {
  command
      .add_option("--store", place.url,
                  "A PostgreSQL database that has the store: postgresql://HOST/DATABASE, or any "
                  "connection string of libpq with that scheme. Without it the store is in "
                  "--data-dir. Where there is no flag, MATCHCLOUD_STORE in the environment.")
      ->check(CLI::Validator{check_url, ""});
  command.add_flag("--store-unverified", place.allow_unverified,
                   "Reach a PostgreSQL server beyond loopback without sslmode=verify-full.");
  // Not by CLI11's means: it would check what the environment says like a flag.
  command.preparse_callback([&place](std::size_t) {
    if (place.url.empty()) place.url = store_url_of_environment();
  });
  return command.add_option("--data-dir", place.data_dir, "Where the store lives.")
      ->capture_default_str();
}

void add_master_key_option(CLI::App& command, store::store_place& place) {
  command
      .add_option("--master-key-file", place.master_key_file,
                  "The file with the key that secrets in PostgreSQL are encrypted under.")
      ->envname("MATCHCLOUD_MASTER_KEY_FILE")
      ->check(named_file());
}

} // namespace matchcloud::app
