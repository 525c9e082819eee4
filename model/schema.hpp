#pragma once

#include "model/validation.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace matchcloud::model {

// The declarative side of validation: what the shapes of SPECIFICATION.md section 2 allow, as
// constant tables. The walker in validation.cpp interprets them. A new rule about one value belongs
// into a row here; a rule across members into the walker's end of an object.

enum class value_type : std::uint8_t { string, integer, boolean, object, map, array };

/// What a string has to be, beyond being a string.
enum class text_rule : std::uint8_t { any, display_name };

/// The integers that a member can hold, both ends included.
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

struct object_shape;

/// One kind of value.
struct value_rule {
  value_type type = value_type::string;
  text_rule text = text_rule::any;
  /// Of an integer.
  const integer_range* range = nullptr;
  /// Of an object; null: its members are not shown, anything goes.
  const object_shape* shape = nullptr;
  /// Of a map's entries and an array's elements.
  const value_rule* element = nullptr;
};

/// A row of the table: one member of an object.
struct member_rule {
  /// As SPECIFICATION.md has it, neutral where it is.
  std::string_view name;
  const value_rule* value;
  bool required = false;
  /// Configures the command line tool only: no rule beyond its type may be added.
  bool cli_only = false;
};

struct object_shape {
  std::span<const member_rule> members;
  /// It has further members that are not shown.
  bool open = false;
};

/// At most this many members in one shape: the walker keeps a bit for each.
inline constexpr std::size_t shape_members_limit = 64;

/// The shape of a whole request body.
const value_rule& body_rule(payload_kind kind) noexcept;

/// A neutral word of the specification and the product's word that is accepted in its place.
struct name_alias {
  std::string_view neutral;
  std::string_view alias;
};

/// The built-in table of keys. DESIGN.md "Names".
std::span<const name_alias> key_aliases() noexcept;

/// The built-in table for the values of a port's `proxy`.
std::span<const name_alias> proxy_aliases() noexcept;

/// The alias of a neutral key; empty where it has none.
std::string_view alias_of(std::string_view neutral) noexcept;

} // namespace matchcloud::model
