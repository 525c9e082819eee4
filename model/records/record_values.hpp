#pragma once

#include "base/expected.hpp"
#include "model/records/line_error.hpp"
#include "model/records/record_line.hpp"
#include "model/text/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace matchcloud::model {

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

  const std::optional<line_finding>& finding() const noexcept { return finding_; }

private:
  /// The text of a string field that satisfies `is_allowed`; records a finding for any other field.
  template <class Allowed>
  std::string_view text(std::string_view name, const record_field& field, Allowed is_allowed,
                        std::string_view allowed);

  std::optional<line_finding> finding_;
};

} // namespace matchcloud::model
