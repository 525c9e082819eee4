#pragma once

#include "base/clock.hpp"
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
#include <vector>

/// Fault injection. One table for the whole process says what is injected where, because the code
/// at the points shares nothing else. A point without a fault costs one relaxed load.
///
///     const auto hit = base::faults::strike(base::fault_point::geoip_lookup);
///     if (hit.kind == base::fault_kind::error) return std::nullopt;
///
/// Which passes of a point are hit depends only on the seed and the number of earlier passes. Any
/// thread.
namespace matchcloud::base {

/// The bytes of an id, or of an address in IPv6 form.
using fault_bytes = std::array<std::uint8_t, 16>;
/// The bytes of a game's id.
using fault_game = fault_bytes;

/// A block of addresses.
struct fault_network {
  fault_bytes address{};
  /// 0 to 128, in IPv6 form: an IPv4 `/8` is 104.
  int prefix_length = 128;

  bool contains(const fault_bytes& client) const noexcept;
  friend bool operator==(const fault_network&, const fault_network&) = default;
};

/// The request or game that a pass is about.
struct fault_subject {
  /// The points whose rules can hit the request; see `faults::chosen`.
  fault_point_set named = 0;
  /// Null if no game is known.
  const fault_game* game = nullptr;
};

/// The sender of a request or of bytes on a connection.
struct fault_sender {
  /// The points in the request's `X-Fault` header.
  fault_point_set named = 0;
  fault_bytes client{};
  /// Null if no token is known.
  const fault_bytes* token = nullptr;
  /// The number of the connection, in the order of opening.
  std::uint64_t connection = 0;
};

/// How long a rule is in force by default, and at most.
inline constexpr std::chrono::seconds fault_usual_time{3'600};
inline constexpr std::chrono::seconds fault_longest_time{86'400};

/// What is injected at a point, and into which passes. A pass is hit if it meets all conditions.
struct fault_rule {
  fault_kind kind = fault_kind::error;
  /// Bounds of the delay for `delay`; equal for a fixed delay.
  std::chrono::microseconds least_delay{0};
  std::chrono::microseconds most_delay{0};
  /// The probability that a pass is hit, 0 to 1.
  double probability = 1;
  /// Only every n-th pass is hit, counting from 1.
  std::uint64_t every = 1;
  /// Only the first passes, up to this number, can be hit.
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  /// Only one pass is hit.
  bool once = false;
  /// Only requests whose `X-Fault` header names the point are hit.
  bool by_header = false;
  /// Only passes about the game with this id are hit.
  std::optional<fault_game> game = {};
  /// Only clients with these addresses are hit.
  std::optional<fault_network> client = {};
  /// Only requests admitted with the token with this id are hit.
  std::optional<fault_bytes> token = {};
  /// The share of connections that are hit, above 0 and at most 1. The seed and the number of a
  /// connection decide whether it is hit.
  double connections = 1;
  /// The fault heals after this time.
  std::chrono::seconds lasts = fault_usual_time;

  /// Whether it hits only some senders.
  bool chooses_senders() const noexcept { return client || token || connections < 1; }

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

/// A time during which a delay or a stall held up a blocking call.
struct fault_hold {
  fault_point at{};
  steady_time began;
  steady_time ended;
};

/// A point as reported to operators.
struct fault_status {
  fault_point point{};
  std::optional<fault_rule> rule;
  /// Passes since the rule took effect, and the number of them that were hit.
  std::uint64_t passes = 0;
  std::uint64_t hits = 0;
  /// Hits since the process started, under any rule.
  std::uint64_t all_hits = 0;
  /// When the rule heals; `max` means never by itself.
  steady_time ends = steady_time::max();
};

/// A rule whose time is up.
struct healed_fault {
  fault_point point{};
  fault_rule rule;
};

namespace faults {

namespace detail {
// One array for the process, as the comment at the top explains: points share nothing else.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
inline constinit std::array<std::atomic<bool>, fault_point_count> armed{};
/// Whether a rule in force selects senders.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
inline constinit std::atomic<bool> choosing{false};
fault strike(fault_point at, const fault_subject& of) noexcept;
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

/// Whether a rule in force selects senders, so that callers need `chosen`.
inline bool chooses_senders() noexcept {
  return detail::choosing.load(std::memory_order_relaxed);
}

/// The points whose rules can hit input from `from`: the points that it names, but a rule that
/// selects senders counts only if it selects this one.
fault_point_set chosen(const fault_sender& from) noexcept;

/// Passes a point. `abort` never returns; the caller carries out every other kind.
inline fault strike(fault_point at, const fault_subject& of) noexcept {
  if (!armed(at)) [[likely]]
    return {};
  return detail::strike(at, of);
}
/// As above, for a pass with an unknown subject. Not a default argument, because that would be
/// constructed before checking whether there is a fault.
inline fault strike(fault_point at) noexcept {
  if (!armed(at)) [[likely]]
    return {};
  return detail::strike(at, fault_subject{});
}

/// Passes a point on a thread that may wait: delays and stalls take place inside this call.
inline fault strike_blocking(fault_point at) noexcept {
  if (!armed(at)) [[likely]]
    return {};
  return detail::strike_blocking(at);
}

/// While this object lives, its thread's blocking calls pass no point, because the code that
/// records faults must not be stopped by them.
class exemption {
public:
  exemption() noexcept;
  exemption(const exemption&) = delete;
  exemption& operator=(const exemption&) = delete;
  ~exemption();
};

/// While this object lives, its thread's blocking calls are about a game.
class about_game {
public:
  /// `game` must outlive this object.
  explicit about_game(const fault_game& game) noexcept;
  about_game(const about_game&) = delete;
  about_game& operator=(const about_game&) = delete;
  ~about_game();
};

/// The most holds of a thread that are kept apart; the last one then grows by all further ones.
inline constexpr std::size_t holds_limit = 6;
/// Removes and returns the holds of this thread's blocking calls since the last call, in order.
std::vector<fault_hold> take_holds() noexcept;
/// Adds holds of another thread that this one waited for.
void add_holds(const std::vector<fault_hold>& more);

/// Whether the rule that produced a fault is still the point's rule.
bool in_force(fault_point at, std::uint32_t rule) noexcept;

/// Injects a fault from now on, with fresh counts, until `ends`. Fails with `config_invalid`, and
/// changes nothing, if the point does not support the kind or does not know what the rule selects
/// by.
base::expected<void> set(fault_point at, const fault_rule& rule,
                         steady_time ends = steady_time::max());
/// Checks whether `set` would accept the rule.
base::expected<void> check(fault_point at, const fault_rule& rule);
/// Removes a point's fault and releases everything it stalls.
void clear(fault_point at) noexcept;
void clear_all() noexcept;
/// Removes the faults whose time is up, as `clear` does, and returns them.
std::vector<healed_fault> heal(steady_time now);
/// When the next fault heals; `max` if none will.
steady_time next_end() noexcept;

fault_status status(fault_point at);
/// Adds a metric with the hits of each point that has a rule or was ever hit.
void show(metric_set& in);

/// The reason that an error reports if its cause was injected, so that no one looks for another.
std::string reason_at(fault_point at);

/// How many of the offered `bytes` a short write accepts: fewer, but at least one.
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

/// Advances time for a delayed blocking call, instead of real time.
using time_passer = std::function<void(std::chrono::microseconds)>;
/// Sets the time passer, for simulations; call before other threads run. Empty: delays take real
/// time.
void set_time_passer(time_passer how);

} // namespace faults

} // namespace matchcloud::base
