#include "store/copy/store_copy.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/store_options.hpp"
#include "app/config/store_url.hpp"
#include "app/reports/copy_report.hpp"
#include "app/reports/text_table.hpp"
#include "base/files/working_identity.hpp"
#include "cli/interrupt.hpp"
#include "cli/print.hpp"
#include "cli/progress_display.hpp"
#include "store/copy/filling.hpp"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace matchcloud::app {

namespace {

/// A page of rows takes the server milliseconds; counting a large table takes longer.
constexpr std::chrono::minutes statement_timeout{2};

struct copy_options {
  std::string from;
  std::string into;
  bool allow_unverified = false;
  std::string master_key_file;
  bool with_secrets = false;
  std::string format = "table";
};

/// Checks an argument: a directory, a URL without a password, or `env`.
std::string check_side(const std::string& text) {
  if (text.empty()) return "it must not be empty";
  if (text.find("://") == std::string::npos) return {};
  const auto checked = check_store_url(text, url_source::flag);
  return checked ? std::string{} : checked.error().detail;
}

base::expected<store::store_place> place_of(const std::string& text, const copy_options& options) {
  store::store_place place;
  place.allow_unverified = options.allow_unverified;
  place.statement_timeout = statement_timeout;
  place.master_key_file = options.master_key_file;
  if (text == "env") {
    place.url = store_url_of_environment();
    if (auto checked = check_store_url(place.url, url_source::private_source); !checked)
      return base::fail(base::errc::config_invalid,
                        std::string{store_variable} + ": " + checked.error().detail);
  } else if (text.find("://") != std::string::npos) {
    place.url = text;
  } else {
    place.data_dir = text;
  }
  return place;
}

bool are_same(const store::store_place& one, const store::store_place& other) {
  if (one.url != other.url || !one.url.empty()) return one.url == other.url;
  std::error_code ignored;
  return std::filesystem::equivalent(one.data_dir, other.data_dir, ignored);
}

base::expected<void> check_places(const store::store_place& from, const store::store_place& into) {
  if (auto there = store::require_store(from); !there) return there;
  if (are_same(from, into))
    return base::fail(base::errc::config_invalid,
                      "FROM and TO are the same store. Use two different ones");
  if (!into.url.empty()) return {};
  const auto user = base::working_user();
  auto taken = store::take_owner(into);
  if (!taken || !from.url.empty() || user == base::working_user()) return taken;
  return base::fail(base::errc::config_invalid,
                    "FROM belongs to root and TO to another user, and root works on a directory as "
                    "its owner. Give both to one user (chown)");
}

using secrets_ptr = std::shared_ptr<store::secret_store>;

base::expected<std::pair<secrets_ptr, secrets_ptr>> open_both(const store::store_place& from,
                                                              const store::store_place& into) {
  auto source = store::open_secrets(from);
  if (!source) return tl::unexpected(source.error());
  auto target = store::open_secrets(into);
  if (!target) return tl::unexpected(target.error());
  return std::pair{*std::move(source), *std::move(target)};
}

base::expected<std::vector<copied_secret>> copy_secrets(store::secret_store& from,
                                                        store::secret_store& into) {
  std::vector<copied_secret> copied;
  for (std::size_t which = 0; which < store::named_secrets.size(); ++which) {
    const auto name = static_cast<store::secret_name>(which);
    const auto versions = from.find(name);
    if (!versions) return tl::unexpected(versions.error());
    const auto label = store::facts_of(name).name;
    copied.push_back({label, *versions ? (*versions)->size() : 0});
    if (!*versions) continue; // made when first needed
    if (auto done = into.replace(name, **versions); !done) return tl::unexpected(done.error());
    const auto written = into.find(name);
    if (!written) return tl::unexpected(written.error());
    if (*written != *versions)
      return base::fail(base::errc::store_failed,
                        "the secret " + std::string{label} +
                            " differs: another process changed it during the copy. Stop services "
                            "on TO and run the command again");
  }
  return copied;
}

base::expected<copy_report> copy_between(const store::store_place& from,
                                         const store::store_place& into, bool with_secrets) {
  const cli::interrupt until;
  // Anything missing is found before anything is written.
  std::pair<secrets_ptr, secrets_ptr> secrets;
  if (with_secrets) {
    auto opened = open_both(from, into);
    if (!opened) return tl::unexpected(opened.error());
    secrets = *std::move(opened);
  }
  const auto source = store::open_connection(from, store::older_schema::refuses);
  if (!source) return tl::unexpected(source.error());
  std::optional<store::filling> alone;
  if (into.url.empty()) {
    auto begun = store::make_data_directory(into.data_dir).and_then([&] {
      return store::filling::begin(into.data_dir);
    });
    if (!begun) return tl::unexpected(begun.error());
    alone = *std::move(begun);
  }
  const auto target = store::open_connection(into);
  if (!target) return tl::unexpected(target.error());
  cli::progress_display progress{base::machine_clock()};
  std::string step;
  const store::copy_watch watch{[&] { return until.came(); },
                                [&](std::string_view what, std::uint64_t rows) {
                                  if (std::exchange(step, what) != what)
                                    progress.begin(what, std::nullopt);
                                  progress.show(rows, rows);
                                }};
  auto tables = store::copy_store({**source, from.name()}, {**target, into.name()}, watch);
  if (!tables) return tl::unexpected(tables.error());
  copy_report report{*std::move(tables), {}};
  if (!with_secrets) return report;
  auto copied = copy_secrets(*secrets.first, *secrets.second);
  if (!copied) return tl::unexpected(copied.error());
  report.secrets = *std::move(copied);
  return report;
}

base::expected<std::string> copy(const copy_options& options) {
  const auto from = place_of(options.from, options);
  if (!from) return tl::unexpected(from.error());
  const auto into = place_of(options.into, options);
  if (!into) return tl::unexpected(into.error());
  if (auto checked = check_places(*from, *into); !checked) return tl::unexpected(checked.error());
  return copy_between(*from, *into, options.with_secrets).map([&](const copy_report& done) {
    return options.format == "json" ? json_of(done) : table_of(done, terminal_width());
  });
}

constexpr const char* store_copy_help =
    "FROM and TO are each a data directory or a PostgreSQL database: postgresql://HOST/DATABASE. A "
    "URL must not have a password: put it into ~/.pgpass or a service file, or use `env` for the "
    "URL in MATCHCLOUD_STORE.\n\n"
    "Copies the catalog, avatars, lobbies, tokens and the audit log from one snapshot, then reads "
    "both stores completely and compares them. TO must be empty, or contain an unfinished copy: "
    "after ctrl-c, a kill or a lost connection, run the same command again to continue. Anything "
    "else in TO is refused and left unchanged. Once both are the same, TO's audit log gets an "
    "entry store.copy, which is not compared.\n\n"
    "No service may run on TO during the copy. Stop services on FROM too: what they write after "
    "the start is not copied. This program first migrates FROM to its schema, as every command "
    "does.\n\n"
    "Images stay where they are: copy DATA_DIR/media with cp or rsync. Exports are made again when "
    "requested. With --with-secrets TO gets FROM's signing keys, so that URLs in use stay valid; "
    "PostgreSQL then needs --master-key-file, the same key for "
    "both sides.\n\n"
    "Example: matchcloud store copy var postgresql:///matchcloud\n"
    "Example: matchcloud store copy --with-secrets --master-key-file key env var";

} // namespace

void add_store_copy_command(CLI::App& store, int& code) {
  auto* command = store.add_subcommand("copy", "Copy a store into another, of either engine.");
  set_help(*command, store_copy_help);
  const auto options = std::make_shared<copy_options>();
  const CLI::Validator side{check_side, ""};
  command->add_option("FROM", options->from, "The store to copy.")->required()->check(side);
  command->add_option("TO", options->into, "The new store.")->required()->check(side);
  command->add_flag("--with-secrets", options->with_secrets,
                    "Copy signing keys too, in place of those of TO.");
  command
      ->add_option("--master-key-file", options->master_key_file,
                   "The file with the key that encrypts secrets in PostgreSQL.")
      ->envname("MATCHCLOUD_MASTER_KEY_FILE")
      ->check(named_file());
  command->add_flag("--store-unverified", options->allow_unverified,
                    "Reach a PostgreSQL server beyond loopback without sslmode=verify-full.");
  cli::add_format_option(*command, options->format);
  command->callback(
      [options, &code] { code = cli::print_outcome("matchcloud store copy", copy(*options)); });
}

} // namespace matchcloud::app
