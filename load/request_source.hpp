#pragma once

#include "load/mix.hpp"
#include "load/requests/request_frame.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// The requests of one part of a mix, as the bytes to send. All are made before the first one is
/// sent; a flow has none. Immutable; any thread.
class request_pool {
public:
  /// Equal seeds make equal requests.
  request_pool(const mix_part& part, const request_frame& frame, std::uint64_t seed);

  std::size_t size() const noexcept { return requests_.size(); }
  const request_bytes& operator[](std::size_t i) const noexcept { return requests_[i]; }

private:
  void make_any(const any_request& any, const request_frame& frame, std::mt19937_64& engine);

  std::vector<request_bytes> requests_;
};

/// Chooses requests from a mix by its weights. One thread; the mix and the pools must outlive
/// the source.
class request_source {
public:
  struct request {
    /// The index of its row in the results (`rows_of`).
    std::size_t part = 0;
    /// Empty at the start of a flow, whose requests are made one by one.
    std::string_view bytes;
    /// See `request_bytes::token_at`.
    std::size_t token_at = 0;
    /// The status that the reply must have; 0 means any below 500.
    int status = 200;
    /// See `flow_step::cut_bytes`.
    std::size_t cut_bytes = 0;
  };

  /// `parts` and `pools` must outlive this object.
  request_source(const std::vector<mix_part>& parts, const std::vector<request_pool>& pools,
                 std::uint64_t seed);
  request_source(std::vector<mix_part>&&, const std::vector<request_pool>&, std::uint64_t) = delete;

  request next();

private:
  const std::vector<mix_part>* parts_;
  const std::vector<request_pool>* pools_;
  std::mt19937_64 engine_;
  std::discrete_distribution<std::size_t> part_;
  /// Each part's first row in the results.
  std::vector<std::size_t> first_rows_;
};

} // namespace matchcloud::load
