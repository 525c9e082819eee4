#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// The longest name of an object. A service of objects takes 1024 bytes, of which the rest is left
/// to a prefix.
inline constexpr std::size_t object_name_limit_bytes = 512;

/// The name of an object, such as `media/ab/cd.png`: parts between slashes, each of 1 to 255 ASCII
/// letters, digits, `.`, `_` and `-` and neither `.` nor `..`. It can therefore be a path below a
/// folder as it is. Immutable.
class object_name {
public:
  /// Nothing if `text` is no such name.
  static std::optional<object_name> parse(std::string_view text);

  const std::string& text() const noexcept { return text_; }

  friend auto operator<=>(const object_name&, const object_name&) = default;

private:
  explicit object_name(std::string_view text) : text_{text} {}

  std::string text_;
};

} // namespace matchcloud::store
