#include "store/files/temporary_folder.hpp"

#include "base/events/log.hpp"
#include "base/files/io_failure.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;

std::string parent_of_all(const std::string& data_dir) {
  return data_dir + "/" + temporary_name;
}

/// Not named `remove_all`: for an `fs::path`, argument-dependent lookup would find the function of
/// that name that throws.
void remove_what_can_be(const fs::path& path) noexcept {
  std::error_code ignored; // leftovers are removed by the next caller
  fs::remove_all(path, ignored);
}

} // namespace

base::expected<temporary_folder::locked_folder>
temporary_folder::make_folder(const std::string& data_dir) {
  if (auto made = make_folders_in(data_dir, temporary_name); !made)
    return tl::unexpected(made.error());
  const auto parent = parent_of_all(data_dir);
  // Holding the parent's lock keeps `remove_leftovers` out between creating and locking a folder.
  const auto quiet = directory_lock::acquire(parent);
  if (!quiet) return tl::unexpected(quiet.error());
  auto path = parent + "/XXXXXX";
  if (::mkdtemp(path.data()) == nullptr)
    return base::io_failure(path, "make the folder", errno, base::errc::store_failed);
  auto lock = directory_lock::acquire(path);
  if (!lock) return tl::unexpected(lock.error());
  return locked_folder{std::move(path), *std::move(lock)};
}

base::expected<temporary_folder> temporary_folder::make(const std::string& data_dir) {
  return make_data_directory(data_dir)
      .and_then([&] { return make_folder(data_dir); })
      .map([&](locked_folder&& made) {
        return temporary_folder{std::make_unique<state>(data_dir, std::move(made))};
      });
}

temporary_folder::~temporary_folder() {
  if (state_) remove_what_can_be(state_->folder.path);
}

std::string temporary_folder::path() const {
  const std::lock_guard lock{state_->mutex};
  return state_->folder.path;
}

base::expected<std::string> temporary_folder::place(const std::string& name) {
  const std::lock_guard lock{state_->mutex};
  auto& folder = state_->folder;
  if (!folder.lock.is_on(folder.path)) {
    auto again = make_folder(state_->data_dir);
    if (!again) return tl::unexpected(again.error());
    base::log(base::log_event::folder_replaced,
              "{} was removed while this process used it; {} replaces it, and unfinished files in "
              "the old one are lost. Do not clean up {} while processes run",
              folder.path, again->path, parent_of_all(state_->data_dir));
    folder = *std::move(again);
  }
  return folder.path + "/" + name;
}

void remove_leftovers(const std::string& data_dir) {
  const auto parent = parent_of_all(data_dir);
  const auto quiet = directory_lock::acquire(parent);
  if (!quiet) return; // there is no `tmp/`
  std::error_code failure;
  fs::directory_iterator entry{parent, failure};
  for (; !failure && entry != fs::directory_iterator{}; entry.increment(failure)) {
    const auto lock = directory_lock::try_take(entry->path());
    if (lock && *lock) remove_what_can_be(entry->path());
  }
}

} // namespace matchcloud::store
