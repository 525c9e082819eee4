#include "store/files/file_objects.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/files/open_file.hpp"
#include "base/files/sync_directory.hpp"
#include "store/files/data_directory.hpp"

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

/// Whether an errno means that the name does not exist.
bool is_missing(int code) noexcept {
  return code == ENOENT || code == ENOTDIR;
}

/// Removes the folders above `path`, up to `root`, that are empty.
void remove_empty_folders(std::string path, const std::string& root) noexcept {
  for (path = folder_of(path); path.size() > root.size(); path = folder_of(path))
    if (::rmdir(path.c_str()) != 0) return;
}

/// Syncs the folder of `path`, unless it has been removed with its contents.
base::expected<void> sync_names(const std::string& path) {
  auto synced = base::sync_directory(folder_of(path));
  std::error_code ignored;
  if (!synced && !fs::exists(folder_of(path), ignored)) return {};
  return synced;
}

} // namespace

/// A file that is written under a temporary name.
class file_objects::upload final : public object_upload {
public:
  upload(file_objects& to, object_name name, new_file file)
      : to_{to}, name_{std::move(name)}, file_{std::move(file)} {}

  base::expected<void> append(std::string_view bytes) override {
    if (auto running = to_.check_running(); !running) return running;
    if (!is_whole_)
      return base::fail(base::errc::store_failed,
                        to_.path_of(name_) + ": an earlier piece of the object was not written");
    auto written = file_->append(bytes);
    is_whole_ = written.has_value();
    return written;
  }

  base::expected<object_outcome> complete() override {
    if (!std::exchange(is_whole_, false))
      return base::fail(base::errc::store_failed,
                        to_.path_of(name_) + ": the object was not completely written");
    auto published = to_.publish(*file_, name_);
    file_.reset();
    return published;
  }

private:
  file_objects& to_;
  object_name name_;
  /// Empty after the end.
  std::optional<new_file> file_;
  bool is_whole_ = true;
};

base::expected<std::unique_ptr<file_objects>> file_objects::open(const std::string& data_dir) {
  remove_leftovers(data_dir);
  if (auto made = make_data_directory(data_dir); !made) return tl::unexpected(made.error());
  // Not make_unique: the constructor is private.
  return std::unique_ptr<file_objects>{new file_objects{data_dir}};
}

base::expected<void> file_objects::check_running() const {
  if (!stopped_) return {};
  return base::fail(base::errc::cancelled, "the process is stopping");
}

base::expected<new_file> file_objects::create_aside() {
  if (auto running = check_running(); !running) return tl::unexpected(running.error());
  const auto place = [&]() -> base::expected<std::string> {
    const std::lock_guard lock{mutex_};
    if (!aside_) {
      auto made = temporary_folder::make(data_dir_);
      if (!made) return tl::unexpected(made.error());
      aside_.emplace(*std::move(made));
    }
    return aside_->place(std::to_string(++made_aside_));
  };
  auto path = place();
  if (!path) return tl::unexpected(path.error());
  return new_file::create(*std::move(path));
}

base::expected<object_outcome> file_objects::publish(new_file& file, const object_name& name) {
  if (auto running = check_running(); !running) return tl::unexpected(running.error());
  if (auto synced = file.sync(); !synced) return tl::unexpected(synced.error());
  const auto path = path_of(name);
  for (int attempt = 1;; ++attempt) {
    const auto linked =
        make_folders_in(data_dir_, folders_of(name)).and_then([&] { return file.link_to(path); });
    if (linked && !*linked) return object_outcome::was_there;
    if (linked) break;
    std::error_code ignored;
    if (attempt == folder_attempts || fs::exists(folder_of(path), ignored))
      return tl::unexpected(linked.error());
  }
  auto synced = sync_names(path);
  if (synced) return object_outcome::stored;
  ::unlink(path.c_str());
  return tl::unexpected(synced.error());
}

base::expected<object_outcome> file_objects::put_new(const object_name& name,
                                                     std::string_view bytes, const std::string&) {
  auto file = create_aside();
  if (!file) return tl::unexpected(file.error());
  return file->append(bytes).and_then([&] { return publish(*file, name); });
}

base::expected<std::unique_ptr<object_upload>> file_objects::begin_upload(const object_name& name,
                                                                          const std::string&) {
  auto file = create_aside();
  if (!file) return tl::unexpected(file.error());
  return std::make_unique<upload>(*this, name, *std::move(file));
}

base::expected<std::optional<object_facts>>
file_objects::read(const object_name& name, const std::optional<object_range>& range,
                   const object_taker& take) {
  const auto path = path_of(name);
  base::file_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (!file && is_missing(errno)) return std::nullopt;
  if (!file) return file_failure(path, "read the object", errno);
  struct stat found {};
  if (::fstat(file.get(), &found) != 0) return file_failure(path, "read the object", errno);
  if (!S_ISREG(found.st_mode)) return std::nullopt;
  const auto facts = facts_of(found);
  if (range && range->first >= facts.size_bytes)
    return base::fail(base::errc::range_not_satisfiable,
                      path + ": there are no bytes from " + std::to_string(range->first) + " on");
  const base::open_file opened{std::move(file), facts.size_bytes};
  auto at = range ? range->first : 0;
  const auto end =
      range ? at + std::min(range->length_bytes, facts.size_bytes - at) : facts.size_bytes;
  std::vector<char> piece(std::min<std::uint64_t>(read_bytes, end - at));
  while (at < end) {
    if (auto running = check_running(); !running) return tl::unexpected(running.error());
    const auto most = std::min<std::uint64_t>(piece.size(), end - at);
    const auto got = opened.read({piece.data(), most}, at);
    if (got < 0) return file_failure(path, "read the object", errno);
    if (got == 0)
      return base::fail(base::errc::store_failed,
                        path + ": the object's file became shorter while it was read");
    if (!take({piece.data(), static_cast<std::size_t>(got)}))
      return base::fail(base::errc::cancelled, path + ": cannot read the object: not wanted");
    at += static_cast<std::uint64_t>(got);
  }
  return facts;
}

base::expected<std::optional<object_facts>> file_objects::stat(const object_name& name) {
  if (auto running = check_running(); !running) return tl::unexpected(running.error());
  const auto path = path_of(name);
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0)
    return S_ISREG(found.st_mode) ? std::optional{facts_of(found)} : std::nullopt;
  if (is_missing(errno)) return std::nullopt;
  return file_failure(path, "look for the object", errno);
}

base::expected<void> file_objects::remove(const object_name& name) {
  if (auto running = check_running(); !running) return running;
  const auto path = path_of(name);
  // No object has the name of a folder.
  if (::unlink(path.c_str()) != 0 && !is_missing(errno) && errno != EISDIR)
    return file_failure(path, "remove the object", errno);
  auto synced = sync_names(path);
  remove_empty_folders(path, data_dir_);
  return synced;
}

base::expected<void> file_objects::list(const std::optional<object_name>& folder,
                                        const listing_taker& take) {
  std::vector<std::string> folders{folder ? path_of(*folder) : data_dir_};
  const auto aside = data_dir_ + "/" + temporary_name;
  while (!folders.empty()) {
    const auto path = std::exchange(folders.back(), {});
    folders.pop_back();
    std::error_code failed;
    fs::directory_iterator entry{path, failed};
    for (; !failed && entry != fs::directory_iterator{}; entry.increment(failed)) {
      if (auto running = check_running(); !running) return running;
      const auto below = entry->path().string();
      const auto name = object_name::parse(std::string_view{below}.substr(data_dir_.size() + 1));
      struct stat found {};
      if (!name || ::lstat(below.c_str(), &found) != 0) continue;
      if (S_ISDIR(found.st_mode) && below != aside) folders.push_back(below);
      if (S_ISREG(found.st_mode) && !take(*name, facts_of(found))) return {};
    }
    // A folder removed during the listing had nothing left to list.
    if (failed && !is_missing(failed.value()))
      return file_failure(path, "list objects", failed.value());
  }
  return {};
}

base::expected<std::optional<std::string>> file_objects::link(const object_name&,
                                                              const object_link&) {
  return std::nullopt;
}

base::expected<std::size_t> file_objects::collect_leftovers(std::chrono::seconds) {
  if (auto running = check_running(); !running) return tl::unexpected(running.error());
  remove_leftovers(data_dir_);
  return 0;
}

} // namespace matchcloud::store
