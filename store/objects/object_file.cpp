#include "store/objects/object_file.hpp"

#include "base/events/log.hpp"
#include "base/hexadecimal.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

/// How many bytes may be fetched again because a transfer stopped within them.
constexpr std::uint64_t overlap_bytes = 256UL * 1024;

/// The start of the memory page that has the byte at `offset`.
std::uint64_t page_start(std::uint64_t offset) noexcept {
  static const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return offset - offset % page_bytes;
}

base::failure memory_failure() {
  return {base::errc::io_failed, "cannot hold an object in memory: {}",
          std::generic_category().message(errno)};
}

} // namespace

base::expected<std::shared_ptr<const object_file>>
object_file::open(std::shared_ptr<object_store> from, object_name name, std::uint64_t size_bytes,
                  std::string sha256, base::byte_budget& budget, std::size_t window) {
  base::byte_lease lease;
  if (!lease.grow_to(budget, std::min<std::uint64_t>(size_bytes, window + overlap_bytes)))
    return base::fail(base::errc::budget_exhausted,
                      "The downloads in progress use all of their memory. Retry later.");
  base::file_descriptor memory{::memfd_create("object", MFD_CLOEXEC)};
  if (!memory) return tl::unexpected(memory_failure().why());
  // Not make_shared: the constructor is private.
  return std::shared_ptr<const object_file>{
      new object_file{std::move(memory), std::move(from), std::move(name), size_bytes,
                      std::move(sha256), window, std::move(lease)}};
}

object_file::object_file(base::file_descriptor memory, std::shared_ptr<object_store> from,
                         object_name name, std::uint64_t size_bytes, std::string sha256,
                         std::size_t window, base::byte_lease lease)
    : open_file{std::move(memory), size_bytes},
      from_{std::move(from)},
      name_{std::move(name)},
      sha256_{std::move(sha256)},
      window_{window},
      lease_{std::move(lease)} {}

bool object_file::is_resident(std::uint64_t offset, std::uint64_t length_bytes) const noexcept {
  return offset >= begin_ && offset + length_bytes <= end_;
}

void object_file::read_ahead(std::uint64_t offset, std::uint64_t length_bytes) const noexcept {
  try {
    if (const auto fetched = fetch(offset, length_bytes); !fetched)
      base::log(base::log_event::object_failed, "objects: {}", base::to_string(fetched.error()));
  } catch (const std::exception& error) {
    base::log(base::log_event::object_failed, "objects: {}: {}", name_.text(), error.what());
  }
}

std::ptrdiff_t object_file::read(std::span<char> into, std::uint64_t offset) const noexcept {
  if (offset >= size_bytes() || into.empty()) return 0;
  const auto length = std::min<std::uint64_t>(into.size(), size_bytes() - offset);
  if (!is_resident(offset, length)) read_ahead(offset, length);
  if (is_resident(offset, length)) return open_file::read(into.first(length), offset);
  errno = EIO;
  return -1;
}

base::expected<void> object_file::fetch(std::uint64_t offset, std::uint64_t length_bytes) const {
  const std::lock_guard lock{mutex_};
  return base::attempt([&] {
    if (size_bytes() <= window_) return extend_to(size_bytes());
    move_to(offset);
    const auto wanted = std::max(length_bytes, window_);
    extend_to(wanted > size_bytes() - offset ? size_bytes() : offset + wanted);
  });
}

void object_file::move_to(std::uint64_t offset) const {
  const auto begin = begin_.exchange(offset);
  if (offset < begin || offset > end_) {
    // Removes everything; otherwise bytes before a gap would stay.
    cut_at(0);
    return cut_at(offset);
  }
  // Only whole pages, which survive while a socket still sends from them. In other pages the kernel
  // would overwrite a part with zeros, even while it is being sent.
  const auto hole_begin = page_start(begin);
  const auto hole_end = page_start(offset);
  if (hole_end > hole_begin &&
      ::fallocate(descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(hole_begin), static_cast<off_t>(hole_end - hole_begin)) != 0)
    throw memory_failure();
}

void object_file::extend_to(std::uint64_t end) const {
  const std::uint64_t begin = end_;
  if (begin >= end) return;
  // Without a range, the store verifies the bytes against its own records.
  std::optional<object_range> range;
  if (begin > 0 || end < size_bytes()) range = object_range{begin, end - begin};
  base::expected<void> taken; // the store does not expect exceptions
  const auto read = from_->read(name_, range, [&](std::string_view piece) {
    taken = base::attempt([&] {
      if (piece.size() > end - end_) throw other_size("more");
      append(piece);
    });
    return taken.has_value();
  });
  try {
    if (!taken) throw base::failure{taken.error()};
    if (!read) throw base::failure{read.error()};
    if (!*read)
      throw base::failure{base::errc::store_failed, "{}: the object is gone", name_.text()};
    if ((*read)->size_bytes != size_bytes() || end_ < end)
      throw other_size(std::to_string((*read)->size_bytes));
  } catch (const base::failure&) {
    // A range that stopped early delivered good bytes. An object that is read whole is released
    // only after it was verified; any other bytes may not be the object's.
    if (const bool is_good = range && !read && taken && end_ < end; !is_good) cut_at(begin);
    throw;
  }
  check_digest();
}

void object_file::cut_at(std::uint64_t end) const {
  end_ = end;
  if (digested_ > end) {
    digested_ = 0;
    digest_.emplace();
  }
  if (::ftruncate(descriptor(), static_cast<off_t>(end)) != 0) throw memory_failure();
}

base::failure object_file::other_size(const std::string& bytes) const {
  return {base::errc::store_failed, "{}: the object has {} bytes instead of {}", name_.text(),
          bytes, size_bytes()};
}

void object_file::append(std::string_view bytes) const {
  if (digested_ == end_ && !sha256_.empty()) {
    digest_->add(bytes);
    digested_ += bytes.size();
  }
  while (!bytes.empty()) {
    const auto written =
        ::pwrite(descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(end_.load()));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw memory_failure();
    bytes.remove_prefix(static_cast<std::size_t>(written));
    end_ += static_cast<std::uint64_t>(written);
  }
}

void object_file::check_digest() const {
  if (!is_as_stored_ && (digested_ != size_bytes() || sha256_.empty())) return;
  // A mismatch is final, because the reader may have received some of the bytes.
  if (!is_as_stored_) is_as_stored_ = base::hexadecimal(digest_->digest()) == sha256_;
  if (*is_as_stored_) return;
  cut_at(begin_);
  throw base::failure{
      base::errc::store_failed,
      "{}: the bytes differ from those that were stored: their SHA-256 does not match",
      name_.text()};
}

} // namespace matchcloud::store
