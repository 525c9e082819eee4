#include "store/backup/make_backup.hpp"

#include "base/clock.hpp"
#include "base/crypto/sha256.hpp"
#include "base/files/sync_directory.hpp"
#include "base/files/working_identity.hpp"
#include "base/hexadecimal.hpp"
#include "model/avatars/image_content.hpp"
#include "model/text/counts.hpp"
#include "store/backup/row_checks.hpp"
#include "store/backup/verify.hpp"
#include "store/backup/whole_backup.hpp"
#include "store/copy/store_copy.hpp"
#include "store/database_file.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/new_file.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sqlite/sqlite.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;
using base::value_of;

/// How often the database is copied: again if an image that it refers to was removed in between.
constexpr int database_tries = 4;

base::failure unsuitable(const std::string& folder, const std::string& why) {
  return {base::errc::config_invalid, "{}: {}", folder, why};
}

bool is_in_place(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Why a folder that is not empty cannot receive a backup.
base::failure refuse_full(const std::string& folder) {
  if (is_in_place(fs::path{folder} / manifest_name))
    return unsuitable(
        folder, "it already has a backup; use another folder, such as one named after the date");
  if (is_in_place(fs::path{folder} / unfinished_manifest_name))
    return unsuitable(folder,
                      "a backup into this folder is running, or was interrupted and is not whole; "
                      "if none is running, remove the folder, or use another");
  return unsuitable(folder, "the folder is not empty; use one that is missing or empty");
}

/// Returns whether the folder was missing; otherwise it must be empty.
bool make_empty_folder(const std::string& folder) {
  std::error_code failed;
  const auto status = fs::status(folder, failed);
  if (status.type() == fs::file_type::not_found) {
    const auto parent = fs::path{folder}.parent_path();
    if (!parent.empty() && !is_in_place(parent))
      throw unsuitable(folder, "the folder " + parent.string() + " is missing; create it first");
    make_data_directory(folder);
    return true;
  }
  if (!failed && !fs::is_directory(status)) throw unsuitable(folder, "it is not a folder");
  const bool is_empty = !failed && fs::is_empty(folder, failed);
  if (failed) throw file_failure(folder, "look at the folder", failed.value());
  if (!is_empty) throw refuse_full(folder);
  return false;
}

/// A folder that becomes a backup; it is removed with this object unless it was completed. Its
/// files are written as the user that started the process and chose the folder; sources are read as
/// the user of `take_owner`. One thread. Throws `store_failed`, `store_full` or `cancelled`.
class new_backup {
public:
  /// `folder` is missing or empty. Throws `config_invalid` otherwise.
  new_backup(std::string folder, const copy_watch& watch)
      : folder_{std::move(folder)}, watch_{&watch} {
    const base::as_invoker self;
    is_own_ = make_empty_folder(folder_);
    manifest_.emplace(path_of(unfinished_manifest_name));
  }
  new_backup(const new_backup&) = delete;
  ~new_backup() {
    if (is_whole_) return;
    const base::as_invoker self;
    ::unlink(path_of(manifest_name).c_str());
    std::error_code ignored; // the next backup refuses what is left
    fs::directory_iterator entry{folder_, ignored};
    for (; !ignored && entry != fs::directory_iterator{}; entry.increment(ignored))
      if (std::error_code stays; entry->path().filename() != unfinished_manifest_name)
        fs::remove_all(entry->path(), stays);
    ::unlink(path_of(unfinished_manifest_name).c_str());
    if (is_own_) ::rmdir(folder_.c_str());
  }

  /// The digest of an added file; nothing if there is none of this name.
  std::optional<std::string> digest_of(const std::string& name) const {
    const auto at = files_.find(name);
    return at == files_.end() ? std::nullopt : std::optional{at->second.sha256};
  }
  /// Adds the file at `source`, which is never written to: by a hard link, or by a copy if that is
  /// impossible. Does nothing if there is no such file.
  void add(const std::string& source, const std::string& name) {
    const auto file = regular_file::open(source);
    if (!file) return;
    const base::as_invoker self;
    make_folder_of(name);
    // Exactly the file that was opened, whatever has its name by now.
    const auto opened = "/proc/self/fd/" + std::to_string(file->file.get());
    const bool is_linked =
        ::linkat(AT_FDCWD, opened.c_str(), AT_FDCWD, path_of(name).c_str(), AT_SYMLINK_FOLLOW) == 0;
    if (is_linked)
      note(name, file->size_bytes, file->read(*watch_));
    else
      write(name, [&](const take_bytes& take) { return std::optional{file->read(*watch_, take)}; });
  }
  /// Adds a copy of an object. Does nothing if there is none.
  void add(object_store& from, const object_name& name) {
    const base::as_invoker self;
    make_folder_of(name.text());
    write(name.text(),
          [&](const take_bytes& take) { return read_object(from, name, *watch_, take); });
  }
  void add_text(const std::string& name, std::string_view text) {
    const base::as_invoker self;
    write(name, [&](const take_bytes& take) {
      take(text);
      return std::optional{base::hexadecimal(base::sha256(text))};
    });
  }
  /// Adds a file that other code made in the folder.
  void add_own(const std::string& name) {
    const base::as_invoker self;
    const auto file = regular_file::open(path_of(name));
    if (!file)
      throw base::failure{base::errc::store_failed, "{}: another process removed it",
                          path_of(name)};
    note(name, file->size_bytes, file->read(*watch_));
  }
  /// Removes all other added files.
  void keep_only(const std::set<std::string>& names) {
    const base::as_invoker self;
    std::erase_if(files_, [&](const auto& each) {
      if (names.contains(each.first)) return false;
      ::unlink(path_of(each.first).c_str());
      return true;
    });
  }

  /// Syncs everything, then writes the manifest with the added files. The last call.
  backup_manifest complete(backup_manifest manifest) {
    const base::as_invoker self;
    for (const auto& [name, facts] : files_)
      manifest.files.push_back(facts);
    // All files and folders at once: one by one, each would wait for the disk.
    const base::file_descriptor folder{::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!folder || ::syncfs(folder.get()) != 0) throw file_failure(folder_, "sync the folder");
    manifest_->append(render_manifest(manifest));
    manifest_->sync();
    manifest_->rename_to(path_of(manifest_name));
    const auto parent = fs::path{folder_}.parent_path();
    value_of(base::sync_directory(folder_));
    value_of(base::sync_directory(parent.empty() ? "." : parent.string()));
    is_whole_ = true;
    return manifest;
  }

private:
  std::string path_of(const std::string& name) const { return folder_ + "/" + name; }

  void make_folder_of(const std::string& name) const {
    make_folders_in(folder_, std::string_view{name}.substr(0, name.rfind('/')));
  }
  void note(const std::string& name, std::uint64_t size_bytes, std::string sha256) {
    files_.insert_or_assign(name, backup_file{name, size_bytes, std::move(sha256)});
  }
  /// Writes the bytes that `read` passes on. It returns their digest, or nothing if there are none.
  template <class Read>
  void write(const std::string& name, Read read) {
    new_file into{path_of(name)};
    auto sha256 = read([&](std::string_view piece) { into.append(piece); });
    if (!sha256) return;
    into.keep();
    note(name, into.size_bytes(), *std::move(sha256));
  }

  std::string folder_;
  const copy_watch* watch_;
  /// Whether the folder itself was made too.
  bool is_own_ = false;
  std::optional<new_file> manifest_;
  bool is_whole_ = false;
  std::map<std::string, backup_file> files_;
};

// -- the database -----------------------------------------------------------------

std::string database_in(const std::string& folder) {
  return folder + "/" + database_file_name;
}

void take_pages(const backup_request& what, const copy_watch& watch) {
  auto source = sqlite_connection::open(database_in(what.from.data_dir));
  const auto snapshot = sql_transaction::read(source, "begin reading the store");
  const auto version = check_schema(source);
  if (version == 0) throw source.failure("back up the store", "there is nothing in it yet");
  sqlite_schema().check_is_known(version, source.path());
  check_is_whole(source, what.from.name());
  // All files of the store are open by now.
  const base::as_invoker self;
  new_file{database_in(what.folder)}.keep();
  auto into = sqlite_connection::open(database_in(what.folder));
  into.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", "configure the connection");
  source.copy_pages(into, watch.stop,
                    [&](std::uint64_t pages, std::uint64_t) { watch.tell("pages copied", pages); });
}

void take_rows(const backup_request& what, const copy_watch& watch) {
  const auto source = value_of(open_connection(what.from, older_schema::refuses));
  const base::as_invoker self;
  const auto into = open_sqlite_connection(what.folder);
  value_of(copy_store({*source, what.from.name()}, {*into, what.folder}, watch));
  // The source's log has no such entry.
  static constexpr sql_command forget{
      "DELETE FROM audit WHERE entry = (SELECT max(entry) FROM audit) AND action = $1",
      "forget the copy"};
  auto changes = sql_transaction::write(*into, std::nullopt, "forget the copy");
  into->run(forget, {name_of(model::audit_action::store_copy)});
  changes.commit();
}

/// Makes the database of the backup. Rows about objects that it does not have and about running
/// processes are left out.
void take_database(const backup_request& what, const copy_watch& watch) {
  if (what.from.url.empty())
    take_pages(what, watch);
  else
    take_rows(what, watch);
  const base::as_invoker self;
  auto db = sqlite_connection::open(database_in(what.folder));
  // A single file that can be read without creating others next to it.
  db.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF", "settle the copy");
  migrate(db);
  db.execute("DELETE FROM exports; DELETE FROM replicas", "settle the copy");
}

/// Pages are copied unread, and what `restore` would refuse is of no use.
void check_copy(sqlite_connection& copy, const std::string& name, const copy_watch& watch) {
  watch.tell("database checked", 0);
  std::string damage;
  copy.find_damage(watch.stop, [&](std::string_view mistake) {
    if (damage.empty()) damage = mistake;
  });
  if (!damage.empty())
    throw base::failure{base::errc::store_failed,
                        "{}: the database is damaged: {}. A whole backup of it is impossible. "
                        "`matchcloud verify` lists all damage; restore an earlier backup",
                        name, damage};
  for (const auto& each : compare_schema(copy, sqlite_schema().newest()))
    throw base::failure{base::errc::store_failed,
                        "{}: {}. `matchcloud restore` would refuse a backup of it: undo what "
                        "changed the schema, then back up",
                        name, each.detail};
}

// -- the whole --------------------------------------------------------------------

/// A folder in the data directory would be mistaken for a part of the store.
void check_is_apart(const backup_request& what) {
  if (!what.from.url.empty() && what.from.has_bucket()) return;
  std::error_code ignored;
  const auto in = fs::weakly_canonical(fs::absolute(what.from.data_dir, ignored), ignored);
  const auto folder = fs::weakly_canonical(fs::absolute(what.folder, ignored), ignored);
  const auto differ = std::mismatch(in.begin(), in.end(), folder.begin(), folder.end());
  if (differ.first == in.end())
    throw unsuitable(what.folder, "it is in the data directory to back up; use a folder elsewhere, "
                                  "preferably on another disk");
}

/// Adds the images that rows refer to, and returns the names of those that are not in the store.
std::vector<std::string> add_images(const backup_request& what,
                                    const std::vector<image_key>& images, object_store* bucket,
                                    new_backup& into, const copy_watch& watch) {
  std::vector<std::string> missing;
  std::uint64_t added = 0;
  for (const auto& key : images) {
    watch.go_on();
    watch.tell("images copied", ++added);
    const auto name = object_of(key);
    if (into.digest_of(name.text())) continue;
    if (bucket != nullptr)
      into.add(*bucket, name);
    else
      into.add(media_path(what.from.data_dir, key), name.text());
    const auto digest = into.digest_of(name.text());
    if (!digest)
      missing.push_back(name.text());
    else if (!digest->starts_with(model::digest_text(key.name)))
      throw base::failure{base::errc::store_failed,
                          "{}: the image is damaged: its bytes do not match the digest in its "
                          "name. `matchcloud verify` lists all damaged images; import those "
                          "avatars again with their images, then back up",
                          name.text()};
  }
  return missing;
}

/// Adds rows and images of one state, and returns the rows' facts.
std::vector<table_facts> add_state(const backup_request& what, object_store* bucket,
                                   new_backup& into, const copy_watch& watch) {
  for (int tries = 1;; ++tries) {
    {
      const base::as_invoker self;
      remove_database(what.folder);
    }
    take_database(what, watch);
    auto copy = open_backup_database(what.folder);
    check_copy(copy, what.from.name(), watch);
    const auto snapshot = sql_transaction::read(copy, "begin reading the copy");
    const auto rows = read_rows(copy, watch, false);
    const auto missing = add_images(what, rows.images, bucket, into, watch);
    if (missing.empty()) {
      // Without images that only the rows of an earlier try referred to.
      std::set<std::string> named;
      for (const auto& key : rows.images)
        named.insert(object_of(key).text());
      into.keep_only(named);
      into.add_own(database_file_name);
      return rows.tables;
    }
    if (tries == database_tries)
      throw base::failure{
          base::errc::store_failed,
          "{} that avatars refer to {} missing in {}, such as {}, so a whole backup of it is "
          "impossible. `matchcloud verify` lists them; import those avatars again with their "
          "images, then back up. `matchcloud store copy` copies the rows alone",
          model::counted(missing.size(), "image"),
          (missing.size() == 1 ? "is" : "are"),
          what.from.name(),
          missing.front()};
  }
}

backup_manifest back_up(const backup_request& what, const copy_watch& watch) {
  // Everything that can be missing is opened before anything is written.
  value_of(require_store(what.from));
  check_is_apart(what);
  std::shared_ptr<secret_store> secrets;
  if (what.with_secrets) secrets = value_of(open_secrets(what.from));
  std::shared_ptr<object_store> bucket;
  if (what.from.has_bucket())
    bucket = value_of(open_objects(what.from));
  else
    value_of(take_owner(what.from));
  new_backup into{what.folder, watch};
  backup_manifest made;
  made.program = what.program;
  made.engine = what.from.url.empty() ? "SQLite" : "PostgreSQL";
  made.source = what.from.name();
  made.schema = sqlite_schema().newest();
  made.begun_ts = base::machine_clock().unix_ms();
  made.tables = add_state(what, bucket.get(), into, watch);
  if (secrets)
    if (const auto versions = value_of(secrets->find())) // otherwise created when first needed
      into.add_text(std::string{signing_keys_name}, render_secrets(*versions));
  made.ended_ts = base::machine_clock().unix_ms();
  return into.complete(std::move(made));
}

} // namespace

base::expected<backup_manifest> make_backup(const backup_request& what, const copy_watch& watch) {
  return base::attempt([&] { return back_up(what, watch); });
}

} // namespace matchcloud::store
