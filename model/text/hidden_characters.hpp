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
/// or invisible without being needed at its position. The following are needed:
/// - joiners (U+200C, U+200D): between emoji; after a virama, whatever follows (RFC 5892 appendix
///   A.2), and a second one after it; before a virama; between cursive letters (A.1), also after
///   one that does not join the next, as Persian is typed; U+200D after a letter that joins the
///   next, and U+200C after an Arabic heh (Sorani), whatever follows;
/// - U+200B between Khmer letters, and U+180E between Mongolian ones;
/// - variation selectors after a visible character;
/// - the tags of an emoji's tag sequence (UTS #51, ED-14a).
/// O(text).
std::optional<hidden_character> find_hidden(std::string_view text) noexcept;

} // namespace matchcloud::model
