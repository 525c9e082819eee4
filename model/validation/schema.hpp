#pragma once

#include "model/json/name_table.hpp"
#include "model/text/exact_integer.hpp"
#include "model/text/violation.hpp"
#include "model/validation/member_names.hpp"
#include "model/validation/validation_rules.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace matchcloud::model {

/// What a payload creates.
enum class payload_kind : std::uint8_t { version, game, group };
inline constexpr std::array<std::string_view, 3> payload_kind_names{"version", "game", "group"};

constexpr std::string_view name_of(payload_kind kind) noexcept {
  return payload_kind_names[static_cast<std::size_t>(kind)];
}

/// The kind with that name; empty if there is none.
constexpr std::optional<payload_kind> parse_payload_kind(std::string_view name) noexcept {
  for (std::size_t i = 0; i < payload_kind_names.size(); ++i)
    if (payload_kind_names[i] == name) return static_cast<payload_kind>(i);
  return std::nullopt;
}

// The declarative side of validation: the shapes of docs/validation.md as constant tables. The
// walker in validation.cpp interprets them and json_schema.cpp prints them. A new rule about one
// value goes into a row here; a rule across members gets a name in `object_rule` and its condition
// in member_relations.cpp.

enum class value_type : std::uint8_t { string, integer, boolean, object, map, array };

/// A requirement on a string, besides its length.
enum class text_rule : std::uint8_t {
  any,
  not_empty,
  display_name,
  /// A route's pattern, see `check_glob`; must differ from those of the earlier routes.
  glob,
  header_name,
  header_value,
  /// A tier of the catalog.
  tier,
  /// A URL that verification requests may go to, see `check_public_url`.
  public_url,
  /// One of the `words` of its `value_rule`.
  word,
  /// One of the rule's `words`; `host` only if the edition has it.
  network_mode,
};

/// A requirement on the names of a map's entries.
enum class key_rule : std::uint8_t {
  any,
  not_empty,
  /// A region of the catalog.
  region,
  game_mode,
  /// A variable's name that the service does not set itself.
  env_name,
  /// A header's name that the service does not set itself.
  header_name,
  port_label,
};

/// A relation between the members of an object.
enum class object_rule : std::uint8_t {
  none,
  /// `min` is not above `max`.
  ordered_range,
  /// Exactly one of the optional members is present.
  exactly_one,
  /// At least one of the optional members is present.
  at_least_one,
  /// The conditions of docs/validation.md, "Ports".
  port,
  /// The conditions of docs/validation.md, "Completeness".
  config,
  cdn,
  matchmaker,
  game_mode,
};

/// The integers that a member can hold, both ends included; others are `out-of-range`.
struct integer_range {
  std::int64_t lowest;
  std::uint64_t highest;
  /// The meaning with its article, for messages: `a port`.
  std::string_view meaning;
};

inline constexpr integer_range signed_64_bit{std::numeric_limits<std::int64_t>::min(),
                                             std::numeric_limits<std::int64_t>::max(),
                                             "a signed 64-bit integer"};
inline constexpr integer_range unsigned_32_bit{0, std::numeric_limits<std::uint32_t>::max(),
                                               "an unsigned 32-bit integer"};
inline constexpr integer_range port_number{1, 65'535, "a port"};

bool is_within(const exact_integer& value, const integer_range& range) noexcept;

/// The words that the specification only mentions, spelled as in docs/validation.md.
inline constexpr std::string_view default_protocol = "https";
inline constexpr std::array<std::string_view, 5> protocol_words{"http", default_protocol, "tcp",
                                                                "tcp_tls", "udp"};
inline constexpr std::string_view default_proxy = "gateway";
inline constexpr std::array<std::string_view, 2> proxy_words{default_proxy, "none"};
inline constexpr std::string_view default_network_mode = "bridge";
inline constexpr std::array<std::string_view, 2> network_mode_words{default_network_mode, "host"};

/// A limit from the configuration.
using limit_pointer = std::uint64_t validation_limits::*;

struct object_shape;

/// The rule for a kind of value.
struct value_rule {
  value_type type = value_type::string;
  text_rule text = text_rule::any;
  /// Of a map: the rule for the names of its entries.
  key_rule key = key_rule::any;
  length_unit unit = length_unit::bytes;
  /// Of an integer; if null, every signed 64-bit integer.
  const integer_range* range = nullptr;
  /// Of an integer: the lowest allowed; lower ones are `too-low`. Null with a non-null `most` means
  /// 0.
  limit_pointer least = nullptr;
  /// Of an integer: the highest allowed; higher ones are `too-high`. Of a string: its longest
  /// length in `unit`, else `too-long`. Of a map or array: its most entries, else `too-many`.
  limit_pointer most = nullptr;
  /// Of a map: the longest name of an entry, in characters, else `too-long`.
  limit_pointer longest_key = nullptr;
  /// The words of `text_rule::word` and `network_mode`.
  std::span<const std::string_view> words = {};
  /// Of an object; if null, its members are unspecified and everything is accepted.
  const object_shape* shape = nullptr;
  /// The rule for a map's entries or an array's elements.
  const value_rule* element = nullptr;
  /// The name of the rule's definition if several members share the rule; empty: the name of the
  /// first of them.
  std::string_view name = {};
};

/// Limits of an integer, both ends included.
struct integer_bounds {
  std::int64_t lowest;
  std::uint64_t highest;
};

/// The integers that `rule` allows, by its range and its limits.
integer_bounds bounds_of(const value_rule& rule, const validation_limits& limits) noexcept;

/// A row of the table: one member of an object.
struct member_rule {
  /// The name in docs/validation.md; the neutral one if there are two.
  std::string_view name;
  /// The product's word that is accepted for the name; empty if there is none.
  std::string_view alias;
  /// The symbol of both, see member_names.hpp.
  name_symbol symbol;
  const value_rule* value;
  /// Its description in JSON Schema and in the OpenAPI documents: short, with the unit.
  std::string_view about;
  bool required = false;
  /// Configures the command line tool only. No rule beyond its type may be added; `game_module` is
  /// the one exception, see docs/validation.md.
  bool cli_only = false;
};

/// The most members of a shape: the walker keeps a bit for each.
inline constexpr std::size_t shape_members_limit = 64;

struct object_shape {
  std::span<const member_rule> members;
  /// For each symbol the position of its member; beyond the end if it has none.
  std::array<std::uint8_t, specified_names.size() + 1> positions{};
  object_rule rule = object_rule::none;
  /// Whether it has further, unspecified members.
  bool open = false;

  constexpr explicit object_shape(std::span<const member_rule> all,
                                  object_rule of = object_rule::none, bool is_open = false)
      : members{all}, rule{of}, open{is_open} {
    if (all.size() > shape_members_limit) throw "too many members";
    positions.fill(shape_members_limit);
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto& position = positions.at(all[i].symbol);
      if (position != shape_members_limit) throw "two members of one name";
      position = static_cast<std::uint8_t>(i);
    }
  }
};

/// The rule for a whole request body.
const value_rule& body_rule(payload_kind kind) noexcept;

/// The names of the specification's members, their aliases and those of `rules`.
known_names member_names_of(const validation_rules& rules);

/// The row of a symbol of `member_names_of`; null if the shape has no such member.
inline const member_rule* find_member(const object_shape& shape, name_symbol symbol) noexcept {
  const std::size_t at = shape.positions[symbol];
  return at < shape.members.size() ? &shape.members[at] : nullptr;
}

/// The row of `name`, which may be an alias; null if there is none.
const member_rule* find_member(const object_shape& shape, std::string_view name,
                               const validation_rules& rules);

/// Whether any object of the specification has a member of that name or alias.
bool is_member_name(std::string_view name) noexcept;

/// A neutral word of the specification and the product's word that is accepted for it.
struct name_alias {
  std::string_view neutral;
  std::string_view alias;
};

/// The built-in aliases of keys (docs/validation.md, "Names and aliases").
std::span<const name_alias> key_aliases() noexcept;

/// The built-in aliases for the values of a port's `proxy`.
std::span<const name_alias> proxy_aliases() noexcept;

/// The built-in alias of a neutral key; empty if there is none.
std::string_view alias_of(std::string_view neutral) noexcept;

/// The neutral word that `word` is an alias of; `word` itself if it is not an alias.
std::string_view neutral_word(std::string_view word, const validation_rules& rules) noexcept;

/// The one of `words` that `value` equals or is an alias of; absent if there is none.
std::optional<std::string_view> known_word(std::string_view value,
                                           std::span<const std::string_view> words,
                                           const validation_rules& rules) noexcept;

} // namespace matchcloud::model
