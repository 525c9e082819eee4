#pragma once

#include "model/text/exact_integer.hpp"
#include "model/text/text_length.hpp"
#include "model/validation/validation_rules.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace matchcloud::model {

/// What a payload proposes to create.
enum class payload_kind : std::uint8_t { version, game, group };

// The declarative side of validation: what the shapes of docs/validation.md allow, as
// constant tables. The walker in validation.cpp interprets them and json_schema.cpp prints them. A
// new rule about one value belongs into a row here; a rule across members gets a name in
// `object_rule` and its condition in member_relations.cpp.

enum class value_type : std::uint8_t { string, integer, boolean, object, map, array };

/// What a string has to be, beyond being a string of a bounded length.
enum class text_rule : std::uint8_t {
  any,
  not_empty,
  display_name,
  /// A route's pattern, see `check_glob`; another one than those of the routes before.
  glob,
  header_name,
  header_value,
  /// A tier of the catalog.
  tier,
  /// Where verification requests may go, see `check_public_url`.
  public_url,
  /// One of the rule's `words`.
  word,
  /// The same for `network_mode`: `host` only where the edition has it.
  network_mode,
};

/// What the names of a map's entries have to be.
enum class key_rule : std::uint8_t {
  any,
  not_empty,
  /// A region of the catalog.
  region,
  game_mode,
  /// And not a name that the service sets itself.
  env_name,
  /// And not a header that the service sets itself.
  header_name,
  port_label,
};

/// A relation between the members of an object.
enum class object_rule : std::uint8_t {
  none,
  /// `min` is not above `max`.
  ordered_range,
  /// One of the optional members.
  exactly_one,
  /// One of the optional members, or more.
  at_least_one,
  /// The conditions of docs/validation.md, "Ports".
  port,
  /// "Completeness" of docs/validation.md.
  config,
  cdn,
  matchmaker,
  game_mode,
};

/// The integers that a member can hold, both ends included: beyond is `out-of-range`.
struct integer_range {
  std::int64_t lowest;
  std::uint64_t highest;
  /// With its article, for messages: `a port`.
  std::string_view meaning;
};

inline constexpr integer_range signed_64_bit{std::numeric_limits<std::int64_t>::min(),
                                             std::numeric_limits<std::int64_t>::max(),
                                             "a signed 64-bit integer"};
inline constexpr integer_range unsigned_32_bit{0, std::numeric_limits<std::uint32_t>::max(),
                                               "an unsigned 32-bit integer"};
inline constexpr integer_range port_number{1, 65'535, "a port"};

bool is_within(const exact_integer& value, const integer_range& range) noexcept;

/// The words that the specification only names, spelled as docs/validation.md does.
inline constexpr std::string_view default_protocol = "https";
inline constexpr std::array<std::string_view, 5> protocol_words{"http", default_protocol, "tcp",
                                                                "tcp_tls", "udp"};
inline constexpr std::string_view default_proxy = "gateway";
inline constexpr std::array<std::string_view, 2> proxy_words{default_proxy, "none"};
inline constexpr std::string_view default_network_mode = "bridge";
inline constexpr std::array<std::string_view, 2> network_mode_words{default_network_mode, "host"};

/// What may stand in the configuration's limits.
using limit_pointer = std::uint64_t validation_limits::*;

struct object_shape;

/// One kind of value.
struct value_rule {
  value_type type = value_type::string;
  text_rule text = text_rule::any;
  /// Of a map.
  key_rule key = key_rule::any;
  length_unit unit = length_unit::bytes;
  /// Of an integer; without it every integer of 64 bits with a sign.
  const integer_range* range = nullptr;
  /// Of an integer: the least allowed, `too-low` below. Null with `most`: 0.
  limit_pointer least = nullptr;
  /// Of an integer: the greatest allowed, `too-high` beyond. Of a string: its length in `unit`,
  /// `too-long` beyond. Of a map or array: its entries, `too-many` beyond.
  limit_pointer most = nullptr;
  /// Of a map: the length of its entries' names, in characters; `too-long` beyond.
  limit_pointer longest_key = nullptr;
  /// The words of `text_rule::word` and `network_mode`.
  std::span<const std::string_view> words = {};
  /// Of an object; null: its members are not shown, anything goes.
  const object_shape* shape = nullptr;
  /// Of a map's entries and an array's elements.
  const value_rule* element = nullptr;
};

/// Both ends included.
struct integer_bounds {
  std::int64_t lowest;
  std::uint64_t highest;
};

/// What an integer of that rule may be, by its range and its limits.
integer_bounds bounds_of(const value_rule& rule, const validation_limits& limits) noexcept;

/// A row of the table: one member of an object.
struct member_rule {
  /// As docs/validation.md has it, neutral where it is.
  std::string_view name;
  /// The product's word that is accepted in its place; empty: none.
  std::string_view alias;
  const value_rule* value;
  bool required = false;
  /// Configures the command line tool only: no rule beyond its type may be added.
  bool cli_only = false;
};

struct object_shape {
  std::span<const member_rule> members;
  object_rule rule = object_rule::none;
  /// It has further members that are not shown.
  bool open = false;
};

/// At most this many members in one shape: the walker keeps a bit for each.
inline constexpr std::size_t shape_members_limit = 64;

/// The shape of a whole request body.
const value_rule& body_rule(payload_kind kind) noexcept;

/// The row of `name`, which may be an alias; null where there is none.
const member_rule* find_member(const object_shape& shape, std::string_view name,
                               const validation_rules& rules) noexcept;

/// Whether some object of the specification has a member of that name, its alias included.
bool is_member_name(std::string_view name) noexcept;

/// A neutral word of the specification and the product's word that is accepted in its place.
struct name_alias {
  std::string_view neutral;
  std::string_view alias;
};

/// The built-in table of keys. docs/validation.md, "Names and aliases".
std::span<const name_alias> key_aliases() noexcept;

/// The built-in table for the values of a port's `proxy`.
std::span<const name_alias> proxy_aliases() noexcept;

/// The alias of a neutral key; empty where it has none.
std::string_view alias_of(std::string_view neutral) noexcept;

/// The neutral word of a value that may be an alias; `word` itself where it is none.
std::string_view neutral_word(std::string_view word, const validation_rules& rules) noexcept;

/// Which of `words` a value is: the word itself, or that of which it is an alias. Absent: none.
std::optional<std::string_view> known_word(std::string_view value,
                                           std::span<const std::string_view> words,
                                           const validation_rules& rules) noexcept;

} // namespace matchcloud::model
