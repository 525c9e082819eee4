#pragma once

#include "base/expected.hpp"
#include "model/records/line_error.hpp"
#include "model/records/line_splitter.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace matchcloud::model {

/// A member that the lines of a format have.
struct record_member {
  std::string_view name;
  bool required = true;
};

/// What a line says of a member. `text` is a string without quotes and escapes, a number as it was
/// written, `true`, `false` or empty; it is valid as long as the line's bytes are.
struct record_field {
  enum class kind : std::uint8_t { absent, null, boolean, number, string };

  kind what = kind::absent;
  std::string_view text;

  /// False for null, too.
  bool given() const noexcept { return what != kind::absent && what != kind::null; }
};

/// Members that a format can have at most.
inline constexpr std::size_t record_member_limit = 16;

/// Reads lines of JSON Lines, each a flat object, against a table of members. Allocates nothing for
/// a good line. One thread.
class record_reader {
public:
  /// `members` are at most `record_member_limit` and outlive the reader.
  explicit record_reader(std::span<const record_member> members);
  ~record_reader();
  record_reader(const record_reader&) = delete;
  record_reader& operator=(const record_reader&) = delete;

  /// Reads `line`, whose bytes it overwrites (a NUL must follow them, as in `input_line`), into
  /// `fields`, one per member in the table's order. Says what is wrong with the line, if anything;
  /// the fields are then of no use. A required member may be null: that is for who reads the field.
  std::optional<line_finding> read(std::span<char> line, std::span<record_field> fields);

  /// The same for a line as it came: also refuses one that is too long.
  std::optional<line_finding> read(const input_line& line, std::span<record_field> fields);

private:
  class parser;

  std::span<const record_member> members_;
  std::unique_ptr<parser> parser_;
};

} // namespace matchcloud::model
