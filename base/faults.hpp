#pragma once

#include "base/expected.hpp"
#include "base/fault_point.hpp"

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

/// Faults on purpose. What is injected where is one table for the process: the points are in code
/// that shares nothing else, and with nothing injected a point costs one relaxed load.
///
///     const auto hit = base::faults::strike(base::fault_point::geoip_lookup);
///     if (hit.kind == base::fault_kind::error) return std::nullopt;
///
/// Which passes of a point are hit depends on the seed and on how many passes there were before,
/// nothing else. Any thread.
namespace matchcloud::base {

/// What is injected at a point, and into which of its passes. All conditions have to hold.
struct fault_rule {
  fault_kind kind = fault_kind::error;
  /// Of `delay`: between these, equal for a fixed one.
  std::chrono::microseconds least_delay{0};
  std::chrono::microseconds most_delay{0};
  /// 0 to 1.
  double probability = 1;
  /// The every-th pass, from 1.
  std::uint64_t every = 1;
  /// The first so many passes only.
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  /// One pass and no more.
  bool once = false;
  /// Only requests whose `X-Fault` names the point.
  bool by_header = false;

  friend bool operator==(const fault_rule&, const fault_rule&) = default;
};

/// What happens at one pass of a point.
struct fault {
  fault_kind kind = fault_kind::none;
  std::chrono::microseconds delay{0};
  /// Names the rule, for `in_force`.
  std::uint32_t rule = 0;
  /// Decides what the kind leaves open: which byte is changed.
  std::uint64_t random = 0;

  explicit operator bool() const noexcept { return kind != fault_kind::none; }
};

/// A point as the operator sees it.
struct fault_status {
  fault_point point{};
  std::optional<fault_rule> rule;
  /// Since the rule is in force: passes, and how many of them were hit.
  std::uint64_t passes = 0;
  std::uint64_t hits = 0;
  /// Since the process began, under whatever rule.
  std::uint64_t all_hits = 0;
};

namespace faults {

namespace detail {
// One for the process, as the table above says: points share nothing else.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
inline constinit std::array<std::atomic<bool>, fault_point_count> armed{};
fault strike(fault_point at, fault_point_set named) noexcept;
fault strike_blocking(fault_point at) noexcept;
} // namespace detail

/// Whether anything is injected at a point.
inline bool armed(fault_point at) noexcept {
  return detail::armed[static_cast<std::size_t>(at)].load(std::memory_order_relaxed);
}

/// Whether anything is injected anywhere. O(points).
inline bool any_armed() noexcept {
  return std::ranges::any_of(detail::armed, [](const std::atomic<bool>& each) {
    return each.load(std::memory_order_relaxed);
  });
}

/// Passes a point. `abort` never returns; what else is to happen is the caller's to do. `named`:
/// the points in the request's `X-Fault`.
inline fault strike(fault_point at, fault_point_set named = 0) noexcept {
  if (!armed(at)) [[likely]]
    return {};
  return detail::strike(at, named);
}

/// Passes a point on a thread that may wait: delays and stalls happen in here.
inline fault strike_blocking(fault_point at) noexcept {
  if (!armed(at)) [[likely]]
    return {};
  return detail::strike_blocking(at);
}

/// Whether the rule that a fault came from is still the point's.
bool in_force(fault_point at, std::uint32_t rule) noexcept;

/// Injects from now on, with fresh counts. Fails with `config_invalid` where the point does not
/// know the kind, or knows no request that a header could choose; then nothing changes.
base::expected<void> set(fault_point at, const fault_rule& rule);
/// Whether `set` would take it.
base::expected<void> check(fault_point at, const fault_rule& rule);
/// Takes a point's fault away and lets go of what it stalls.
void clear(fault_point at) noexcept;
void clear_all() noexcept;

fault_status status(fault_point at);

/// What a failure says whose cause is injected, so that nobody looks for another one.
std::string reason_at(fault_point at);

/// Of `bytes` that are offered, how many a short write takes: fewer, but at least one.
inline std::size_t shortened(std::size_t bytes, std::uint64_t random) noexcept {
  return bytes <= 1 ? bytes : 1 + static_cast<std::size_t>(random % (bytes - 1));
}

/// Changes one bit of `in`, which must not be empty.
inline void flip_bit(std::span<char> in, std::uint64_t random) noexcept {
  auto& byte = in[static_cast<std::size_t>(random / 8 % in.size())];
  byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << (random % 8)));
}

/// From now on hits follow from `seed`; counts begin anew.
void seed(std::uint64_t seed) noexcept;

/// How the time of a delayed blocking call passes, where it is not real time.
using time_passer = std::function<void(std::chrono::microseconds)>;
/// For simulations, before other threads run. Empty: in real time.
void set_time_passer(time_passer how);

} // namespace faults

} // namespace matchcloud::base
