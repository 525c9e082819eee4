#include "store/files/temporary_folder.hpp"

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
  return data_dir + "/tmp";
}

/// Not named `remove_all`: for an `fs::path`, argument-dependent lookup would find the function of
/// that name that throws.
void remove_what_can_be(const fs::path& path) noexcept {
  std::error_code ignored; // leftovers are removed by the next caller
  fs::remove_all(path, ignored);
}

} // namespace

base::expected<temporary_folder> temporary_folder::make(const std::string& data_dir) {
  const auto parent = parent_of_all(data_dir);
  if (auto made = make_data_directory(parent); !made) return tl::unexpected(made.error());
  // Holding the parent's lock keeps `remove_leftovers` out between creating and locking a folder.
  const auto quiet = directory_lock::acquire(parent);
  if (!quiet) return tl::unexpected(quiet.error());
  auto path = parent + "/XXXXXX";
  if (::mkdtemp(path.data()) == nullptr)
    return base::io_failure(path, "make the folder", errno, base::errc::store_failed);
  auto lock = directory_lock::acquire(path);
  if (!lock) return tl::unexpected(lock.error());
  return temporary_folder{std::move(path), *std::move(lock)};
}

temporary_folder::~temporary_folder() {
  if (!path_.empty()) remove_what_can_be(path_);
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
