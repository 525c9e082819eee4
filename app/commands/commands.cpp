#include "app/commands/commands.hpp"

#include "app/config/store_url.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "cli/duration.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"
#include "store/local_author.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace matchcloud::app {

namespace {

std::string description(const config_key& key) {
  auto text = key.purpose;
  text.append(" Allowed: ").append(key.allowed).append(".");
  if (!key.default_value.empty()) text.append(" Default: ").append(key.default_value).append(".");
  return text;
}

/// The name of a key's value in the help.
std::string type_of(const config_key& key) {
  if (!key.choices.empty()) return cli::choices_text({key.choices.begin(), key.choices.end()});
  return key.what == config_key::kind::number ? "NUMBER" : "TEXT";
}

} // namespace

CLI::Option* add_config_option(CLI::App& command, configuration_options& options) {
  return command
      .add_option("--config", options.config_file, "A TOML file with any of the keys of serve.")
      ->check(named_file());
}

void add_key_option(CLI::App& command, configuration_options& options, const config_key& key) {
  auto& values = options.flags[key.name];
  const std::string heading{key.heading};
  if (key.what == config_key::kind::flag) {
    command.add_flag("--" + key.name, values, description(key))->group(heading);
    return;
  }
  command.add_option("--" + key.name, values, description(key))
      ->group(heading)
      ->type_name(type_of(key))
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(key.what == config_key::kind::list ? CLI::MultiOptionPolicy::TakeAll
                                                               : CLI::MultiOptionPolicy::TakeLast);
}

void add_configuration(CLI::App& command, configuration_options& options,
                       std::initializer_list<const char*> keys) {
  add_config_option(command, options);
  for (const auto* name : keys)
    add_key_option(command, options, *find_config_key(name));
}

std::vector<given_value> given_flags(const configuration_options& options) {
  std::vector<given_value> given;
  for (const auto& [name, values] : options.flags)
    if (!values.empty()) given.push_back({name, "--" + name, values});
  return given;
}

base::expected<std::vector<given_value>> read_given(const configuration_options& options,
                                                    std::vector<std::string>& unknown) {
  std::vector<given_value> given;
  if (!options.config_file.empty()) {
    auto from_file = read_config_file(options.config_file);
    if (!from_file) return tl::unexpected(from_file.error());
    given = *std::move(from_file);
  }
  for (auto& value : read_environment(unknown))
    given.push_back(std::move(value));
  for (auto& value : given_flags(options))
    given.push_back(std::move(value));
  return given;
}

base::expected<std::vector<given_value>> read_given(const configuration_options& options) {
  std::vector<std::string> unknown;
  auto given = read_given(options, unknown);
  warn_of_variables(unknown);
  return given;
}

void warn_of_variables(const std::vector<std::string>& unknown) {
  for (const auto& name : unknown)
    base::log(base::log_event::config_unknown_variable,
              "{} is not a configuration key of matchcloud and has no effect", name);
}

base::expected<serve_config> read_configuration(const configuration_options& options) {
  return read_given(options).and_then(make_config);
}

namespace {

constexpr const char* data_dir_variable = "MATCHCLOUD_DATA_DIR";
/// Longer names of files are cut. Linux limits a path to 4,096 bytes.
constexpr std::size_t audited_file_limit = 4'096;

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
      ->check(cli::named_file());
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
      ->check(cli::named_file());
}

std::optional<std::int64_t> parse_time_or_date(std::string_view text) {
  constexpr std::string_view date = "2026-01-31";
  if (text.size() != date.size()) return model::parse_timestamp(text);
  return model::parse_timestamp(std::string{text} + "T00:00:00Z");
}

std::int64_t moment_of(std::string_view option, const std::string& text, std::int64_t now_ms,
                       direction where) {
  if (const auto duration = cli::parse_whole_duration(text))
    return where == direction::ahead ? now_ms + duration->count()
                                     : std::max<std::int64_t>(now_ms - duration->count(), 0);
  if (const auto time = parse_time_or_date(text)) return *time;
  refuse(std::string{option} + " " + model::quoted_excerpt(text) +
         " is neither a date (2027-01-31) or time (2027-01-31T00:00:00Z) nor " +
         std::string{cli::duration_allowed});
}

model::audit_run_ptr audited_run(model::audit_action action, std::string_view file) {
  return model::run_of(store::local_author(),
                       {action, model::printable_excerpt(file, audited_file_limit), {}, {}});
}

store::copy_watch watch_of(cli::command_run& in) {
  return {[&until = in.until()] { return until.came(); },
          [&progress = in.progress(), step = std::string{}](std::string_view what,
                                                            std::uint64_t count) mutable {
            if (std::exchange(step, what) != what) progress.begin(what, std::nullopt);
            progress.show(count, count);
          }};
}

model::catalog catalog_of(store::database& in) {
  return base::value_of(base::value_of(in.catalog())->load());
}

std::int64_t time_of(store::database& in) {
  return base::value_of(base::value_of(in.replicas())->store_time());
}

} // namespace matchcloud::app
