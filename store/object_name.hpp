#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// The longest name of an object. Object storage services allow 1,024 bytes; the rest is left for a
/// prefix.
inline constexpr std::size_t object_name_limit_bytes = 512;

/// The name of an object, such as `media/ab/cd.png`: parts between slashes, each of 1 to 255 ASCII
/// letters, digits, `.`, `_` and `-`, but not `.` or `..`. It can therefore serve as a path below a
/// folder unchanged. Immutable.
class object_name {
public:
  /// Nothing if `text` is not a valid name.
  static std::optional<object_name> parse(std::string_view text);

  const std::string& text() const noexcept { return text_; }

  friend auto operator<=>(const object_name&, const object_name&) = default;

private:
  explicit object_name(std::string_view text) : text_{text} {}

  std::string text_;
};

} // namespace matchcloud::store
