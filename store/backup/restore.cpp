#include "store/backup/restore.hpp"

#include "base/files/working_identity.hpp"
#include "base/hexadecimal.hpp"
#include "store/backup/backup_database.hpp"
#include "store/backup/file_digest.hpp"
#include "store/backup/restored_directory.hpp"
#include "store/backup/whole_backup.hpp"
#include "store/export_records.hpp"
#include "store/files/secret_text.hpp"
#include "store/sql/copy_mark.hpp"
#include "store/sqlite/migrations.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace matchcloud::store {

namespace {

bool is_in(const backup_file& file, const object_name& folder) {
  return file.name.starts_with(folder.text() + "/");
}

class restore_run {
public:
  restore_run(const whole_backup& of, const store_place& into, const copy_watch& watch)
      : of_{&of}, into_{&into}, watch_{&watch} {}

  base::expected<restored> run() {
    result_.manifest = of_->manifest;
    auto done = check_backup();
    if (done) done = open_places();
    if (done && result_.was_done) return std::move(result_);
    if (done) done = put_objects();
    if (done) done = put_secrets();
    if (done) done = put_rows();
    if (!done) return tl::unexpected(done.error());
    return std::move(result_);
  }

private:
  bool is_directory() const noexcept { return into_->url.empty(); }

  base::expected<void> check_backup() {
    const auto found = check_files(*of_, *watch_);
    if (!found) return tl::unexpected(found.error());
    for (const auto& each : *found)
      if (each.is != finding::kind::unreferenced)
        return base::fail(base::errc::import_invalid,
                          of_->folder + ": the backup is damaged: " + each.what + ": " +
                              each.detail + ". Nothing was restored; `matchcloud verify " +
                              of_->folder + "` lists all that is wrong");
    return {};
  }

  /// Opens everything that can be missing before anything but the initial mark is written.
  base::expected<void> open_places() {
    if (of_->manifest.has_secrets) {
      auto secrets = open_secrets(*into_);
      if (!secrets) return tl::unexpected(secrets.error());
      secrets_ = *std::move(secrets);
    }
    return is_directory() ? open_directory() : open_server();
  }

  base::expected<void> open_directory() {
    if (auto taken = take_owner(*into_); !taken) return taken;
    auto begun = restored_directory::begin(into_->data_dir, *of_);
    if (!begun) return tl::unexpected(begun.error());
    directory_ = *std::move(begun);
    result_.was_done = directory_->has_database();
    return result_.was_done ? directory_->complete(*watch_) : base::expected<void>{};
  }

  base::expected<void> open_server() {
    if (of_->manifest.schema < sqlite_schema().newest())
      return base::fail(base::errc::import_invalid,
                        of_->folder + ": matchcloud " + of_->manifest.program +
                            " made the backup with an older schema; restore it into a data "
                            "directory first, then copy that with `matchcloud store copy`");
    return base::attempt([this] {
      source_ = std::make_unique<sqlite_connection>(open_backup_database(of_->folder));
      server_ = base::value_of(open_connection(*into_));
      base::value_of(check_copy({*source_, of_->folder}, {*server_, into_->name()}, *watch_));
      mark_server();
    });
  }

  /// Done now and not with the first row, because images are restored first and may take long.
  void mark_server() {
    auto changes = sql_transaction::write(*server_, std::nullopt, "begin restoring");
    set_copy_mark(*server_);
    changes.commit();
  }

  // -- objects ------------------------------------------------------------------

  base::expected<void> put_objects() {
    const auto to = open_objects(*into_);
    if (!to) return tl::unexpected(to.error());
    for (const auto& each : of_->manifest.files) {
      const bool is_image = is_in(each, images_folder());
      const bool is_export = is_in(each, exports_folder()) && !into_->has_bucket();
      if (!is_image && !is_export) continue;
      if (watch_->stop && watch_->stop())
        return base::fail(base::errc::cancelled, "interrupted" + advice());
      if (auto done = put_object(**to, each); !done) return done;
      (is_image ? result_.images : export_files_) += 1;
      if (watch_->show) watch_->show("files restored", result_.images + export_files_);
      if (is_export && each.name.ends_with("/about.json")) ++result_.exports;
    }
    return {};
  }

  std::string advice() const { return std::string{watch_->advice}; }

  /// Stores a file under its name; the same file may already exist there.
  base::expected<void> put_object(object_store& to, const backup_file& file) const {
    const auto name = *object_name::parse(file.name);
    const auto there = to.stat(name);
    if (!there) return tl::unexpected(there.error());
    if (*there) {
      const auto same = has_same(to, name, file);
      if (!same) return tl::unexpected(same.error());
      if (*same) return {};
      if (auto removed = to.remove(name); !removed) return removed;
    }
    auto upload = to.begin_upload(name, content_type_of(file.name));
    if (!upload) return tl::unexpected(upload.error());
    auto read =
        read_of_backup(file, [&](std::string_view piece) { return (*upload)->append(piece); });
    if (!read) return read;
    const auto stored = (*upload)->complete();
    if (!stored) return tl::unexpected(stored.error());
    return {};
  }

  static std::string content_type_of(const std::string& name) {
    if (name.ends_with(".png")) return "image/png";
    if (name.ends_with(".jpg")) return "image/jpeg";
    return "application/octet-stream";
  }

  static base::expected<bool> has_same(object_store& in, const object_name& name,
                                       const backup_file& file) {
    base::sha256_stream hash;
    const auto found = in.read(name, std::nullopt, [&](std::string_view piece) {
      hash.add(piece);
      return true;
    });
    if (!found) return tl::unexpected(found.error());
    return *found && base::hexadecimal(hash.digest()) == file.sha256;
  }

  /// Passes on the bytes of a file, and checks that they still match the manifest.
  template <class Take>
  base::expected<void> read_of_backup(const backup_file& file, Take take) const {
    const auto path = of_->path_of(file.name);
    const auto opened = [&] {
      const base::as_invoker self;
      return open_regular(path);
    }();
    if (!opened) return tl::unexpected(opened.error());
    const auto read = *opened ? read_file((*opened)->get(), path, file.name, take)
                              : base::expected<backup_file>{};
    if (!read) return tl::unexpected(read.error());
    if (*read == file) return {};
    return base::fail(base::errc::import_invalid,
                      path + ": it was changed while the backup was being restored");
  }

  // -- secrets and rows ---------------------------------------------------------

  base::expected<void> put_secrets() {
    if (!secrets_) return {};
    for (std::size_t which = 0; which < named_secrets.size(); ++which) {
      const auto name = static_cast<secret_name>(which);
      const auto at =
          std::ranges::find(of_->manifest.files, facts_of(name).name, &backup_file::name);
      if (at == of_->manifest.files.end()) continue;
      std::string text;
      auto read = read_of_backup(*at, [&](std::string_view piece) -> base::expected<void> {
        if (text.size() + piece.size() > secret_file_limit_bytes)
          return damaged_secrets(name, of_->path_of(at->name), 1,
                                 "at most " + std::to_string(secret_file_limit_bytes) + " bytes");
        text.append(piece);
        return {};
      });
      if (!read) return read;
      const auto versions = parse_secrets(name, of_->path_of(at->name), text);
      if (!versions) return tl::unexpected(versions.error());
      if (auto put = secrets_->replace(name, *versions); !put) return put;
    }
    return {};
  }

  base::expected<void> put_rows() {
    if (directory_) return directory_->complete(*watch_);
    const auto copied = copy_store({*source_, of_->folder}, {*server_, into_->name()}, *watch_);
    if (!copied) return tl::unexpected(copied.error());
    return {};
  }

  const whole_backup* of_;
  const store_place* into_;
  const copy_watch* watch_;
  restored result_;
  std::uint64_t export_files_ = 0;
  /// Null if the backup has no secrets.
  std::shared_ptr<secret_store> secrets_;
  /// The target of the rows: a data directory or a server.
  std::optional<restored_directory> directory_;
  std::unique_ptr<sqlite_connection> source_;
  std::unique_ptr<sql_connection> server_;
};

} // namespace

base::expected<restored> restore_backup(const std::string& folder, const store_place& into,
                                        const copy_watch& watch) {
  const auto backup = open_backup(folder);
  if (!backup) return tl::unexpected(backup.error());
  return restore_run{*backup, into, watch}.run();
}

} // namespace matchcloud::store
