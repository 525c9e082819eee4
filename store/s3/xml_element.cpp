#include "store/s3/xml_element.hpp"

#include "base/characters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr base::character_set blanks{
    [](unsigned char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }};

/// The characters of names. Only ASCII: S3's names have no others.
constexpr base::character_set name_characters{[](unsigned char c) {
  return base::is_alphanumeric(c) || c == '_' || c == ':' || c == '-' || c == '.';
}};

struct entity {
  std::string_view name;
  char means;
};

constexpr std::array<entity, 5> entities{
    {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};

/// The characters that XML 1.0 (section 2.2) allows.
bool is_allowed(std::uint32_t point) noexcept {
  if (point < 0x20) return point == '\t' || point == '\n' || point == '\r';
  return point <= 0xD7FF || (point >= 0xE000 && point <= 0xFFFD) ||
         (point >= 0x10000 && point <= 0x10FFFF);
}

void append_utf8(std::string& out, std::uint32_t point) {
  const auto rest = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((point >> shift) & 0x3FU));
  };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0U | (point >> 6U));
    rest(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0U | (point >> 12U));
    rest(6);
    rest(0);
  } else {
    out += static_cast<char>(0xF0U | (point >> 18U));
    rest(12);
    rest(6);
    rest(0);
  }
}

std::optional<std::uint32_t> character_reference(std::string_view text) noexcept {
  const int radix = text.starts_with('x') ? 16 : 10;
  if (radix == 16) text.remove_prefix(1);
  std::uint32_t point = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, point, radix);
  if (status != std::errc{} || stop != end || !is_allowed(point)) return std::nullopt;
  return point;
}

tl::unexpected<base::error> malformed(const char* why) {
  return base::fail(base::errc::io_failed, why);
}

/// Reads a document from front to back.
class xml_reader {
public:
  explicit xml_reader(std::string_view document) noexcept : rest_{document} {}

  base::expected<xml_element> document() {
    skip_declaration();
    skip_blanks();
    if (auto begun = begin(); !begun) return tl::unexpected(begun.error());
    while (!open_.empty())
      if (auto moved = content(); !moved) return tl::unexpected(moved.error());
    skip_blanks();
    if (!rest_.empty()) return malformed("there is something after the element");
    return std::move(whole_);
  }

private:
  void skip_blanks() { rest_.remove_prefix(blanks.span(rest_)); }

  bool take(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  void skip_declaration() {
    // Its content does not matter: encoding errors are found where characters are read.
    if (!rest_.starts_with("<?xml ")) return;
    const auto end = rest_.find("?>");
    if (end != rest_.npos) rest_.remove_prefix(end + 2);
  }

  base::expected<std::string_view> name() {
    const auto found = rest_.substr(0, name_characters.span(rest_));
    if (found.empty() || base::is_digit(static_cast<unsigned char>(found.front())) ||
        found.front() == '-' || found.front() == '.')
      return malformed("a name is missing where one must be");
    if (found.size() > xml_name_limit_bytes) return malformed("a name is too long");
    rest_.remove_prefix(found.size());
    return found;
  }

  base::expected<void> attribute() {
    if (const auto named = name(); !named) return tl::unexpected(named.error());
    skip_blanks();
    if (!take("=")) return malformed("an attribute has no value");
    skip_blanks();
    const auto quote = rest_.substr(0, 1);
    if (quote != "\"" && quote != "'") return malformed("an attribute's value is not quoted");
    const auto end = rest_.find(quote, 1);
    if (end == rest_.npos) return malformed("an attribute's value does not end");
    if (rest_.substr(0, end).find('<') != rest_.npos)
      return malformed("an attribute's value has a <");
    rest_.remove_prefix(end + 1);
    return {};
  }

  /// The innermost open element. The pointer is valid until its parent gets another child.
  xml_element& present() noexcept { return *open_.back(); }

  /// Reads the start of an element, or a whole empty one.
  base::expected<void> begin() {
    if (!take("<")) return malformed("there is no element");
    if (open_.size() == xml_depth_limit) return malformed("it is nested too deeply");
    if (++elements_ > xml_element_limit) return malformed("it has too many elements");
    const auto named = name();
    if (!named) return tl::unexpected(named.error());
    auto& made = open_.empty() ? whole_ : present().children.emplace_back();
    made.name = *named;
    for (;;) {
      const auto apart = blanks.span(rest_);
      rest_.remove_prefix(apart);
      if (take("/>")) return {};
      if (take(">")) break;
      if (apart == 0) return malformed("a tag does not end");
      if (auto read = attribute(); !read) return read;
    }
    open_.push_back(&made);
    return {};
  }

  base::expected<void> end() {
    const auto named = name();
    if (!named) return tl::unexpected(named.error());
    if (*named != present().name) return malformed("an end tag does not match its element");
    skip_blanks();
    if (!take(">")) return malformed("a tag does not end");
    if (!present().children.empty()) {
      if (!blanks.contains_all(present().text)) return malformed("text is mixed with elements");
      present().text.clear();
    }
    open_.pop_back();
    return {};
  }

  base::expected<void> content() {
    const auto next = std::min(rest_.find_first_of("<&"), rest_.size());
    const auto plain = rest_.substr(0, next);
    for (const char c : plain)
      if (!is_allowed(static_cast<unsigned char>(c)))
        return malformed("text has a control character");
    present().text.append(plain);
    rest_.remove_prefix(next);
    if (rest_.empty()) return malformed("it ends within an element");
    if (rest_.front() == '&') return reference();
    if (take("</")) return end();
    return begin();
  }

  base::expected<void> reference() {
    constexpr std::size_t longest = 10; // &#x10FFFF;
    const auto end = rest_.substr(0, longest).find(';');
    if (end == rest_.npos) return malformed("a reference does not end");
    const auto named = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (named.starts_with('#')) {
      const auto point = character_reference(named.substr(1));
      if (!point) return malformed("a reference to an invalid character");
      append_utf8(present().text, *point);
      return {};
    }
    for (const auto& each : entities)
      if (each.name == named) {
        present().text += each.means;
        return {};
      }
    return malformed("a reference to an unknown entity");
  }

  std::string_view rest_;
  std::size_t elements_ = 0;
  xml_element whole_;
  /// The open elements. Only the last one gets children, so that none moves.
  std::vector<xml_element*> open_;
};

} // namespace

const xml_element* xml_element::child(std::string_view wanted) const noexcept {
  const auto found = std::ranges::find(children, wanted, &xml_element::name);
  return found == children.end() ? nullptr : &*found;
}

std::string_view xml_element::text_of(std::string_view wanted) const noexcept {
  const auto* const found = child(wanted);
  return found == nullptr ? std::string_view{} : std::string_view{found->text};
}

base::expected<xml_element> parse_xml(std::string_view document) {
  return xml_reader{document}.document();
}

} // namespace matchcloud::store
