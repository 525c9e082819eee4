#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// Whether the service accepts requests, or why it does not.
enum class service_state : std::uint8_t {
  ready,
  /// Something is not open yet, such as a store that is out of reach.
  starting,
  draining,
  /// An actor keeps dying.
  restart_storm,
  /// A newer program migrated the store, so this program may no longer use it.
  store_newer,
  /// The file of an embedded store was removed, or another one was put in its place.
  store_gone,
};
using shared_service_state = std::shared_ptr<const std::atomic<service_state>>;

inline constexpr std::array<std::string_view, 6> service_state_names{
    "ready", "starting", "draining", "restart_storm", "store_newer", "store_gone"};

constexpr std::string_view name_of(service_state state) noexcept {
  return service_state_names[static_cast<std::size_t>(state)];
}

/// `{"ready":true}`, or `{"ready":false,"reason":"draining"}`.
inline std::string render_state(service_state state) {
  if (state == service_state::ready) return R"({"ready":true})";
  return R"({"ready":false,"reason":")" + std::string{name_of(state)} + "\"}";
}

} // namespace matchcloud::http
