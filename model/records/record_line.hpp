#pragma once

#include "base/expected.hpp"
#include "model/records/line_error.hpp"
#include "model/records/line_splitter.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// A member in the format of a line.
struct record_member {
  std::string_view name;
  bool required = true;
};

/// The value of a member in a line. `text` is a string without quotes and escapes, a number as
/// written, `true`, `false` or empty; it is valid as long as the line's bytes are.
struct record_field {
  enum class kind : std::uint8_t { absent, null, boolean, number, string };

  kind what = kind::absent;
  std::string_view text;

  /// False for null as well.
  bool given() const noexcept { return what != kind::absent && what != kind::null; }
};

/// The most members of a format.
inline constexpr std::size_t record_member_limit = 16;
/// The most members that are ignored, and the longest name of one in bytes.
inline constexpr std::size_t ignored_member_limit = 16;
inline constexpr std::size_t ignored_name_limit_bytes = 64;

/// Fails with `config_invalid` and says why if members with these names cannot be ignored in a
/// format of `members`.
base::expected<void> check_ignored(std::span<const record_member> members,
                                   std::span<const std::string> names);

/// Reads lines of JSON Lines, each a flat object, against a table of members. Does not allocate for
/// a valid line. Members with the names in `ignored` are skipped with any value, because log
/// shippers add members. One thread.
class record_reader {
public:
  /// `members` has at most `record_member_limit` elements and must outlive the reader; `ignored`
  /// passes `check_ignored`.
  explicit record_reader(std::span<const record_member> members,
                         std::vector<std::string> ignored = {});
  ~record_reader();
  record_reader(const record_reader&) = delete;
  record_reader& operator=(const record_reader&) = delete;

  /// Reads `line`, whose bytes it overwrites (a NUL must follow them, as in `input_line`), into
  /// `fields`, one per member in the table's order. Returns the first finding in the line, if any;
  /// the fields are then unspecified. A required member may be null: readers of the field check
  /// that.
  std::optional<line_finding> read(std::span<char> line, std::span<record_field> fields);

  /// Reads a line from a `line_splitter`; refuses one that is too long.
  std::optional<line_finding> read(const input_line& line, std::span<record_field> fields);

private:
  class parser;

  std::span<const record_member> members_;
  std::unique_ptr<parser> parser_;
};

} // namespace matchcloud::model
