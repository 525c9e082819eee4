#pragma once

#include "load/mix.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// Where requests go to and what all of them have.
struct request_frame {
  /// For the Host header.
  std::string authority;
  /// In front of each path; without a slash at its end.
  std::string base_path;
  /// Further header lines, `Name: value`.
  std::vector<std::string> header_lines;
  /// Whether each connection ends with its request.
  bool closes = false;
};

/// The requests of one part of a mix, as they are sent: made once, before any is. Immutable; any
/// thread.
class request_pool {
public:
  /// The same seed makes the same requests.
  request_pool(const mix_part& part, const request_frame& frame, std::uint64_t seed);

  std::size_t size() const noexcept { return requests_.size(); }
  std::string_view operator[](std::size_t i) const noexcept { return requests_[i]; }

private:
  std::vector<std::string> requests_;
};

/// Chooses requests out of a mix by its weights. One thread; the pools outlive it.
class request_source {
public:
  struct request {
    /// The index of the part.
    std::size_t part;
    std::string_view bytes;
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
