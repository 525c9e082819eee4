#pragma once

#include "base/expected.hpp"
#include "model/json/json_document.hpp"
#include "model/json/json_fields.hpp"
#include "model/json/record.hpp"
#include "model/records/line_splitter.hpp"
#include "model/text/uuid.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// Why a line of an import is refused. The names are stable, because clients act on them.
enum class line_errc : std::uint8_t {
  /// The line is not one JSON object in UTF-8.
  malformed,
  /// The line is longer than `line_limit_bytes`.
  too_long,
  /// The format has no such member.
  unknown_member,
  /// A member occurs twice.
  duplicate_member,
  /// A required member is missing.
  required,
  /// A member's value has the wrong JSON type.
  wrong_type,
  /// A value is outside the allowed range or set.
  invalid,
  /// The line contradicts what is known about the same id.
  conflict,
  /// No game has this id.
  game_unknown,
  /// No namespace has this id.
  namespace_unknown,
  /// No region has this id.
  region_unknown,
};

/// The stable names.
inline constexpr std::array<std::string_view, 11> line_errc_names{
    "malformed", "too_long", "unknown_member", "duplicate_member",  "required",      "wrong_type",
    "invalid",   "conflict", "game_unknown",   "namespace_unknown", "region_unknown"};

/// The stable name: `namespace_unknown`.
constexpr std::string_view name_of(line_errc code) noexcept {
  return line_errc_names[static_cast<std::size_t>(code)];
}

/// A finding in a line: what was found and what is allowed.
struct line_finding {
  line_errc code = line_errc::malformed;
  std::string message;

  friend bool operator==(const line_finding&, const line_finding&) = default;
};

/// A finding with the number of its line, from 1.
struct line_error {
  std::uint64_t line = 0;
  line_errc code = line_errc::malformed;
  std::string message;

  friend bool operator==(const line_error&, const line_error&) = default;
};

constexpr auto describe(const line_error*) {
  return record{"RejectedLine",
                field{"line", types::positive, "The line's number, from 1.", &line_error::line},
                field{"code", types::a("LineErrorCode"), "A stable name for what is wrong.",
                      &line_error::code},
                field{"message", types::text, "What was found, and what to write instead.",
                      &line_error::message}};
}

/// The value of a member in a line, null or plain; empty if the member is absent. `text` is that of
/// `json_document::text`, and valid until the reader reads the next line.
struct record_field {
  std::optional<json_kind> what;
  std::string_view text;

  /// False for null as well.
  bool given() const noexcept { return what && *what != json_kind::null; }
};

/// The most members of a format.
inline constexpr std::size_t record_member_limit = 16;
/// The most members that are ignored, and the longest name of one in bytes.
inline constexpr std::size_t ignored_member_limit = 16;
inline constexpr std::size_t ignored_name_limit_bytes = 64;

/// Fails with `config_invalid` and says why if members with these names cannot be ignored in a
/// format of `members`.
base::expected<void> check_ignored(std::span<const json_field> members,
                                   std::span<const std::string> names);

/// Reads lines of JSON Lines, each a flat object, against a table of members. Does not allocate for
/// a valid line, once it has read some. Members with the names in `ignored` are skipped with any
/// value, because log shippers add members. One thread.
class record_reader {
public:
  /// `members` has at most `record_member_limit` elements and must outlive the reader; `ignored`
  /// passes `check_ignored`.
  explicit record_reader(std::span<const json_field> members,
                         std::vector<std::string> ignored = {});

  /// Reads `line` into `fields`, one per member in the table's order. Returns the first finding in
  /// the line, if any; the fields are then unspecified. A required member may be null: readers of
  /// the field check that.
  std::optional<line_finding> read(std::string_view line, std::span<record_field> fields);

  /// Reads a line from a `line_splitter`; refuses one that is too long.
  std::optional<line_finding> read(const input_line& line, std::span<record_field> fields);

private:
  std::optional<line_finding> take_members(std::span<record_field> fields);
  std::optional<line_finding> take(const json_node& member, std::span<record_field> fields);
  std::size_t index_of(std::string_view name);

  std::span<const json_field> members_;
  std::vector<std::string> ignored_;
  json_document line_;
  /// The table index where the next member is expected.
  std::size_t expected_ = 0;
};

/// Reads typed values from the fields of a line and keeps the first finding; after that, all
/// functions return default values. `name` is the member's, for the message.
class record_values {
public:
  /// A UUID of 36 characters.
  uuid id(std::string_view name, const record_field& field);
  /// 1 to 32 of a-z, 0-9 and -, no dash at either end; valid as long as the field is.
  std::string_view identifier(std::string_view name, const record_field& field);
  /// 1 to 128 printable characters; valid as long as the field is.
  std::string_view label(std::string_view name, const record_field& field);
  /// Milliseconds since 1970, from a JSON integer in that unit or an RFC 3339 string. Refuses
  /// integers that look like seconds; times of early 1970 can be given as strings.
  std::int64_t time(std::string_view name, const record_field& field);
  bool flag(std::string_view name, const record_field& field);
  /// Records a finding about a value: `code` is `wrong_type` or `invalid`.
  void refuse(line_errc code, std::string_view name, const record_field& field,
              std::string_view allowed);

  /// Records that a value is `invalid`, or `wrong_type` unless it is of the kind `wanted`.
  void refuse_unless(json_kind wanted, std::string_view name, const record_field& field,
                     std::string_view allowed);

  const std::optional<line_finding>& finding() const noexcept { return finding_; }

private:
  /// The text of a string field that satisfies `is_allowed`; records a finding for any other field.
  std::string_view text(std::string_view name, const record_field& field,
                        bool (&is_allowed)(std::string_view), std::string_view allowed);

  std::optional<line_finding> finding_;
};

} // namespace matchcloud::model
