#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

struct SHA256state_st;

namespace matchcloud::base {

using sha256_digest = std::array<std::uint8_t, 32>;

/// SHA-256 (FIPS 180-4) of `bytes`, without allocating. Any thread.
sha256_digest sha256(std::string_view bytes) noexcept;

/// SHA-256 of bytes that arrive in parts. One thread at a time.
class sha256_stream {
public:
  sha256_stream();
  sha256_stream(sha256_stream&&) noexcept;
  ~sha256_stream();

  void add(std::string_view bytes) noexcept;
  /// The digest of all bytes added so far.
  sha256_digest digest() const noexcept;

private:
  std::unique_ptr<SHA256state_st> state_;
};

} // namespace matchcloud::base
