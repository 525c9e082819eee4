#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

enum class json_kind : std::uint8_t { null, boolean, number, string, array, object };

/// A value of a document. Values stand in document order; the children of a container follow it.
struct json_node {
  /// Byte offset of the value's first byte in the parsed text.
  std::uint32_t offset = 0;
  /// Bytes of its text, see `json_document::text`.
  std::uint32_t text_bytes = 0;
  /// Where its member name is, see `json_document::name`.
  std::uint32_t name_at = 0;
  std::uint32_t name_bytes = 0;
  /// Index of the node after this one and all it contains.
  std::uint32_t next = 0;
  /// Members or elements.
  std::uint32_t count = 0;
  json_kind kind = json_kind::null;
  /// An earlier member of the same object has the same name.
  bool repeated = false;
};

/// Why a text is no document, for who shows the place itself.
struct json_error {
  /// `body_malformed`, `body_too_deep` or `body_not_object`.
  base::errc code;
  /// Byte offset of what is wrong.
  std::size_t offset;
  /// What was expected and found; it begins in lower case.
  std::string sentence;
};

/// A parsed JSON text that keeps what validation needs and common documents lose: repeated members,
/// the order, the exact digits of numbers, and where each value stood. Immutable; any thread.
class json_document {
public:
  /// The longest text, by the width of offsets.
  static constexpr std::size_t text_limit_bytes = 0xFFFF'FFFE;

  /// Parses `text` as one RFC 8259 value in UTF-8, without recursion. Fails with `body_malformed`,
  /// or `body_too_deep` where containers nest deeper than `depth_limit`; the detail names line,
  /// column, byte offset and what was expected. O(text), n log n in the members of one object.
  static base::expected<json_document> parse(std::string_view text, std::size_t depth_limit);

  /// The same for a text that must be an object: fails with `body_not_object` where it is another
  /// value.
  static base::expected<json_document> parse_object(std::string_view text, std::size_t depth_limit);
  static tl::expected<json_document, json_error> read_object(std::string_view text,
                                                             std::size_t depth_limit);

  /// `node(0)` is the root.
  const json_node& node(std::uint32_t index) const noexcept { return nodes_[index]; }
  const json_node& root() const noexcept { return nodes_.front(); }
  std::uint32_t node_count() const noexcept { return static_cast<std::uint32_t>(nodes_.size()); }

  /// The root's first member of that name and kind; null where there is none. O(members).
  const json_node* find_member(std::string_view name, json_kind kind) const noexcept;

  /// A string's characters without quotes and escapes, a number's digits as written, `true`,
  /// `false` or `null`; empty for containers. Lives as long as the document stays where it is.
  std::string_view text(const json_node& node) const noexcept;

  /// The member name under which the value stands, without escapes; empty for elements and root.
  std::string_view name(const json_node& node) const noexcept {
    return {bytes_.data() + node.name_at, node.name_bytes};
  }

private:
  json_document() = default;
  static tl::expected<json_document, json_error> read(std::string_view text,
                                                      std::size_t depth_limit);

  /// The text, with strings unescaped in place.
  std::string bytes_;
  /// The text as it came, kept only where `bytes_` has placeholders for its numbers.
  std::string original_;
  std::vector<json_node> nodes_;
};

/// Where the word of letters begins in which a parser stopped at `offset`: it points at where `tru`
/// ends, people look for where it begins.
std::size_t word_begin(std::string_view text, std::size_t offset) noexcept;

/// Where a byte of a text stands, for people: both count from 1, columns in characters.
struct text_position {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// The position of `offset` in `text`. O(offset).
text_position position_of(std::string_view text, std::size_t offset) noexcept;

/// `line 3, column 7 (byte 45)`.
std::string describe_position(std::string_view text, std::size_t offset);

} // namespace matchcloud::model
