#pragma once

#include "base/byte_budget.hpp"
#include "http/transport/admitted_request.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace matchcloud::http {

/// The body of one request on its way to its owner in parts. Nothing is read without credit, which
/// the owner grants as it uses parts up, so a request holds at most `credit_limit_bytes`. Loop
/// thread only.
class body_upload {
public:
  /// The most bytes in one part.
  static constexpr std::size_t part_limit_bytes = 64UL * 1024;
  /// Fewer bytes wait for more to arrive, so that a client that sends single bytes causes no more
  /// messages than others.
  static constexpr std::size_t part_least_bytes = part_limit_bytes / 2;
  /// The most credit at once: bytes of the body that are in memory here, on the way or at the
  /// owner.
  static constexpr std::size_t credit_limit_bytes = 256UL * 1024;

  struct part {
    /// The position of its first byte in the body.
    std::uint64_t offset = 0;
    std::shared_ptr<const std::string> bytes;
  };

  /// Where the framer puts the body's bytes.
  admitted_request& into() noexcept { return into_; }

  /// How many bytes of the connection may be read now; 0 while the owner grants no credit.
  std::size_t room() const noexcept {
    const auto held = into_.body.size();
    if (is_whole_ || credit_ <= held) return 0;
    return std::min(credit_ - held, part_limit_bytes - std::min(held, part_limit_bytes));
  }
  void grant(std::size_t bytes) noexcept {
    has_begun_ = true;
    credit_ = std::min(credit_ + bytes, credit_limit_bytes);
  }
  /// The owner has granted credit and may therefore have parts of the body.
  bool has_begun() const noexcept { return has_begun_; }
  /// The last byte of the body has arrived.
  bool is_whole() const noexcept { return is_whole_; }
  void set_whole() noexcept { is_whole_ = true; }

  /// The next part to send, if it is large enough, the last one, or all that the credit allows.
  std::optional<part> take() {
    auto& body = into_.body;
    if (!is_whole_ && body.size() < part_least_bytes && room() > 0) return std::nullopt;
    if (!is_whole_ && body.empty()) return std::nullopt;
    struct held_bytes {
      std::string text;
      base::byte_lease lease;
    };
    auto held = std::make_shared<held_bytes>();
    held->text.swap(body);
    held->lease = std::move(into_.lease);
    const auto size = held->text.size();
    const part next{offset_, {held, &held->text}};
    offset_ += size;
    credit_ -= std::min(credit_, size);
    return next;
  }

private:
  /// Only its body and its lease are used.
  admitted_request into_;
  /// Bytes that the owner still accepts, including those in `into_`.
  std::size_t credit_ = 0;
  std::uint64_t offset_ = 0;
  bool has_begun_ = false;
  bool is_whole_ = false;
};

} // namespace matchcloud::http
