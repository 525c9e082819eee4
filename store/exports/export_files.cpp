#include "store/exports/export_files.hpp"

#include "base/events/log.hpp"
#include "base/files/io_failure.hpp"
#include "base/files/sync_directory.hpp"
#include "store/exports/counted_draft.hpp"
#include "store/exports/export_folder.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/fault_pass.hpp"
#include "store/files/gzip.hpp"
#include "store/files/new_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;

/// The limit on warnings that are logged once each; further ones are not logged at all.
constexpr std::size_t told_limit = 256;

tl::unexpected<base::error> failure(std::string_view path, std::string_view operation, int code) {
  return base::io_failure(path, operation, code, base::errc::store_failed);
}

/// Returns the id of an export's folder if it is named exactly as ids are rendered. The entry may
/// have been removed since.
std::optional<model::uuid> export_of(const fs::directory_entry& entry) {
  const auto name = entry.path().filename().string();
  const auto id = model::parse_uuid(name);
  if (!id || model::to_string(*id) != name) return std::nullopt;
  std::error_code failed;
  const auto status = fs::symlink_status(entry.path(), failed);
  if (fs::exists(status) && !fs::is_directory(status)) return std::nullopt;
  return id;
}

base::expected<void> write_about(const std::string& folder, const export_about& about) {
  auto file = new_file::create_of_export(folder + "/" + export_about_name);
  if (!file) return tl::unexpected(file.error());
  auto written = file->append(render_about(about)).and_then([&] { return file->sync(); });
  if (written) file->keep();
  return written;
}

base::expected<void> sync_folder(const std::string& path) {
  return pass(base::fault_point::export_sync, path, "sync the folder")
      .and_then([&](const base::fault&) { return base::sync_directory(path); });
}

/// Call this without holding a lock, because a fault may stall it.
base::expected<void> pass_rename(const std::string& place) {
  return pass(base::fault_point::export_rename, place, "rename into place")
      .map([](const base::fault&) {});
}

void remove_all(const std::string& path) noexcept {
  std::error_code ignored; // leftovers are removed with the process's temporary folder
  fs::remove_all(path, ignored);
}

} // namespace

export_files::export_files(std::string data_dir, export_bounds bounds, std::size_t open_limit,
                           temporary_folder folder)
    : data_dir_{std::move(data_dir)},
      open_limit_{open_limit},
      folder_{std::move(folder)},
      ledger_{bounds} {}

base::expected<std::unique_ptr<export_files>>
export_files::open(std::string data_dir, export_bounds bounds, std::size_t open_limit) {
  remove_leftovers(data_dir);
  auto made = make_data_directory(data_dir).and_then(
      [&] { return make_folders_in(data_dir, exports_name); });
  if (!made) return tl::unexpected(made.error());
  auto folder = temporary_folder::make(data_dir);
  if (!folder) return tl::unexpected(folder.error());
  std::unique_ptr<export_files> opened{
      new export_files{std::move(data_dir), bounds, open_limit, *std::move(folder)}};
  // With this time, the sweep only counts and removes nothing.
  if (auto counted = opened->sweep(std::numeric_limits<std::int64_t>::min()); !counted)
    return tl::unexpected(counted.error());
  return opened;
}

base::expected<std::string> export_files::path_aside() {
  return folder_.place(std::to_string(++made_aside_));
}

class export_files::draft final : public counted_draft {
public:
  draft(export_files& to, const export_facts& facts, std::string folder, new_file file)
      : counted_draft{facts, to.ledger_},
        to_{&to},
        about_{facts},
        folder_{std::move(folder)},
        file_{std::move(file)} {}
  ~draft() override {
    if (!folder_.empty()) remove_all(folder_);
  }

  const export_about& about() const noexcept { return about_; }
  const std::string& folder() const noexcept { return folder_; }
  /// Called when the folder has its name. Returns the bytes taken from the ledger.
  std::uint64_t keep() noexcept {
    folder_.clear();
    file_.keep();
    return taken().keep();
  }

private:
  base::expected<void> write(std::string_view bytes) override { return file_.append(bytes); }
  base::expected<void> publish_whole(std::int64_t keep_until_ts, bool) override {
    about_.facts.keep_until_ts = keep_until_ts;
    about_.csv_bytes = file_.size_bytes();
    return file_.sync()
        .and_then([&] { return write_about(folder_, about_); })
        .and_then([&] { return sync_folder(folder_); })
        .and_then([&] { return to_->publish(*this); });
  }

  export_files* to_;
  export_about about_;
  /// Empty once the draft is published.
  std::string folder_;
  new_file file_;
};

base::expected<begun_export> export_files::begin(const export_request& request) {
  if (auto room = ledger_.check_another(request.query.game_id); !room)
    return tl::unexpected(std::move(room).error());
  auto folder = path_aside();
  if (!folder) return tl::unexpected(folder.error());
  if (::mkdir(folder->c_str(), 0700) != 0) return failure(*folder, "make the folder", errno);
  auto file = new_file::create_of_export(*folder + "/" + export_csv_name);
  if (!file) {
    remove_all(*folder);
    return tl::unexpected(file.error());
  }
  return std::make_unique<draft>(*this, export_facts{request.export_id, request.query},
                                 *std::move(folder), *std::move(file));
}

base::expected<void> export_files::publish(draft& whole) {
  const auto& export_id = whole.about().facts.export_id;
  const auto place = export_path(data_dir_, export_id);
  if (auto passed = pass_rename(place); !passed) return passed;
  // Created again if it was removed.
  if (auto made = make_folders_in(data_dir_, exports_name); !made) return made;
  {
    const std::lock_guard lock{mutex_};
    if (::rename(whole.folder().c_str(), place.c_str()) != 0)
      return failure(place, "rename into place", errno);
    ledger_.record(export_id, whole.about().facts.query.game_id, whole.about().csv_bytes,
                   whole.keep());
  }
  auto synced = sync_folder(exports_path(data_dir_));
  if (!synced) remove(export_id);
  return synced;
}

base::expected<opened_export_ptr> export_files::open(const model::uuid& export_id) {
  const std::lock_guard lock{mutex_};
  const auto folder = export_folder::open(data_dir_, export_id);
  if (!folder) {
    open_.erase(export_id); // another process may have removed it
    return tl::unexpected(folder.error());
  }
  auto opened = open_shared(export_id, *folder);
  if (opened || opened.error().code != base::errc::store_failed) return opened;
  tell_damaged(export_id, opened.error().detail);
  return export_not_found();
}

bool export_files::has(const model::uuid& export_id) {
  return export_folder::open(data_dir_, export_id).has_value();
}

base::expected<opened_export_ptr> export_files::open_shared(const model::uuid& export_id,
                                                            const export_folder& folder) {
  auto opened = std::make_shared<opened_export>();
  if (const auto known = open_.find(export_id); known != open_.end()) {
    opened->facts = known->second.facts;
    opened->csv = known->second.csv.lock();
    opened->gzip = known->second.gzip.lock();
  } else if (!make_room()) {
    return too_many_exports_open();
  }
  if (!opened->csv) {
    const auto about = folder.about();
    if (!about) return tl::unexpected(about.error());
    auto csv = folder.csv(*about);
    if (!csv) return tl::unexpected(csv.error());
    opened->facts = about->facts;
    opened->csv = *std::move(csv);
  }
  if (!opened->gzip) {
    auto gzip = folder.gzip();
    if (!gzip) return tl::unexpected(gzip.error());
    opened->gzip = *std::move(gzip);
  }
  open_[export_id] = {opened->facts, opened->csv, opened->gzip};
  return opened;
}

bool export_files::make_room() {
  if (open_.size() < open_limit_) return true;
  std::erase_if(open_, [](const auto& entry) {
    return entry.second.csv.expired() && entry.second.gzip.expired();
  });
  return open_.size() < open_limit_;
}

std::size_t export_files::known() const {
  const std::lock_guard lock{mutex_};
  return open_.size();
}

base::expected<void> export_files::compress(const model::uuid& export_id,
                                            const std::function<bool()>& stop) {
  const auto opened = open(export_id);
  if (!opened) return tl::unexpected(opened.error());
  if ((*opened)->gzip) return {};
  const auto& game_id = (*opened)->facts.query.game_id;
  auto aside = path_aside();
  if (!aside) return tl::unexpected(aside.error());
  auto file = new_file::create_of_export(*std::move(aside));
  if (!file) return tl::unexpected(file.error());
  taken_bytes taken{ledger_, game_id};
  const auto write = [&](std::string_view bytes) -> base::expected<void> {
    return taken.take(bytes.size()).and_then([&] { return file->append(bytes); });
  };
  const auto place = export_path(data_dir_, export_id) + "/" + export_gzip_name;
  auto done =
      gzip(*(*opened)->csv, {write, stop}).and_then([&] { return file->sync(); }).and_then([&] {
        return pass_rename(place);
      });
  if (!done) return done;

  const std::lock_guard lock{mutex_};
  const auto folder = export_folder::open(data_dir_, export_id);
  if (!folder) return tl::unexpected(folder.error()); // removed since
  // Linking fails if the name exists, so the first file stays and readers keep it. The name need
  // not survive a power failure, because the file can be made again.
  auto linked = file->link_to(place);
  if (!linked && !export_folder::open(data_dir_, export_id)) return export_not_found();
  if (!linked) return tl::unexpected(linked.error());
  ledger_.record(export_id, game_id, folder->size_bytes(), taken.keep());
  return {};
}

void export_files::remove(const model::uuid& export_id) {
  const auto aside = path_aside();
  {
    const std::lock_guard lock{mutex_};
    if (!aside)
      return tell_once("remove " + export_path(data_dir_, export_id), aside.error().detail);
    if (!move_aside(export_id, *aside)) return;
  }
  remove_all(*aside);
}

bool export_files::move_aside(const model::uuid& export_id, const std::string& aside) {
  // One rename removes the whole export, so a process killed now leaves no partial export.
  const auto place = export_path(data_dir_, export_id);
  const int code = ::rename(place.c_str(), aside.c_str()) == 0 ? 0 : errno;
  if (code != 0 && code != ENOENT) {
    tell_once("remove " + place, failure(place, "move aside", code).value().detail);
    return false;
  }
  open_.erase(export_id);
  ledger_.forget(export_id);
  return code == 0;
}

base::expected<std::size_t> export_files::erase(const model::uuid& game_id) {
  const auto ids = list();
  if (!ids) return tl::unexpected(ids.error());
  std::size_t gone = 0;
  for (const auto& id : *ids) {
    const auto folder = export_folder::open(data_dir_, id);
    const auto about = folder ? folder->about() : tl::unexpected(folder.error());
    if (!about || about->facts.query.game_id != game_id) continue;
    remove(id);
    ++gone;
  }
  return gone;
}

base::expected<std::unordered_set<model::uuid>> export_files::list() {
  if (auto made = make_folders_in(data_dir_, exports_name); !made)
    return tl::unexpected(made.error());
  std::error_code failed;
  std::unordered_set<model::uuid> ids;
  fs::directory_iterator entry{exports_path(data_dir_), failed};
  for (; !failed && entry != fs::directory_iterator{}; entry.increment(failed)) {
    if (const auto id = export_of(*entry)) {
      ids.insert(*id);
      continue;
    }
    const std::lock_guard lock{mutex_};
    tell_once(entry->path().string(), "is not an export; it is left as it is");
  }
  if (failed) return failure(exports_path(data_dir_), "list the folder", failed.value());
  return ids;
}

base::expected<void> export_files::sweep(std::int64_t now_ts) {
  auto ids = list();
  if (!ids) return tl::unexpected(ids.error());
  // Adds the recorded exports, which include those published or removed during the listing.
  for (const auto& id : ledger_.recorded())
    ids->insert(id);
  for (const auto& id : *ids) {
    const auto aside = path_aside();
    if (!aside) return tl::unexpected(aside.error());
    {
      const std::lock_guard lock{mutex_};
      sweep_one(id, now_ts, *aside);
    }
    remove_all(*aside);
  }
  return {};
}

void export_files::sweep_one(const model::uuid& export_id, std::int64_t now_ts,
                             const std::string& aside) {
  const auto folder = export_folder::open(data_dir_, export_id);
  if (!folder) {
    if (folder.error().code == base::errc::export_not_found) ledger_.forget(export_id);
    return;
  }
  const auto about = folder->about();
  if (about && about->facts.keep_until_ts <= now_ts) {
    (void)move_aside(export_id, aside);
    return;
  }
  if (!about && about.error().code == base::errc::store_failed)
    tell_damaged(export_id, about.error().detail);
  // An export that cannot be read has no game, so it counts only toward the total.
  ledger_.record(export_id, about ? about->facts.query.game_id : model::uuid{},
                 folder->size_bytes());
}

void export_files::tell_damaged(const model::uuid& export_id, const std::string& detail) {
  // An export that another process is removing is not damaged: its folder is renamed away before
  // its files are deleted.
  if (export_folder::open(data_dir_, export_id))
    tell_once(export_path(data_dir_, export_id), "damaged and not served: " + detail);
}

void export_files::tell_once(const std::string& about, std::string_view what) {
  if (told_.size() < told_limit && told_.insert(about).second)
    base::log(base::log_event::export_damaged, "exports: {}: {}", about, what);
}

} // namespace matchcloud::store
