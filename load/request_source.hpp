#pragma once

#include "load/mix.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// Where requests go and what all of them contain.
struct request_frame {
  /// The value of the Host header.
  std::string authority;
  /// The prefix of each path; does not end with a slash.
  std::string base_path;
  /// Further header lines, `Name: value`.
  std::vector<std::string> header_lines;
  /// Whether each connection carries one request only (`Connection: close`).
  bool closes = false;
  /// Whether each connection puts its bearer token into its requests.
  bool has_token = false;
};

/// The requests of one part of a mix, as the bytes that are sent. All are made before the first one
/// is sent. Immutable; any thread.
class request_pool {
public:
  /// Equal seeds make equal requests.
  request_pool(const mix_part& part, const request_frame& frame, std::uint64_t seed);

  std::size_t size() const noexcept { return requests_.size(); }
  std::string_view operator[](std::size_t i) const noexcept { return requests_[i]; }
  /// The offset in each request at which the connection's token is to be inserted; 0: none is.
  std::size_t token_at() const noexcept { return token_at_; }

private:
  std::vector<std::string> requests_;
  std::size_t token_at_ = 0;
};

/// Chooses requests from a mix by its weights. One thread; the pools must outlive the source.
class request_source {
public:
  struct request {
    /// The index of the part in the mix.
    std::size_t part;
    std::string_view bytes;
    /// As `request_pool::token_at`.
    std::size_t token_at;
  };

  request_source(const std::vector<mix_part>& parts, const std::vector<request_pool>& pools,
                 std::uint64_t seed);

  request next();

private:
  const std::vector<request_pool>* pools_;
  std::mt19937_64 engine_;
  std::discrete_distribution<std::size_t> part_;
};

} // namespace matchcloud::load
