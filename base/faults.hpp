#pragma once

#include "base/expected.hpp"
#include "base/fault_point.hpp"
#include "base/metrics.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>

/// Fault injection. One table for the process holds what is injected where, because the code at the
/// points shares nothing else. A point without a fault costs one relaxed load.
///
///     const auto hit = base::faults::strike(base::fault_point::geoip_lookup);
///     if (hit.kind == base::fault_kind::error) return std::nullopt;
///
/// Which passes of a point are hit depends only on the seed and the number of passes before. Any
/// thread.
namespace matchcloud::base {

/// What is injected at a point, and into which of its passes. A pass is hit if all conditions hold.
struct fault_rule {
  fault_kind kind = fault_kind::error;
  /// Bounds of the delay for `delay`; equal for a fixed delay.
  std::chrono::microseconds least_delay{0};
  std::chrono::microseconds most_delay{0};
  /// The probability that a pass is hit, 0 to 1.
  double probability = 1;
  /// Only every n-th pass is hit, counting from 1.
  std::uint64_t every = 1;
  /// Only this many passes, the first ones, can be hit.
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  /// Only one pass is hit.
  bool once = false;
  /// Only requests whose `X-Fault` header names the point are hit.
  bool by_header = false;

  friend bool operator==(const fault_rule&, const fault_rule&) = default;
};

/// What happens at one pass of a point.
struct fault {
  fault_kind kind = fault_kind::none;
  std::chrono::microseconds delay{0};
  /// Identifies the rule, for `in_force`.
  std::uint32_t rule = 0;
  /// Random bits for choices that the kind leaves open, such as which byte is changed.
  std::uint64_t random = 0;

  explicit operator bool() const noexcept { return kind != fault_kind::none; }
};

/// A point as reported to operators.
struct fault_status {
  fault_point point{};
  std::optional<fault_rule> rule;
  /// Passes since the rule came into force, and how many of them were hit.
  std::uint64_t passes = 0;
  std::uint64_t hits = 0;
  /// Hits since the process began, under any rule.
  std::uint64_t all_hits = 0;
};

namespace faults {

namespace detail {
// One array for the process, as the comment at the top explains: points share nothing else.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
inline constinit std::array<std::atomic<bool>, fault_point_count> armed{};
fault strike(fault_point at, fault_point_set named) noexcept;
fault strike_blocking(fault_point at) noexcept;
} // namespace detail

/// Whether a fault is injected at a point.
inline bool armed(fault_point at) noexcept {
  return detail::armed[static_cast<std::size_t>(at)].load(std::memory_order_relaxed);
}

/// Whether a fault is injected at any point. O(points).
inline bool any_armed() noexcept {
  return std::ranges::any_of(detail::armed, [](const std::atomic<bool>& each) {
    return each.load(std::memory_order_relaxed);
  });
}

/// Passes a point. `abort` never returns; the caller carries out every other kind. `named`: the
/// points in the request's `X-Fault` header.
inline fault strike(fault_point at, fault_point_set named = 0) noexcept {
  if (!armed(at)) [[likely]]
    return {};
  return detail::strike(at, named);
}

/// Passes a point on a thread that may wait: delays and stalls take place inside this call.
inline fault strike_blocking(fault_point at) noexcept {
  if (!armed(at)) [[likely]]
    return {};
  return detail::strike_blocking(at);
}

/// While one lives, blocking calls of its thread pass no point: what notes faults down must not be
/// stopped by them.
class exemption {
public:
  exemption() noexcept;
  exemption(const exemption&) = delete;
  exemption& operator=(const exemption&) = delete;
  ~exemption();
};

/// Whether the rule that produced a fault is still the point's rule.
bool in_force(fault_point at, std::uint32_t rule) noexcept;

/// Injects a fault from now on, with fresh counts. Fails with `config_invalid` if the point does
/// not support the kind, or if `by_header` is set and the point knows no request; then nothing
/// changes.
base::expected<void> set(fault_point at, const fault_rule& rule);
/// Checks whether `set` would accept the rule.
base::expected<void> check(fault_point at, const fault_rule& rule);
/// Removes a point's fault and releases whatever it stalls.
void clear(fault_point at) noexcept;
void clear_all() noexcept;

fault_status status(fault_point at);
/// Adds the hits of each point that has a rule or was ever hit.
void show(metric_set& in);

/// The reason that an error reports if its cause is injected, so that nobody searches for another.
std::string reason_at(fault_point at);

/// How many of the `bytes` offered a short write accepts: fewer, but at least one.
inline std::size_t shortened(std::size_t bytes, std::uint64_t random) noexcept {
  return bytes <= 1 ? bytes : 1 + static_cast<std::size_t>(random % (bytes - 1));
}

/// Flips one bit of `in`, which must not be empty.
inline void flip_bit(std::span<char> in, std::uint64_t random) noexcept {
  auto& byte = in[static_cast<std::size_t>(random / 8 % in.size())];
  byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << (random % 8)));
}

/// Sets the seed that hits depend on; counts start again.
void seed(std::uint64_t seed) noexcept;

/// Advances time for a delayed blocking call, in place of real time.
using time_passer = std::function<void(std::chrono::microseconds)>;
/// Sets the time passer, for simulations; call before other threads run. Empty: delays take real
/// time.
void set_time_passer(time_passer how);

} // namespace faults

} // namespace matchcloud::base
