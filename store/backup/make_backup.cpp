#include "store/backup/make_backup.hpp"

#include "base/clock.hpp"
#include "base/hexadecimal.hpp"
#include "model/avatars/image_name.hpp"
#include "store/backup/backup_database.hpp"
#include "store/backup/file_digest.hpp"
#include "store/backup/new_backup.hpp"
#include "store/backup/store_rows.hpp"
#include "store/database_file.hpp"
#include "store/exports/export_folder.hpp"
#include "store/files/secret_text.hpp"
#include "store/media/media_files.hpp"
#include "store/sqlite/migrations.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;

/// How often the database is copied: again if an image that it refers to was removed in between.
constexpr int database_tries = 4;

/// A folder in the data directory would be mistaken for a part of the store.
base::expected<void> check_is_apart(const backup_request& what) {
  if (!what.from.url.empty() && what.from.has_bucket()) return {};
  std::error_code ignored;
  const auto in = fs::weakly_canonical(fs::absolute(what.from.data_dir, ignored), ignored);
  const auto folder = fs::weakly_canonical(fs::absolute(what.folder, ignored), ignored);
  const auto differ = std::mismatch(in.begin(), in.end(), folder.begin(), folder.end());
  if (differ.first != in.end()) return {};
  return base::fail(base::errc::config_invalid,
                    what.folder + ": it is in the data directory to back up; use a folder "
                                  "elsewhere, preferably on another disk");
}

class backup_run {
public:
  backup_run(const backup_request& what, const copy_watch& watch) : what_{&what}, watch_{&watch} {}

  base::expected<backup_manifest> run() {
    if (auto ready = prepare(); !ready) return tl::unexpected(ready.error());
    backup_manifest made;
    made.program = what_->program;
    made.engine = what_->from.url.empty() ? "SQLite" : "PostgreSQL";
    made.source = what_->from.name();
    made.begun_ts = base::machine_clock().unix_ms();
    made.has_secrets = what_->with_secrets;
    auto done = take_state();
    if (done && !what_->from.has_bucket()) done = add_exports();
    if (done && what_->with_secrets) done = add_secrets();
    if (done) done = into_->add_own(database_file_name);
    if (!done) return tl::unexpected(done.error());
    made.schema = sqlite_schema().newest();
    made.tables = std::move(rows_.tables);
    made.ended_ts = base::machine_clock().unix_ms();
    return into_->complete(std::move(made));
  }

private:
  /// Opens everything that can be missing before anything is written.
  base::expected<void> prepare() {
    const auto& from = what_->from;
    if (auto there = require_store(from); !there) return there;
    if (auto apart = check_is_apart(*what_); !apart) return apart;
    if (what_->with_secrets) {
      auto secrets = open_secrets(from);
      if (!secrets) return tl::unexpected(secrets.error());
      secrets_ = *std::move(secrets);
    }
    if (from.has_bucket()) {
      auto bucket = open_objects(from);
      if (!bucket) return tl::unexpected(bucket.error());
      bucket_ = *std::move(bucket);
    } else if (auto taken = take_owner(from); !taken) {
      return taken;
    }
    auto into = new_backup::begin(what_->folder);
    if (!into) return tl::unexpected(into.error());
    into_ = *std::move(into);
    return {};
  }

  base::expected<void> may_go_on() const {
    if (watch_->stop && watch_->stop()) return base::fail(base::errc::cancelled, "interrupted");
    return {};
  }

  void show(std::string_view step, std::uint64_t done) const {
    if (watch_->show) watch_->show(step, done);
  }

  // -- rows and images: one state ----------------------------------------------

  base::expected<void> take_state() {
    for (int tries = 1;; ++tries) {
      for (const auto* name : {"", "-wal", "-shm", "-journal"})
        into_->drop(std::string{database_file_name} + name);
      auto done = take_database(what_->from, what_->folder, *watch_);
      if (done) done = read_copy();
      if (!done) return done;
      const auto missing = add_images();
      if (!missing) return tl::unexpected(missing.error());
      if (missing->empty()) break;
      if (tries == database_tries) return lacks_images(*missing);
    }
    drop_other_images();
    return {};
  }

  base::expected<void> read_copy() {
    return base::attempt([this] {
      auto copy = open_backup_database(what_->folder);
      check_pages(copy);
      const auto snapshot = sql_transaction::read(copy, "begin reading the copy");
      rows_ = read_rows(copy, *watch_, false);
    });
  }

  /// Pages are copied unread, so a damaged index would go unnoticed.
  void check_pages(sqlite_connection& copy) const {
    static constexpr sql_command query{"PRAGMA quick_check(1)", "check the database's pages"};
    show("database checked", 0);
    std::string damage;
    const cancellation stops{copy, watch_->stop};
    copy.each(query, {}, [&](sql_row& row) {
      if (row.text(0) != "ok") damage = row.text(0);
    });
    if (damage.empty()) return;
    std::replace(damage.begin(), damage.end(), '\n', ' ');
    throw base::failure{base::errc::store_failed,
                        what_->from.name() + ": the database is damaged: " + damage +
                            ". A whole backup of it is impossible. `matchcloud verify` lists all "
                            "damage; restore an earlier backup"};
  }

  /// Returns the names of images that are not in the store.
  base::expected<std::vector<std::string>> add_images() {
    std::vector<std::string> missing;
    std::uint64_t added = 0;
    for (const auto& key : rows_.images) {
      if (auto may = may_go_on(); !may) return tl::unexpected(may.error());
      const auto name = object_of(key);
      show("images copied", ++added);
      if (into_->has(name.text())) continue;
      const auto there = bucket_ ? into_->add(*bucket_, name)
                                 : into_->add(media_path(what_->from.data_dir, key), name.text());
      if (!there) return tl::unexpected(there.error());
      if (!*there) {
        missing.push_back(name.text());
        continue;
      }
      if (!into_->digest_of(name.text()).starts_with(model::digest_text(key.name)))
        return base::fail(base::errc::store_failed,
                          name.text() +
                              ": the image is damaged: its bytes do not match the digest in its "
                              "name. `matchcloud verify` lists all damaged images; import those "
                              "avatars again with their images, then back up");
    }
    return missing;
  }

  base::expected<void> lacks_images(const std::vector<std::string>& missing) const {
    return base::fail(base::errc::store_failed,
                      std::to_string(missing.size()) +
                          " images that avatars refer to are missing in " + what_->from.name() +
                          ", such as " + missing.front() +
                          ", so a whole backup of it is impossible. `matchcloud verify` lists "
                          "them; import those avatars again with their images, then back up. "
                          "`matchcloud store copy` copies the rows alone");
  }

  /// Drops images that only the rows of an earlier try referred to.
  void drop_other_images() {
    std::set<std::string> named;
    for (const auto& key : rows_.images)
      named.insert(object_of(key).text());
    into_->keep_if([&](const std::string& name) { return named.contains(name); });
  }

  // -- exports and secrets ----------------------------------------------------

  base::expected<void> add_exports() {
    std::error_code none;
    fs::directory_iterator entry{exports_path(what_->from.data_dir), none};
    std::vector<model::uuid> ids;
    for (; !none && entry != fs::directory_iterator{}; entry.increment(none))
      if (const auto id = model::parse_uuid(entry->path().filename().string())) ids.push_back(*id);
    std::uint64_t added = 0;
    for (const auto& id : ids) {
      if (auto done = may_go_on().and_then([&] { return add_export(id); }); !done) return done;
      show("exports copied", ++added);
    }
    return {};
  }

  /// Adds an export, unless it is damaged or expires first.
  base::expected<void> add_export(const model::uuid& id) {
    const auto& data_dir = what_->from.data_dir;
    const auto folder = export_folder::open(data_dir, id);
    const auto about = folder ? folder->about() : tl::unexpected(folder.error());
    if (!about || !folder->csv(*about)) return {};
    const auto path = export_path(data_dir, id) + "/";
    const auto name = path.substr(data_dir.size() + 1);
    for (const auto* file : {export_about_name, export_csv_name, export_gzip_name}) {
      const auto added = into_->add(path + file, name + file);
      if (!added) return tl::unexpected(added.error());
      if (*added || file == export_gzip_name) continue;
      into_->drop(name + export_about_name);
      break;
    }
    return {};
  }

  base::expected<void> add_secrets() {
    for (std::size_t which = 0; which < named_secrets.size(); ++which) {
      const auto name = static_cast<secret_name>(which);
      const auto versions = secrets_->find(name);
      if (!versions) return tl::unexpected(versions.error());
      if (!*versions) continue; // created when first needed
      auto done =
          into_->add_text(std::string{facts_of(name).name}, render_secrets(name, **versions));
      if (!done) return done;
    }
    return {};
  }

  const backup_request* what_;
  const copy_watch* watch_;
  std::shared_ptr<secret_store> secrets_;
  /// Null if images are files.
  std::shared_ptr<object_store> bucket_;
  std::unique_ptr<new_backup> into_;
  store_rows rows_;
};

} // namespace

base::expected<backup_manifest> make_backup(const backup_request& what, const copy_watch& watch) {
  return backup_run{what, watch}.run();
}

} // namespace matchcloud::store
