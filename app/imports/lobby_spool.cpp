#include "app/imports/lobby_spool.hpp"

#include "base/files/io_failure.hpp"
#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <new>
#include <type_traits>

namespace matchcloud::app {

namespace {

static_assert(std::is_trivially_copyable_v<spooled_lobby>);

/// The number of lobbies by which the file grows.
constexpr std::size_t step = 262'144;
constexpr std::size_t first_places = 65'536;

tl::unexpected<base::error> failure(std::string_view path, std::string_view operation, int code) {
  return base::io_failure(path, operation, code, base::errc::io_failed);
}

} // namespace

base::expected<lobby_spool> lobby_spool::make(const std::string& folder) {
  lobby_spool made;
  made.path_ = folder + "/spool-XXXXXX";
  made.file_ = base::file_descriptor{::mkostemp(made.path_.data(), O_CLOEXEC)};
  if (!made.file_) return failure(made.path_, "create a temporary file", errno);
  ::unlink(made.path_.c_str());
  made.index_.assign(first_places, 0);
  return made;
}

lobby_spool::lobby_spool(lobby_spool&& other) noexcept
    : file_{std::move(other.file_)},
      path_{std::move(other.path_)},
      mapped_{std::exchange(other.mapped_, nullptr)},
      size_{std::exchange(other.size_, 0)},
      capacity_{std::exchange(other.capacity_, 0)},
      index_{std::move(other.index_)} {}

lobby_spool::~lobby_spool() {
  if (mapped_) ::munmap(mapped_, capacity_ * sizeof(spooled_lobby));
}

base::expected<std::pair<spooled_lobby*, bool>>
lobby_spool::find_or_add(const spooled_lobby& added) {
  auto place = place_of(added.record.lobby_id);
  if (index_[place] != 0) return std::pair{&mapped_[index_[place] - 1], false};
  if (auto room = reserve_one(); !room) return tl::unexpected(room.error());
  if ((size_ + 1) * 2 > index_.size()) {
    index_again(index_.size() * 2);
    place = place_of(added.record.lobby_id);
  }
  auto* const at = new (&mapped_[size_]) spooled_lobby{added}; // NOLINT: placed, not allocated
  index_[place] = static_cast<std::uint32_t>(++size_);
  return std::pair{at, true};
}

std::span<spooled_lobby> lobby_spool::all() {
  index_ = {};
  return {mapped_, size_};
}

base::expected<void> lobby_spool::reserve_one() {
  if (size_ < capacity_) return {};
  if (size_ >= lobby_limit)
    return base::fail(base::errc::import_invalid,
                      "more than " + std::to_string(lobby_limit) +
                          " lobbies; split the file and import its parts one after the other");
  const auto wanted = capacity_ + step;
  // Allocates the blocks now: writing to a mapping without space on the disk raises SIGBUS.
  const int code =
      ::posix_fallocate(file_.get(), static_cast<off_t>(capacity_ * sizeof(spooled_lobby)),
                        static_cast<off_t>(step * sizeof(spooled_lobby)));
  if (code != 0) return failure(path_, "make room for lobbies", code);
  void* at = mapped_ ? ::mremap(mapped_, capacity_ * sizeof(spooled_lobby),
                                wanted * sizeof(spooled_lobby), MREMAP_MAYMOVE)
                     : ::mmap(nullptr, wanted * sizeof(spooled_lobby), PROT_READ | PROT_WRITE,
                              MAP_SHARED, file_.get(), 0);
  if (at == MAP_FAILED) return failure(path_, "map a temporary file", errno);
  mapped_ = static_cast<spooled_lobby*>(at);
  capacity_ = wanted;
  return {};
}

void lobby_spool::index_again(std::size_t places) {
  index_ = {}; // freed before the larger one is allocated
  index_.assign(places, 0);
  for (std::size_t i = 0; i < size_; ++i)
    index_[place_of(mapped_[i].record.lobby_id)] = static_cast<std::uint32_t>(i + 1);
}

std::size_t lobby_spool::place_of(const model::uuid& id) const {
  const auto mask = index_.size() - 1;
  auto place = std::hash<model::uuid>{}(id)&mask;
  while (index_[place] != 0 && mapped_[index_[place] - 1].record.lobby_id != id)
    place = (place + 1) & mask;
  return place;
}

} // namespace matchcloud::app
