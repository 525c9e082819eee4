#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// What a token is for. Each operation names the kinds that may call it.
enum class token_kind : std::uint8_t {
  /// Everything on the ops plane.
  admin,
  /// Reads the ops plane, except tokens and the audit log.
  viewer,
  /// Reads `/metrics`.
  metrics,
  /// One game: validates its versions, lists its avatars, exports its lobbies.
  game,
  /// Validates games and groups.
  studio,
  /// Lists the regions of one namespace. Clients ship it, so it does not stay secret.
  player,
};

/// The kinds' names, as written in tokens, JSON and on the command line.
inline constexpr std::array<std::string_view, 6> token_kind_names{"admin", "viewer", "metrics",
                                                                  "game",  "studio", "player"};

constexpr std::string_view name_of(token_kind kind) noexcept {
  return token_kind_names[static_cast<std::size_t>(kind)];
}

/// The kind with that name; empty if there is none.
constexpr std::optional<token_kind> parse_token_kind(std::string_view name) noexcept {
  for (std::size_t i = 0; i < token_kind_names.size(); ++i)
    if (token_kind_names[i] == name) return static_cast<token_kind>(i);
  return std::nullopt;
}

/// What a token of a kind is limited to.
enum class token_scope : std::uint8_t { none, game, game_namespace };

constexpr token_scope scope_of(token_kind kind) noexcept {
  switch (kind) {
  case token_kind::game: return token_scope::game;
  case token_kind::player: return token_scope::game_namespace;
  case token_kind::admin:
  case token_kind::viewer:
  case token_kind::metrics:
  case token_kind::studio: break;
  }
  return token_scope::none;
}

/// A set of kinds.
class token_kinds {
public:
  constexpr token_kinds() noexcept = default;
  constexpr token_kinds(std::initializer_list<token_kind> kinds) noexcept {
    for (const auto each : kinds)
      bits_ |= bit(each);
  }

  constexpr bool has(token_kind which) const noexcept { return (bits_ & bit(which)) != 0; }
  constexpr bool is_empty() const noexcept { return bits_ == 0; }

private:
  static constexpr std::uint32_t bit(token_kind which) noexcept {
    return 1U << static_cast<unsigned>(which);
  }
  std::uint32_t bits_ = 0;
};

/// `an admin or a viewer token`, for messages.
std::string describe(const token_kinds& kinds);

} // namespace matchcloud::model
