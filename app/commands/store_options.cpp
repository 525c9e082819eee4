#include "app/commands/store_options.hpp"

#include "app/commands/commands.hpp"
#include "app/config/store_url.hpp"

#include <cstdlib>
#include <string>

namespace matchcloud::app {

namespace {

constexpr const char* data_dir_variable = "MATCHCLOUD_DATA_DIR";

std::string check_given_store(const std::string& url) {
  const auto checked = check_store_url(url, url_source::flag);
  return checked ? std::string{} : checked.error().detail;
}

} // namespace

CLI::Option* add_store_options(CLI::App& command, store::store_place& place) {
  command
      .add_option("--store", place.url,
                  "The PostgreSQL database of the store: postgresql://HOST/DATABASE, or any libpq "
                  "connection string with that scheme. Without it the store is in --data-dir. "
                  "Default: MATCHCLOUD_STORE from the environment.")
      ->check(CLI::Validator{check_given_store, ""});
  command
      .add_flag("--store-unverified", place.allow_unverified,
                "Reach a PostgreSQL server beyond loopback without sslmode=verify-full.")
      ->envname("MATCHCLOUD_STORE_UNVERIFIED");
  // Not with CLI11's own support, which would check the value of the environment like a flag.
  command.preparse_callback([&place](std::size_t) {
    if (place.url.empty()) place.url = store_url_of_environment();
    const char* value =
        std::getenv(data_dir_variable); // NOLINT(concurrency-mt-unsafe): no threads yet
    if (value != nullptr) place.data_dir = value;
  });
  return command
      .add_option("--data-dir", place.data_dir,
                  "The directory of the store. The default can be set with MATCHCLOUD_DATA_DIR in "
                  "the environment.")
      ->capture_default_str();
}

void add_objects_options(CLI::App& command, store::store_place& place) {
  auto& to = place.objects;
  command
      .add_option_function<std::string>(
          "--objects",
          [&to](const std::string& text) {
            auto location = store::parse_s3_location(text);
            if (!location) throw CLI::ValidationError{"--objects", location.error().detail};
            to.location = *std::move(location);
          },
          "The bucket for images and exports: s3://BUCKET or s3://BUCKET/PREFIX. Without it they "
          "are in --data-dir.")
      ->envname("MATCHCLOUD_OBJECTS");
  command.add_option("--objects-endpoint", to.endpoint, "The URL of the bucket's service.")
      ->envname("MATCHCLOUD_OBJECTS_ENDPOINT");
  command
      .add_option("--objects-region", to.region,
                  "The bucket's region. Default: AWS_REGION, AWS_DEFAULT_REGION or us-east-1.")
      ->envname("MATCHCLOUD_OBJECTS_REGION");
  command
      .add_flag("--objects-path-style", to.is_path_style,
                "Put the bucket into the path of URLs instead of before the host.")
      ->envname("MATCHCLOUD_OBJECTS_PATH_STYLE");
  command
      .add_option(
          "--objects-ca-file", to.ca_file,
          "A file with certificates of authorities to trust with https instead of the system's.")
      ->envname("MATCHCLOUD_OBJECTS_CA_FILE")
      ->check(named_file());
  command
      .add_flag("--objects-metadata-credentials", place.objects_by_metadata,
                "Get the bucket's credentials from the instance metadata service.")
      ->envname("MATCHCLOUD_OBJECTS_METADATA_CREDENTIALS");
}

void add_master_key_option(CLI::App& command, store::store_place& place) {
  command
      .add_option("--master-key-file", place.master_key_file,
                  "The file with the key that encrypts secrets in PostgreSQL.")
      ->envname("MATCHCLOUD_MASTER_KEY_FILE")
      ->check(named_file());
}

} // namespace matchcloud::app
