#include "store/files/file_objects.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/files/io_failure.hpp"
#include "base/files/open_file.hpp"
#include "base/files/sync_directory.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/fault_pass.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t read_bytes = 64UL * 1024;

/// How often a folder is created that other calls keep removing while it is empty.
constexpr int folder_attempts = 16;

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

/// The folders of an object within the data directory; empty if it has none.
std::string_view folders_of(const object_name& name) {
  const std::string_view text = name.text();
  const auto slash = text.rfind('/');
  return slash == text.npos ? std::string_view{} : text.substr(0, slash);
}

object_facts facts_of(const struct stat& found) noexcept {
  return {static_cast<std::uint64_t>(found.st_size),
          static_cast<std::int64_t>(found.st_mtim.tv_sec) * 1'000 +
              found.st_mtim.tv_nsec / 1'000'000};
}

/// Whether an errno means that there is no file of this name: nothing, a link, or a socket.
bool is_missing(int code) noexcept {
  return code == ENOENT || code == ENOTDIR || code == ELOOP || code == ENXIO;
}

/// Removes the folders above `path`, up to `root`, that are empty.
void remove_empty_folders(std::string path, const std::string& root) noexcept {
  for (path = folder_of(path); path.size() > root.size(); path = folder_of(path))
    if (::rmdir(path.c_str()) != 0) return;
}

bool is_export(const object_name& name) noexcept {
  return name.text().starts_with("exports/");
}

/// Syncs the folder of `path`, unless it has been removed with its contents.
void sync_names(const std::string& path) {
  auto synced = base::sync_directory(folder_of(path));
  std::error_code ignored;
  if (synced || fs::exists(folder_of(path), ignored)) base::value_of(std::move(synced));
}

/// An object's file that is open for reading.
struct opened_object_file {
  base::file_descriptor file;
  object_facts facts;
};

/// Opens a regular file; nothing if there is none. Throws `overloaded`, or `failed`.
std::optional<opened_object_file> open_regular(const std::string& path, base::errc failed) {
  // Non-blocking: opening a named pipe must not wait for the other end.
  base::file_descriptor file{
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (!file && is_missing(errno)) return std::nullopt;
  struct stat found {};
  if (!file && (errno == EMFILE || errno == ENFILE))
    throw base::failure{base::errc::overloaded, "Too many files are open. Retry later."};
  if (!file || ::fstat(file.get(), &found) != 0)
    throw base::failure{base::io_failure(path, "open the object", errno, failed).value()};
  if (!S_ISREG(found.st_mode)) return std::nullopt;
  return opened_object_file{std::move(file), facts_of(found)};
}

} // namespace

/// A file that is written under a temporary name.
class file_objects::upload final : public object_upload {
public:
  upload(file_objects& to, object_name name)
      : to_{to},
        name_{std::move(name)},
        folder_{temporary_folder::make(to.data_dir_)},
        file_{folder_.path() + "/object", is_export(name_)} {}

  base::expected<void> append(std::string_view bytes) override {
    return base::attempt([&] {
      to_.check_running();
      begin_step("an earlier piece of the object was not written");
      file_.append(bytes);
      is_broken_ = false;
    });
  }

  base::expected<object_outcome> complete() override {
    return base::attempt([&] {
      to_.check_running();
      begin_step("the object was not completely written");
      // Removed at the end of this call if its name is taken.
      auto file = std::move(file_);
      file.sync();
      return to_.publish(file, name_);
    });
  }

private:
  void begin_step(const char* why_not) {
    if (std::exchange(is_broken_, true))
      throw base::failure{base::errc::store_failed, "{}: {}", to_.path_of(name_), why_not};
  }

  file_objects& to_;
  object_name name_;
  temporary_folder folder_;
  new_file file_;
  /// Set during each step, so that it stays set if the step fails.
  bool is_broken_ = false;
};

base::expected<std::unique_ptr<file_objects>> file_objects::open(const std::string& data_dir) {
  remove_leftovers(data_dir);
  return base::attempt([&] {
    make_data_directory(data_dir);
    // Not make_unique: the constructor is private.
    return std::unique_ptr<file_objects>{new file_objects{data_dir}};
  });
}

void file_objects::check_running() const {
  if (stopped_) throw base::failure{base::errc::cancelled, "the process is stopping"};
}

object_outcome file_objects::publish(new_file& file, const object_name& name) const {
  const auto path = path_of(name);
  const auto pass_if_export = [&](base::fault_point at, std::string_view operation) {
    if (is_export(name)) base::value_of(pass(at, path, operation));
  };
  pass_if_export(base::fault_point::export_rename, "rename into place");
  for (int attempt = 1;; ++attempt) {
    const auto linked = base::attempt([&] {
      make_folders_in(data_dir_, folders_of(name));
      return file.link_to(path);
    });
    if (linked && !*linked) return object_outcome::was_there;
    if (linked) break;
    std::error_code ignored;
    if (attempt == folder_attempts || fs::exists(folder_of(path), ignored))
      throw base::failure{linked.error()};
  }
  try {
    pass_if_export(base::fault_point::export_sync, "sync the folder");
    sync_names(path);
  } catch (const base::failure&) {
    ::unlink(path.c_str());
    remove_empty_folders(path, data_dir_);
    throw;
  }
  return object_outcome::stored;
}

base::expected<std::unique_ptr<object_upload>> file_objects::begin_upload(const object_name& name,
                                                                          const std::string&) {
  return base::attempt([&]() -> std::unique_ptr<object_upload> {
    check_running();
    return std::make_unique<upload>(*this, name);
  });
}

base::expected<std::optional<object_facts>>
file_objects::read(const object_name& name, const std::optional<object_range>& range,
                   const object_taker& take) {
  return base::attempt([&] { return read_file(path_of(name), range, take); });
}

std::optional<object_facts> file_objects::read_file(const std::string& path,
                                                    const std::optional<object_range>& range,
                                                    const object_taker& take) const {
  auto found = open_regular(path, base::errc::store_failed);
  if (!found) return std::nullopt;
  const auto facts = found->facts;
  if (range && range->first >= facts.size_bytes)
    throw base::failure{base::errc::range_not_satisfiable, "{}: there are no bytes from {} on",
                        path, range->first};
  const base::open_file opened{std::move(found->file), facts.size_bytes};
  auto at = range ? range->first : 0;
  const auto end =
      range ? at + std::min(range->length_bytes, facts.size_bytes - at) : facts.size_bytes;
  std::vector<char> piece(std::min<std::uint64_t>(read_bytes, end - at));
  while (at < end) {
    check_running();
    const auto most = std::min<std::uint64_t>(piece.size(), end - at);
    const auto got = opened.read({piece.data(), most}, at);
    if (got < 0) throw file_failure(path, "read the object");
    if (got == 0)
      throw base::failure{base::errc::store_failed,
                          "{}: the object's file became shorter while it was read", path};
    if (!take({piece.data(), static_cast<std::size_t>(got)}))
      throw base::failure{base::errc::cancelled, "{}: cannot read the object: not wanted", path};
    at += static_cast<std::uint64_t>(got);
  }
  return facts;
}

base::expected<std::optional<object_facts>> file_objects::stat(const object_name& name) {
  return base::attempt([&]() -> std::optional<object_facts> {
    check_running();
    const auto path = path_of(name);
    struct stat found {};
    const bool is_there = ::lstat(path.c_str(), &found) == 0;
    if (!is_there && !is_missing(errno)) throw file_failure(path, "look for the object");
    return is_there && S_ISREG(found.st_mode) ? std::optional{facts_of(found)} : std::nullopt;
  });
}

base::expected<void> file_objects::remove(const object_name& name) {
  return base::attempt([&] {
    check_running();
    const auto path = path_of(name);
    // No object has the name of a folder.
    if (::unlink(path.c_str()) != 0 && !is_missing(errno) && errno != EISDIR)
      throw file_failure(path, "remove the object");
    auto synced = base::attempt([&] { sync_names(path); });
    remove_empty_folders(path, data_dir_);
    base::value_of(std::move(synced));
  });
}

base::expected<void> file_objects::list(const std::optional<object_name>& folder,
                                        const listing_taker& take) {
  return base::attempt([&] { list_files(folder ? path_of(*folder) : data_dir_, take); });
}

void file_objects::list_files(std::string root, const listing_taker& take) const {
  std::vector<std::string> folders{std::move(root)};
  const auto aside = data_dir_ + "/" + temporary_name;
  while (!folders.empty()) {
    const auto path = std::exchange(folders.back(), {});
    folders.pop_back();
    std::error_code failed;
    fs::directory_iterator entry{path, failed};
    for (; !failed && entry != fs::directory_iterator{}; entry.increment(failed)) {
      check_running();
      const auto below = entry->path().string();
      const auto name = object_name::parse(std::string_view{below}.substr(data_dir_.size() + 1));
      struct stat found {};
      if (!name || ::lstat(below.c_str(), &found) != 0) continue;
      if (S_ISDIR(found.st_mode) && below != aside) folders.push_back(below);
      if (S_ISREG(found.st_mode) && !take(*name, facts_of(found))) return;
    }
    // A folder removed during the listing had nothing left to list.
    if (failed && !is_missing(failed.value()))
      throw file_failure(path, "list objects", failed.value());
  }
}

base::expected<std::shared_ptr<const base::open_file>>
file_objects::open_local(const object_name& name) {
  return base::attempt([&]() -> std::shared_ptr<const base::open_file> {
    auto found = open_regular(path_of(name), base::errc::io_failed);
    if (!found) return nullptr;
    return std::make_shared<const base::open_file>(std::move(found->file), found->facts.size_bytes);
  });
}

base::expected<std::size_t> file_objects::collect_leftovers(std::chrono::seconds) {
  return base::attempt([&]() -> std::size_t {
    check_running();
    remove_leftovers(data_dir_);
    return 0;
  });
}

} // namespace matchcloud::store
