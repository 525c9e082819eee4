#pragma once

#include "base/expected.hpp"
#include "model/json/name_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

enum class json_kind : std::uint8_t { null, boolean, number, string, array, object };

/// A value of a document. Values are stored in document order: a container is followed by its
/// children.
struct json_node {
  /// Byte offset of the value's first byte in the parsed text.
  std::uint32_t offset = 0;
  /// Length of its text, see `json_document::text`.
  std::uint32_t text_bytes = 0;
  /// Position of its member name, see `json_document::name`.
  std::uint32_t name_at = 0;
  std::uint32_t name_bytes = 0;
  /// Index of the node after this value and everything in it.
  std::uint32_t next = 0;
  /// Number of members or elements.
  std::uint32_t count = 0;
  json_kind kind = json_kind::null;
  /// The symbol of its member name; `no_symbol` if that is not among the parser's known names.
  name_symbol symbol = no_symbol;
  /// Whether an earlier member of the same object has the same name.
  bool repeated = false;
};

/// Why a text is not a valid document, without the position in words.
struct json_error {
  /// `body_malformed`, `body_too_deep`, `body_too_large` (more values than allowed) or
  /// `body_not_object`.
  base::errc code;
  /// Byte offset of the error.
  std::size_t offset;
  /// What was expected and what was found; begins in lower case.
  std::string sentence;
};

/// How an import is read: a file or a line of it.
struct import_rules {
  /// In messages: `line`.
  std::string_view what;
  std::size_t depth_limit;
  std::size_t value_limit;
};

/// A parsed JSON text that keeps what validation needs and usual parsers lose: repeated members,
/// their order, the exact digits of numbers, and the position of each value. Without `import`, it
/// is immutable and for any thread.
class json_document {
public:
  /// Without a value, for `import`.
  json_document() = default;

  /// The longest text, given the width of offsets.
  static constexpr std::size_t text_limit_bytes = 0xFFFF'FFFE;

  /// Parses `text` as one RFC 8259 value in UTF-8, with recursion up to a `depth_limit` of 128.
  /// Fails with `body_malformed`, or with `body_too_deep` if containers nest deeper than
  /// `depth_limit`; the detail names line, column, byte offset and what was expected. O(text), n
  /// log n in the members of one object.
  static base::expected<json_document> parse(std::string_view text, std::size_t depth_limit);

  /// Parses a text that must be an object. Fails as `parse` does, or with `body_not_object` if it
  /// is another value. Nodes get the symbols of `names`.
  static base::expected<json_document> parse_object(std::string_view text, std::size_t depth_limit,
                                                    const known_names* names = nullptr);
  static tl::expected<json_document, json_error>
  read_object(std::string_view text, std::size_t depth_limit, const known_names* names = nullptr);

  /// Reads a value in place of what the document has, and reuses its memory. Unlike in a body, all
  /// numbers must fit a double, strings may have lone surrogates (see `has_lone_surrogate`), and
  /// errors say only what was expected. After an error that the parser found, the document has the
  /// values before it; a member without a value is null.
  std::optional<json_error> import(std::string_view text, const import_rules& rules);

  /// The node at an index; `node(0)` is the root.
  const json_node& node(std::uint32_t index) const noexcept { return nodes_[index]; }
  const json_node& root() const noexcept { return nodes_.front(); }
  std::uint32_t node_count() const noexcept { return static_cast<std::uint32_t>(nodes_.size()); }

  std::uint32_t index_of(const json_node& node) const noexcept {
    return static_cast<std::uint32_t>(&node - nodes_.data());
  }
  /// Calls `each(node)` for the members or elements of a container.
  template <class Each>
  void for_each_in(const json_node& container, Each each) const {
    for (auto at = index_of(container) + 1; at < container.next; at = nodes_[at].next)
      each(nodes_[at]);
  }
  template <class Each>
  void for_each_in(std::uint32_t container, Each each) const {
    for_each_in(nodes_[container], each);
  }

  /// The root's first member of that name and kind; null if there is none. O(members).
  const json_node* find_member(std::string_view name, json_kind kind) const noexcept;

  /// A string's characters without quotes and escapes, a number's digits as written, `true`,
  /// `false` or `null`; empty for containers. Valid until the document is moved or destroyed.
  std::string_view text(const json_node& node) const noexcept;
  /// The text of the root's first string of that name; empty if there is none. O(members).
  std::string_view member_text(std::string_view name) const noexcept;

  /// The value's member name, unescaped; empty for elements and the root.
  std::string_view name(const json_node& node) const noexcept {
    return {bytes_.data() + node.name_at, node.name_bytes};
  }

private:
  struct reading;
  std::optional<json_error> read(std::string_view text, const reading& how);

  /// The text, with strings unescaped in place.
  std::string bytes_;
  /// The original text; kept only if `bytes_` has placeholders for its numbers.
  std::string original_;
  std::vector<json_node> nodes_;
};

/// `an object`, `a string`, `null`.
std::string_view kind_name(json_kind kind) noexcept;

/// Whether a string, unescaped, had an escaped low surrogate that follows no high one.
bool has_lone_surrogate(std::string_view unescaped) noexcept;

/// The position of a byte in a text, for people: both count from 1, columns in characters.
struct text_position {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// The position of `offset` in `text`. O(offset).
text_position position_of(std::string_view text, std::size_t offset) noexcept;

/// `line 3, column 7 (byte 45)`.
std::string describe_position(std::string_view text, std::size_t offset);

} // namespace matchcloud::model
