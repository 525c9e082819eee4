#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace matchcloud::model {

/// An invisible character of a text, and why it is not allowed there.
struct hidden_character {
  /// The position in bytes.
  std::size_t offset;
  /// The kind of character, with its article: `a control character`.
  std::string_view what;
};

/// The first character of `text`, well-formed UTF-8, that is a control character, a noncharacter,
/// or invisible without being needed at its position. Needed are joiners (U+200C, U+200D) between
/// emoji, between letters that join (RFC 5892 appendix A.1) and beside a virama (A.2); variation
/// selectors after a visible character; and the tags of an emoji's tag sequence (UTS #51, ED-14a).
/// O(text).
std::optional<hidden_character> find_hidden(std::string_view text) noexcept;

} // namespace matchcloud::model
