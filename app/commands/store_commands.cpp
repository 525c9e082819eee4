#include "app/commands/commands.hpp"
#include "app/config/store_url.hpp"
#include "app/reports/store_reports.hpp"
#include "app/reports/text_table.hpp"
#include "base/build_info.hpp"
#include "base/clock.hpp"
#include "base/files/working_identity.hpp"
#include "cli/print.hpp"
#include "store/backup/make_backup.hpp"
#include "store/copy/store_copy.hpp"
#include "store/objects/object_audit.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace matchcloud::app {

namespace {

/// A page of rows takes the server milliseconds; counting a large table takes longer.
constexpr std::chrono::minutes statement_timeout{2};

// -- store copy ---------------------------------------------------------------

struct copy_options {
  std::string from;
  std::string into;
  /// What holds for both.
  store::store_place either{.statement_timeout = statement_timeout};
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

store::store_place place_of(const std::string& text, const copy_options& options) {
  auto place = options.either;
  if (text == "env") {
    place.url = store_url_of_environment();
    if (auto checked = check_store_url(place.url, url_source::private_source); !checked)
      refuse(std::string{store_variable} + ": " + checked.error().detail);
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

void check_places(const store::store_place& from, const store::store_place& into) {
  value_of(store::require_store(from));
  if (are_same(from, into)) refuse("FROM and TO are the same store. Use two different ones");
  if (!into.url.empty()) return;
  const auto user = base::working_user();
  value_of(store::take_owner(into));
  if (from.url.empty() && user != base::working_user())
    refuse(
        "FROM belongs to root and TO to another user, and root works on a directory as its owner. "
        "Give both to one user (chown)");
}

std::vector<copied_secret> copy_secrets(store::secret_store& from, store::secret_store& into) {
  const auto versions = value_of(from.find());
  if (!versions) return {{store::signing_keys_name, 0}}; // made when first needed
  value_of(into.replace(*versions));
  if (value_of(into.find()) != versions)
    give_up("the secret signing-keys differs: another process changed it during the copy. Stop "
            "services on TO and run the command again");
  return {{store::signing_keys_name, versions->size()}};
}

std::string copy_store(const copy_options& options, command_run& in) {
  const auto from = place_of(options.from, options);
  const auto into = place_of(options.into, options);
  check_places(from, into);
  const auto watch = watch_of(in);
  // Anything missing is found before anything is written.
  std::shared_ptr<store::secret_store> source_secrets;
  std::shared_ptr<store::secret_store> target_secrets;
  if (options.with_secrets) {
    source_secrets = value_of(store::open_secrets(from));
    target_secrets = value_of(store::open_secrets(into));
  }
  const auto source = value_of(store::open_connection(from, store::older_schema::refuses));
  std::optional<store::filling> alone;
  if (into.url.empty()) {
    store::make_data_directory(into.data_dir);
    alone = store::filling::begin(into.data_dir);
  }
  const auto target = value_of(store::open_connection(into));
  copy_report report;
  // While TO is marked as unfinished, so that the command can be repeated.
  const auto first = [&] {
    if (options.with_secrets) report.secrets = copy_secrets(*source_secrets, *target_secrets);
  };
  auto tables = store::copy_store({*source, from.name()}, {*target, into.name()}, watch, first);
  if (!tables && tables.error().code != base::errc::import_invalid)
    tables.error().detail += "; run the same command again, which copies everything again";
  report.tables = value_of(std::move(tables));
  return options.format == "json" ? json_of(report) : table_of(report, terminal_width());
}

void add_copy(CLI::App& command, copy_options& options) {
  const CLI::Validator side{check_side, ""};
  command.add_option("FROM", options.from, "The store to copy.")->required()->check(side);
  command.add_option("TO", options.into, "The new store.")->required()->check(side);
  command.add_flag("--with-secrets", options.with_secrets,
                   "Copy signing keys too, in place of those of TO.");
  add_master_key_option(command, options.either);
  command.add_flag("--store-unverified", options.either.allow_unverified,
                   "Reach a PostgreSQL server beyond loopback without sslmode=verify-full.");
  cli::add_format_option(command, options.format);
}

constexpr const char* store_copy_help =
    "FROM and TO are each a data directory or a PostgreSQL database: postgresql://HOST/DATABASE. A "
    "URL must not have a password: put it into ~/.pgpass or a service file, or use `env` for the "
    "URL in MATCHCLOUD_STORE.\n\n"
    "Copies the catalog, avatars, lobbies, tokens and the audit log from one snapshot, then reads "
    "TO and compares both. TO must be empty, or contain an unfinished copy: after ctrl-c, a kill "
    "or a lost connection, run the same command again, which copies everything again. Anything "
    "else in TO is refused and left unchanged. Once both are the same, TO's audit log gets an "
    "entry store.copy.\n\n"
    "No service may run on TO during the copy. Stop services on FROM too: what they write after "
    "the start is not copied. FROM must have this program's schema.\n\n"
    "Images stay where they are: copy DATA_DIR/media with cp or rsync. Exports are made again when "
    "requested. With --with-secrets TO gets FROM's signing keys, so that URLs in use stay valid; "
    "PostgreSQL then needs --master-key-file, the same key for "
    "both sides.\n\n"
    "Example: matchcloud store copy var postgresql:///matchcloud\n"
    "Example: matchcloud store copy --with-secrets --master-key-file key env var";

// -- backup, restore, verify --------------------------------------------------

struct backup_options {
  /// The backup's folder; empty if none was given.
  std::string folder;
  bool with_secrets = false;
  configuration_options configuration;
  std::string format = "table";
};

/// Where the store is, according to the flags, the environment and the file.
store::store_place place_of(const backup_options& given) {
  std::vector<std::string> unknown; // serve warns about these
  auto place = value_of(read_given(given.configuration, unknown).and_then(make_config)).store;
  place.statement_timeout = statement_timeout;
  return place;
}

template <class Report>
std::string shown(const Report& report, const backup_options& given) {
  return given.format == "json" ? json_of(report) : text_of(report);
}

std::string back_up(const backup_options& given, command_run& in) {
  const auto place = place_of(given);
  const auto of = value_of(store::make_backup(
      {place, given.folder, given.with_secrets, std::string{base::built().version}}, watch_of(in)));
  return shown(backup_report{given.folder, of}, given);
}

std::string restore(const backup_options& given, command_run& in) {
  const auto place = place_of(given);
  auto done = store::restore_backup(given.folder, place, watch_of(in));
  if (!done && done.error().code == base::errc::cancelled)
    done.error().detail += "; run the same command again to complete it";
  return shown(restore_report{given.folder, place.name(), value_of(std::move(done))}, given);
}

std::string verify(const backup_options& given, command_run& in) {
  const auto watch = watch_of(in);
  const auto found = value_of(given.folder.empty() ? store::verify_store(place_of(given), watch)
                                                   : store::verify_backup(given.folder, watch));
  if (const auto faults = found.faults(); faults > 0)
    in.end_with(failed, cli::said(in.name(), found.name + ": " + std::to_string(faults) +
                                                 (faults == 1 ? " item is" : " items are") +
                                                 " missing or damaged"));
  return given.format == "json" ? json_of(found) : table_of(found, terminal_width());
}

constexpr const char* backup_help =
    "Makes a backup in DIR, which must be missing or empty. A service may be running. The backup "
    "has all rows as of one moment and the images of avatars. Its database is a SQLite file, "
    "whatever the engine of the store. Images are hard links on the same disk, and copies "
    "otherwise.\n\n"
    "The backup is complete once DIR has manifest.json, which is written last and has a digest of "
    "itself and of each file and table. A failed or interrupted run removes what it made. A killed "
    "run leaves a "
    "folder without manifest.json, which restore and verify refuse.\n\n"
    "Signing keys are included only with --with-secrets, in a file that only its owner can read: "
    "protect that backup as you protect the keys. Every backup has the tokens, as "
    "digests. Exports are not included; they are made again when requested.\n\n"
    "Example: matchcloud backup /backup/2026-11-26 --config /etc/matchcloud/matchcloud.toml\n"
    "Example: matchcloud backup --with-secrets /backup/today --data-dir var";

constexpr const char* restore_help =
    "Restores the backup in DIR into an empty place: a missing or empty data directory, or a "
    "PostgreSQL database without a store, with images in the data directory or a bucket. Start the "
    "service afterwards. The engine may differ from the engine of the original store.\n\n"
    "The backup is verified first, and a damaged one is not restored. No service "
    "can start on the restored data until the restore is complete. After ctrl-c, a kill or a lost "
    "connection, run the same command again to complete it.\n\n"
    "Signing keys are restored if the backup has them. Earlier export URLs stop working, and "
    "clients request new ones. Tokens stay valid. Anything revoked or removed after the backup is "
    "back; revoke or remove it again.\n\n"
    "Example: matchcloud restore /backup/2026-11-26 --data-dir var\n"
    "Example: matchcloud restore /backup/2026-11-26 --store postgresql:///matchcloud --objects "
    "s3://bucket";

constexpr const char* verify_help =
    "Reads a whole store, or with DIR a whole backup, and reports what is missing, damaged or "
    "unreferenced. A service may be running.\n\n"
    "In a store it checks SQLite's pages and indexes, each image against the digest in its name, "
    "and each export. In one snapshot, it checks whether all rows refer to existing games, "
    "namespaces, regions and kinds of lobbies, and whether exports find each lobby.\n"
    "In a backup it also checks each file and table against the manifest, and the schema against "
    "that "
    "of a new store. It changes nothing.\n\n"
    "Unreferenced images are harmless: `matchcloud objects check --remove` removes them from a "
    "store.\n\n"
    "Exits with 1 if anything is missing or damaged.\n\n"
    "Example: matchcloud verify --data-dir var\n"
    "Example: matchcloud verify /backup/2026-11-26";

/// Adds the argument DIR, the keys of serve that say where a store is, and `--format`.
void add_backup(CLI::App& command, backup_options& options, const char* folder, bool is_backup) {
  auto& into = options.folder;
  command
      .add_option_function<std::string>(
          "DIR",
          [&into](std::string named) {
            while (named.size() > 1 && named.back() == '/')
              named.pop_back();
            into = std::move(named);
          },
          folder)
      ->check(not_empty());
  if (is_backup)
    command.add_flag("--with-secrets", options.with_secrets, "Back up signing keys too.");
  add_configuration(command, options.configuration,
                    {"data-dir", "store", "store-unverified", "master-key-file", "objects",
                     "objects-endpoint", "objects-region", "objects-path-style", "objects-ca-file",
                     "objects-metadata-credentials"});
  cli::add_format_option(command, options.format);
}

// -- objects check ------------------------------------------------------------

struct check_options {
  store::store_place store;
  std::uint64_t age_h = 24;
  bool removes = false;
  std::string format = "table";
};

std::string check_objects(const check_options& options, command_run& in) {
  const auto& until = in.until();
  const auto database = value_of(options.removes ? store::open_existing_store(options.store)
                                                 : store::open_to_read(options.store));
  const auto objects = value_of(store::open_objects(options.store));
  store::object_audit_settings settings;
  settings.age = std::chrono::hours{options.age_h};
  settings.now_ts = time_of(*database);
  settings.stop = [&] { return until.came(); };
  object_report report{
      value_of(store::audit_objects(*database, *objects, settings)), options.age_h, {}};
  if (options.removes)
    report.removed =
        value_of(store::remove_unreferred(*database, *objects, report.found, settings));
  if (const auto missing = report.found.missing.size(); missing > 0)
    in.end_with(failed, cli::said(in.name(), std::to_string(missing) +
                                                 (missing == 1 ? " referenced object is"
                                                               : " referenced objects are") +
                                                 " missing; import the avatars again, with their "
                                                 "images"));
  return options.format == "json" ? json_of(report) : table_of(report, terminal_width());
}

void add_check(CLI::App& command, check_options& options) {
  add_store_options(command, options.store);
  add_objects_options(command, options.store);
  command
      .add_option("--age-hours", options.age_h,
                  "Ignore objects younger than this many hours, because objects that are being "
                  "written are not referenced yet.")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{87'600}).description("1 to 87600"));
  command.add_flag("--remove", options.removes, "Remove objects that nothing references.");
  cli::add_format_option(command, options.format);
}

constexpr const char* objects_check_help =
    "Compares the objects that avatars and exports reference with the stored objects: those in the "
    "bucket, or those in the data directory. Lists referenced objects that are missing, and "
    "stored objects that nothing references: images of replaced avatars, and leftovers of killed "
    "processes.\n\n"
    "With --remove the latter are removed if they are older than --age-hours. A service may be "
    "running; an import of avatars should not, because it may be about to reference an old image "
    "again.\n\n"
    "Exits with 1 if anything is missing.\n\n"
    "Example: matchcloud objects check --data-dir var\n"
    "Example: matchcloud objects check --store postgresql:///matchcloud --objects s3://bucket "
    "--remove";

// -- signing-key rotate -------------------------------------------------------

struct rotate_options {
  store::store_place store;
  bool revoke = false;
};

std::string rotate_key(const rotate_options& options, command_run&) {
  // The store does not hold the keys, so the audit entry is written first: a rotation that then
  // fails leaves an entry, but no rotation lacks one.
  const auto* after = options.revoke ? R"({"revoke":true})" : R"({"revoke":false})";
  const auto in = value_of(store::open_existing_store(options.store));
  value_of(
      value_of(in->access())->record({model::audit_action::signing_key_rotate, {}, {}, after}));
  const auto replaced =
      options.revoke ? store::replaced_secrets::revoke : store::replaced_secrets::keep;
  value_of(value_of(store::open_secrets(options.store))
               ->rotate(base::machine_clock().unix_ms(), replaced));
  return options.revoke
             ? "a new key signs from now on; URLs handed out so far are refused\n"
             : "a new key signs from now on; URLs handed out so far work until they expire\n";
}

constexpr const char* signing_key_help =
    "The URL of an export is signed, so that only clients that were given it can "
    "download. The keys are in DATA_DIR/signing-keys; the first server that needs "
    "them makes them.\n\nExample: matchcloud signing-key rotate";

constexpr const char* signing_key_rotate_help =
    "URLs that the replaced key signed work until they expire. With --revoke they stop "
    "working at once: use it if a key may have leaked. Clients that lose a URL this way "
    "request the export again. Running servers follow within seconds.\n\n"
    "Example: matchcloud signing-key rotate --data-dir var\n"
    "Example: matchcloud signing-key rotate --revoke --data-dir var";

} // namespace

cli::commands store_commands() {
  return {{"store", "Copy a whole store.",
           "Example: matchcloud store copy var postgresql:///matchcloud"},
          command_with<copy_options>("store copy", "Copy a store into another, of either engine.",
                                     store_copy_help, add_copy, copy_store)};
}

cli::commands backup_commands() {
  return {command_with<backup_options>(
              "backup", "Make a backup of a store, even while a service runs.", backup_help,
              [](CLI::App& command, backup_options& options) {
                add_backup(command, options, "The folder of the backup: missing or empty.", true);
                command.get_option("DIR")->required();
              },
              back_up),
          command_with<backup_options>(
              "restore", "Restore a backup into an empty place.", restore_help,
              [](CLI::App& command, backup_options& options) {
                add_backup(command, options, "The folder of the backup.", false);
                command.get_option("DIR")->required();
              },
              restore),
          command_with<backup_options>(
              "verify", "Check a store or a backup for missing or damaged data.", verify_help,
              [](CLI::App& command, backup_options& options) {
                add_backup(command, options,
                           "The folder of a backup. Without it the store is checked.", false);
              },
              verify)};
}

cli::commands objects_commands() {
  return {{"objects", "Check stored images and exports.",
           "Example: matchcloud objects check --data-dir var"},
          command_with<check_options>("objects check",
                                      "Find objects that are missing, or that nothing references.",
                                      objects_check_help, add_check, check_objects)};
}

cli::commands signing_key_commands() {
  return {{"signing-key", "Change the key that signs URLs.", signing_key_help},
          command_with<rotate_options>(
              "signing-key rotate", "Sign with a new key from now on.", signing_key_rotate_help,
              [](CLI::App& command, rotate_options& options) {
                add_store_options(command, options.store);
                add_master_key_option(command, options.store);
                command.add_flag("--revoke", options.revoke,
                                 "Refuse everything that earlier keys signed, at once.");
              },
              rotate_key)};
}

} // namespace matchcloud::app
