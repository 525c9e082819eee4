#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace matchcloud::store {

/// Fails with `io_failed` and a reason from `errno`; `call` is the system call that failed.
tl::unexpected<base::error> system_failure(const std::string& call);

/// A regular file that is read in parts and must not change until all are read. It is not mapped,
/// because a truncated mapping would crash the process. Move-only. All functions fail with
/// `io_failed` and a reason that does not repeat the path, and block until the disk responds.
class stable_file {
public:
  /// Opens the file at `path`. Fails if it is unreadable, not regular, empty, or longer than
  /// `limit_bytes`. If `corrupted_by` is set, one bit is read wrong; the number determines which
  /// one.
  static base::expected<stable_file> open(const std::string& path, std::uint64_t limit_bytes,
                                          std::optional<std::uint64_t> corrupted_by = {});

  std::uint64_t size_bytes() const noexcept { return size_bytes_; }

  /// Reads all of `into` from `offset` on.
  base::expected<void> read(std::uint64_t offset, std::span<std::uint8_t> into) const;

  /// Fails if the file was written to since it was opened.
  base::expected<void> check_unchanged() const;

private:
  explicit stable_file(base::file_descriptor file) noexcept : file_{std::move(file)} {}

  base::file_descriptor file_;
  std::uint64_t size_bytes_ = 0;
  std::int64_t modified_ns_ = 0;
  std::optional<std::uint64_t> wrong_bit_;
};

/// The identity and the times of the file at a path, as reported by stat(2): a different state
/// means that the content may differ. Symbolic links are followed, so the state also changes if a
/// link points elsewhere.
struct file_state {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  /// Change time of the inode; unlike the modification time, it cannot be set by users.
  std::int64_t changed_ns = 0;
  /// The `errno` if the file cannot be examined; all other members are then 0.
  int failure = 0;

  /// Reads the state of the file at `path`. Blocks until the file system responds.
  static file_state of(const std::string& path) noexcept;

  /// Whether a write right now might leave the state unchanged, because the kernel stamps files
  /// with a clock that ticks every 1 to 10 ms.
  bool is_fresh() const noexcept;

  friend bool operator==(const file_state&, const file_state&) = default;
};

} // namespace matchcloud::store
