#include "store/backup/restore.hpp"

#include "base/files/read_bounded.hpp"
#include "base/files/sync_directory.hpp"
#include "store/backup/verify.hpp"
#include "store/copy/store_copy.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/new_file.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sqlite/sqlite.hpp"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;
using base::value_of;

/// Receives the digest of the backup, and is then renamed to `restoring_name`.
constexpr const char* aside_name = "restore.unfinished.new";
/// The folder that a new file system contains.
constexpr const char* lost_and_found = "lost+found";

std::string content_type_of(const std::string& name) {
  return name.ends_with(".png") ? "image/png" : "image/jpeg";
}

class restore_run {
public:
  restore_run(const whole_backup& of, const store_place& into, const copy_watch& watch)
      : of_{&of}, into_{&into}, watch_{&watch} {}

  restored run() {
    result_.manifest = of_->manifest;
    check();
    if (of_->manifest.has_secrets()) secrets_ = value_of(open_secrets(*into_));
    if (into_->url.empty())
      restore_directory();
    else
      restore_server();
    return std::move(result_);
  }

private:
  void check() {
    auto found = check_backup(*of_, *watch_);
    for (const auto& each : found.found)
      if (each.is != finding::kind::unreferenced && each.is != finding::kind::contradictory)
        throw base::failure{base::errc::import_invalid,
                            "{}: the backup is damaged: {}: {}. Nothing was restored; `matchcloud "
                            "verify {}` lists all that is wrong",
                            of_->folder,
                            each.what,
                            each.detail,
                            of_->folder};
    result_.left_out = std::move(found.left_out);
  }

  // -- into a data directory ----------------------------------------------------

  std::string path_of(const std::string& name) const { return into_->data_dir + "/" + name; }

  /// Until the end the directory has a file with the digest of the backup and no database, so that
  /// nothing uses it, and no other restore goes on.
  void restore_directory() {
    value_of(take_owner(*into_));
    make_data_directory(into_->data_dir);
    const auto alone = filling::begin(into_->data_dir);
    claim();
    // It was put there whole, and may have been in use since.
    result_.was_done = has_database();
    if (!result_.was_done) {
      put_files();
      put_database();
    }
    if (::unlink(path_of(restoring_name).c_str()) != 0)
      throw file_failure(path_of(restoring_name), "remove the file");
    value_of(base::sync_directory(into_->data_dir));
  }

  bool has_database() const {
    std::error_code ignored;
    if (!fs::exists(path_of(database_file_name), ignored)) return false;
    if (!has_copy_mark(*open_sqlite_connection(into_->data_dir))) return true;
    // An earlier version of the program put a marked one there before it restored anything.
    remove_database(into_->data_dir);
    return false;
  }

  /// Leaves no moment between the look and the claim in which another process makes a store.
  void claim() const {
    const auto quiet = directory_lock::acquire(into_->data_dir);
    if (is_begun()) return;
    ::unlink(path_of(aside_name).c_str()); // left by a run that was killed
    new_file file{path_of(aside_name)};
    file.append(of_->sha256);
    file.sync();
    file.rename_to(path_of(restoring_name));
    value_of(base::sync_directory(into_->data_dir));
  }

  /// Whether an earlier run began this restore. Otherwise the directory is empty.
  bool is_begun() const {
    const auto& in = into_->data_dir;
    if (const auto file = regular_file::open(path_of(restoring_name))) {
      if (base::read_bounded(file->file.get(), of_->sha256.size()) == of_->sha256) return true;
      throw base::failure{base::errc::import_invalid,
                          "{}: the restore of another backup into it was not completed; run "
                          "`matchcloud restore` with that backup, or empty the directory",
                          in};
    }
    std::string other;
    std::error_code failed;
    fs::directory_iterator entry{in, failed};
    for (; !failed && entry != fs::directory_iterator{}; entry.increment(failed)) {
      const auto name = entry->path().filename().string();
      if (name != lost_and_found && name != filling_name && name != aside_name) other = name;
    }
    if (failed) throw file_failure(in, "list the data directory", failed.value());
    if (!other.empty())
      throw base::failure{base::errc::import_invalid,
                          "{}: it is not empty: it has {}; restore into a data directory that is "
                          "missing or empty, then start the service with it",
                          in, other};
    return false;
  }

  /// Completes a copy of the database under another name first.
  void put_database() const {
    const auto folder = temporary_folder::make(into_->data_dir);
    const auto aside = folder.path() + "/database";
    make_data_directory(aside);
    const auto path = aside + "/" + database_file_name;
    {
      new_file copy{path};
      read(*of_->manifest.find(database_file_name),
           [&](std::string_view piece) { copy.append(piece); });
      copy.sync();
      copy.keep();
    }
    {
      // Without a log, so that all is in the file that is renamed.
      auto db = sqlite_connection::open(path);
      db.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL", "prepare");
      migrate(db);
      auto changes = sql_transaction::write(db, std::nullopt, "record the restore");
      record_copy(db, of_->folder, of_->manifest.tables);
      changes.commit();
    }
    if (::rename(path.c_str(), path_of(database_file_name).c_str()) != 0)
      throw file_failure(path, "rename into place");
    value_of(base::sync_directory(into_->data_dir));
  }

  // -- into a server --------------------------------------------------------------

  void restore_server() {
    if (of_->manifest.schema < sqlite_schema().newest())
      throw base::failure{base::errc::import_invalid,
                          "{}: matchcloud {} made the backup with an older schema; restore it into "
                          "a data directory first, then copy that with `matchcloud store copy`",
                          of_->folder, of_->manifest.program};
    auto source = open_backup_database(of_->folder);
    const auto server = value_of(open_connection(*into_));
    value_of(copy_store({source, of_->folder}, {*server, into_->name()}, *watch_,
                        [this] { put_files(); }));
  }

  // -- images and secrets -----------------------------------------------------------

  /// Backups of earlier versions also have files that are not restored: exports, `ticket-roots`.
  void put_files() {
    const auto objects = value_of(open_objects(*into_));
    for (const auto& each : of_->manifest.files) {
      if (!each.name.starts_with(images_folder().text() + "/")) continue;
      watch_->go_on();
      put_image(*objects, each);
      watch_->tell("files restored", ++result_.images);
    }
    if (const auto* file = of_->manifest.find(signing_keys_name)) put_secret(*file);
  }

  /// Stores a file under its name; the same file may already exist there.
  void put_image(object_store& to, const backup_file& file) const {
    const auto name = *object_name::parse(file.name);
    if (const auto there = value_of(to.stat(name))) {
      if (there->size_bytes == file.size_bytes && read_object(to, name, *watch_) == file.sha256)
        return;
      value_of(to.remove(name));
    }
    const auto upload = value_of(to.begin_upload(name, content_type_of(file.name)));
    read(file, [&](std::string_view piece) { value_of(upload->append(piece)); });
    value_of(upload->complete());
  }

  void put_secret(const backup_file& file) const {
    const auto path = of_->path_of(file.name);
    if (file.size_bytes > secret_file_limit_bytes)
      throw damaged_secrets(path, 1, fmt::format("at most {} bytes", secret_file_limit_bytes));
    std::string text;
    read(file, [&](std::string_view piece) { text.append(piece); });
    value_of(secrets_->replace(parse_secrets(path, text)));
  }

  /// Passes on the bytes of a file of the backup, and checks that they still match the manifest.
  void read(const backup_file& file, const take_bytes& take) const {
    if (of_->read(file, *watch_, take))
      throw base::failure{base::errc::import_invalid,
                          "{}: it was changed while the backup was being restored",
                          of_->path_of(file.name)};
  }

  const whole_backup* of_;
  const store_place* into_;
  const copy_watch* watch_;
  restored result_;
  /// Null if the backup has no secrets.
  std::shared_ptr<secret_store> secrets_;
};

} // namespace

base::expected<restored> restore_backup(const std::string& folder, const store_place& into,
                                        const copy_watch& watch) {
  return base::attempt([&] {
    const auto backup = open_backup(folder, watch);
    return restore_run{backup, into, watch}.run();
  });
}

} // namespace matchcloud::store
