#pragma once

#include "base/byte_budget.hpp"
#include "base/crypto/sha256.hpp"
#include "base/failure.hpp"
#include "base/files/open_file.hpp"
#include "store/object_store.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace matchcloud::store {

/// An object presented as a file: a window of its bytes is in memory, and `read_ahead` advances the
/// window. `is_resident` means that the window has the bytes. Bytes that cannot be fetched are
/// missing at the end of the descriptor's file, so that a transfer ends early and never has wrong
/// bytes.
///
/// An object that fits into the window is read whole, and verified against its stored digest before
/// any byte is released. For larger objects, bytes read from the beginning without a gap are
/// verified at the end; if they do not match, the last ones are withheld.
///
/// For one reader that only moves forward, unless the window holds the whole object: then for any
/// number of readers, on any thread.
class object_file final : public base::open_file {
public:
  /// The usual size of a window, unless the object is smaller.
  static constexpr std::size_t window_bytes = 1UL * 1024 * 1024;

  /// Fetches nothing yet. `sha256` is the digest of the whole object, in 64 hexadecimal digits;
  /// empty: unknown. `window` is at least `window_bytes`. Fails with `budget_exhausted` if `budget`
  /// cannot lend the window, or with `io_failed`. `budget` must outlive the file.
  static base::expected<std::shared_ptr<const object_file>>
  open(std::shared_ptr<object_store> from, object_name name, std::uint64_t size_bytes,
       std::string sha256, base::byte_budget& budget, std::size_t window = window_bytes);

  std::ptrdiff_t read(std::span<char> into, std::uint64_t offset) const noexcept override;
  bool is_resident(std::uint64_t offset, std::uint64_t length_bytes) const noexcept override;
  /// Waits for the network. A failure is logged.
  void read_ahead(std::uint64_t offset, std::uint64_t length_bytes) const noexcept override;

  /// Fetches what is missing of a span. Fails like `object_store::read`.
  base::expected<void> fetch(std::uint64_t offset, std::uint64_t length_bytes) const;

private:
  object_file(base::file_descriptor memory, std::shared_ptr<object_store> from, object_name name,
              std::uint64_t size_bytes, std::string sha256, std::size_t window,
              base::byte_lease lease);

  // These throw.

  /// Moves the beginning of the window to `offset`, where the reader is.
  void move_to(std::uint64_t offset) const;
  void extend_to(std::uint64_t end) const;
  /// Appends bytes to the window.
  void append(std::string_view bytes) const;
  void check_digest() const;
  /// Makes the file and the window end at `end`.
  void cut_at(std::uint64_t end) const;

  base::failure other_size(const std::string& bytes) const;

  std::shared_ptr<object_store> from_;
  object_name name_;
  std::string sha256_;
  std::uint64_t window_;
  base::byte_lease lease_;
  /// Held while the window moves.
  mutable std::mutex mutex_;
  /// The range of bytes in the window.
  mutable std::atomic<std::uint64_t> begin_{0};
  mutable std::atomic<std::uint64_t> end_{0};
  /// Of the first `digested_` bytes.
  mutable std::optional<base::sha256_stream> digest_{std::in_place};
  mutable std::uint64_t digested_ = 0;
  /// Whether all bytes have the digest; known once all were digested.
  mutable std::optional<bool> is_as_stored_;
};

} // namespace matchcloud::store
