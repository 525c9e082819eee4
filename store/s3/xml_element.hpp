#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {

/// Bounds of a document: a page of 1000 names has about 8000 elements, three deep.
inline constexpr std::size_t xml_depth_limit = 16;
inline constexpr std::size_t xml_element_limit = 32'768;
/// The longest name of an element, including its prefix.
inline constexpr std::size_t xml_name_limit_bytes = 128;

/// An element of an XML document, as far as S3's responses need it: elements in elements, or text.
struct xml_element {
  std::string name;
  /// The text of an element without children, with references resolved; empty if it has children.
  std::string text;
  std::vector<xml_element> children;

  /// The first child of a name; null if there is none.
  const xml_element* child(std::string_view wanted) const noexcept;
  /// The text of the first child of a name; empty if there is none.
  std::string_view text_of(std::string_view wanted) const noexcept;
};

/// Parses a subset of XML 1.0: an optional XML declaration, blanks, then one element. Attributes
/// are checked for their form and dropped, and so are blanks between elements. Document types,
/// comments, CDATA, processing instructions, entities other than the five predefined ones and text
/// mixed with elements, which S3 does not send, are refused. Fails with `io_failed` and a reason
/// that shows nothing of the document. O(length); any thread.
base::expected<xml_element> parse_xml(std::string_view document);

} // namespace matchcloud::store
