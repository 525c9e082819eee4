#include "model/json/json_document.hpp"

#include "base/characters.hpp"

#include "model/json/block_stream.hpp"
#include "model/json/json_number.hpp"
#include "model/json/rapidjson.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cstdio>
#include <functional>

namespace matchcloud::model {

namespace {

/// Up to this number of members, comparing all pairs of names is cheaper than a hash table.
constexpr std::size_t pairwise_limit = 12;
/// The most slots of the hash table that are probed for one name.
constexpr std::size_t probe_limit = 64;
/// The minimum length of a value in a text: a digit and its comma, or two brackets. The maximum
/// number of nodes is reserved so that none is moved while parsing; memory of unused nodes is never
/// touched.
constexpr std::size_t least_value_bytes = 2;

// In situ parsing makes names and strings stable views without copies. Numbers stay text, to keep
// every digit. The encoding is checked before, in a pass that reports the position of an error.
constexpr unsigned recursive_flags =
    rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag;
constexpr unsigned iterative_flags = recursive_flags | rapidjson::kParseIterativeFlag;
/// Up to this limit of depth, texts are parsed with recursion, which is faster and takes some 100
/// bytes of stack for each level.
constexpr std::size_t recursion_limit = 128;

void set_text(std::string& bytes, std::string_view text) {
  constexpr auto padding = std::max(block_stream::read_ahead_bytes, name_table::head_bytes);
  bytes.reserve(text.size() + padding);
  bytes.assign(text);
  bytes.append(padding, '\0');
}

/// Receives RapidJSON's events and appends nodes. While a container is open, its `next` holds the
/// index of its parent container.
class tape_builder {
public:
  enum class refusal : std::uint8_t { none, too_deep, lone_surrogate };

  using Ch = char;

  /// `bracket_bytes`: how many bytes of a container were read when its beginning is reported.
  tape_builder(std::string& bytes, std::vector<json_node>& nodes, std::size_t depth_limit,
               std::size_t bracket_bytes, const known_names* names)
      : stream_(bytes.data()),
        bytes_(bytes),
        nodes_(nodes),
        depth_limit_(depth_limit),
        bracket_bytes_(bracket_bytes),
        names_(names),
        has_escapes_(bytes.find('\\') != bytes.npos) {}

  block_stream& stream() noexcept { return stream_; }
  refusal refused() const noexcept { return refused_; }
  std::size_t refused_at() const noexcept { return refused_at_; }

  // RapidJSON requires these names.
  bool Null() { return scalar(json_kind::null, stream_.Tell() - 4, 4); }
  bool Bool(bool b) {
    const std::size_t length = b ? 4 : 5;
    return scalar(json_kind::boolean, stream_.Tell() - length, length);
  }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    return scalar(json_kind::number, offset_of(text), length);
  }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    return is_text(text, length) && scalar(json_kind::string, offset_of(text) - 1, length);
  }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    if (!is_text(text, length)) return false;
    name_at_ = static_cast<std::uint32_t>(offset_of(text));
    name_bytes_ = length;
    if (names_ != nullptr) symbol_ = names_->symbol_in_text({text, length});
    return true;
  }
  bool StartObject() { return open(json_kind::object); }
  bool StartArray() { return open(json_kind::array); }
  bool EndObject(rapidjson::SizeType count) {
    if (count > 1) mark_repeated(count);
    return close(count);
  }
  bool EndArray(rapidjson::SizeType count) { return close(count); }

  // Never called, because numbers are kept as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

private:
  static constexpr std::uint32_t no_container = 0xFFFF'FFFF;
  static constexpr std::uint64_t hash_bits = 0xFFFF'FFFF'0000'0000;
  static constexpr std::uint64_t empty_slot = ~std::uint64_t{0};

  std::size_t offset_of(const char* text) const noexcept {
    return static_cast<std::size_t>(text - bytes_.data());
  }

  bool refuse(refusal why, std::size_t offset) noexcept {
    refused_ = why;
    refused_at_ = offset;
    return false;
  }

  /// RapidJSON accepts an escaped low surrogate that follows no high one. Since the text was UTF-8,
  /// only such an escape can have produced the bytes ED A0 to ED BF.
  bool is_text(const char* text, rapidjson::SizeType length) noexcept {
    if (!has_escapes_) return true;
    const std::string_view view{text, length};
    for (auto at = view.find('\xED'); at != view.npos; at = view.find('\xED', at + 1)) {
      if (static_cast<unsigned char>(view[at + 1]) >= 0xA0)
        return refuse(refusal::lone_surrogate, offset_of(text) - 1);
    }
    return true;
  }

  json_node& append(json_kind kind, std::size_t offset, std::size_t length) {
    const auto next = static_cast<std::uint32_t>(nodes_.size() + 1);
    nodes_.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(length),
                      name_at_, name_bytes_, next, 0, kind, symbol_, false});
    name_at_ = name_bytes_ = 0;
    symbol_ = no_symbol;
    return nodes_.back();
  }

  bool scalar(json_kind kind, std::size_t offset, std::size_t length) {
    append(kind, offset, length);
    return true;
  }

  bool open(json_kind kind) {
    const auto offset = stream_.Tell() - bracket_bytes_;
    if (depth_ == depth_limit_) return refuse(refusal::too_deep, offset);
    ++depth_;
    append(kind, offset, 0).next = container_;
    container_ = static_cast<std::uint32_t>(nodes_.size() - 1);
    return true;
  }

  bool close(rapidjson::SizeType count) {
    auto& node = nodes_[container_];
    container_ = node.next;
    node.next = static_cast<std::uint32_t>(nodes_.size());
    node.count = count;
    --depth_;
    return true;
  }

  std::string_view name(std::uint32_t index) const noexcept {
    const auto& node = nodes_[index];
    return {bytes_.data() + node.name_at, node.name_bytes};
  }

  void mark_repeated(rapidjson::SizeType count) {
    if (count <= pairwise_limit) return mark_by_pairs();
    members_.clear();
    members_.reserve(count);
    for (std::uint32_t i = container_ + 1; i < nodes_.size(); i = nodes_[i].next)
      members_.push_back(i);
    if (!mark_by_hashing()) mark_by_sorting();
  }

  void mark_by_pairs() {
    const auto first = container_ + 1;
    std::bitset<1UL << 8 * sizeof(name_symbol)> symbols;
    for (auto later = first; later < nodes_.size(); later = nodes_[later].next) {
      const auto symbol = nodes_[later].symbol;
      const bool is_new = symbol != no_symbol && !symbols[symbol];
      symbols[symbol] = true;
      if (!is_new) nodes_[later].repeated = has_earlier_twin(first, later);
    }
  }

  bool has_earlier_twin(std::uint32_t first, std::uint32_t later) const noexcept {
    const auto bytes = nodes_[later].name_bytes;
    for (auto earlier = first; earlier < later; earlier = nodes_[earlier].next)
      if (nodes_[earlier].name_bytes == bytes && name(earlier) == name(later)) return true;
    return false;
  }

  /// False if names were chosen to collide; then some duplicates are not marked yet.
  bool mark_by_hashing() {
    slots_.assign(std::bit_ceil(2 * members_.size()), empty_slot);
    return std::all_of(members_.begin(), members_.end(),
                       [this](std::uint32_t member) { return mark_or_insert(member); });
  }

  bool mark_or_insert(std::uint32_t member) {
    const auto wanted = name(member);
    const std::uint64_t hash = std::hash<std::string_view>{}(wanted);
    const auto mask = slots_.size() - 1;
    for (std::size_t probe = 0; probe < probe_limit; ++probe) {
      auto& slot = slots_[(hash + probe) & mask];
      if (slot == empty_slot) {
        slot = (hash & hash_bits) | member;
        return true;
      }
      if (((slot ^ hash) & hash_bits) != 0) continue;
      if (name(static_cast<std::uint32_t>(slot)) != wanted) continue;
      return nodes_[member].repeated = true;
    }
    return false;
  }

  // O(n log n) for all names, including names chosen to collide.
  void mark_by_sorting() {
    std::sort(members_.begin(), members_.end(), [this](std::uint32_t a, std::uint32_t b) {
      const auto order = name(a).compare(name(b));
      return order != 0 ? order < 0 : a < b;
    });
    for (std::size_t i = 1; i < members_.size(); ++i)
      nodes_[members_[i]].repeated = name(members_[i - 1]) == name(members_[i]);
  }

  block_stream stream_;
  const std::string& bytes_;
  std::vector<json_node>& nodes_;
  std::size_t depth_limit_;
  std::size_t bracket_bytes_;
  /// Null: no names are known.
  const known_names* names_;
  bool has_escapes_;
  std::size_t depth_ = 0;
  std::uint32_t container_ = no_container;
  std::uint32_t name_at_ = 0;
  std::uint32_t name_bytes_ = 0;
  name_symbol symbol_ = no_symbol;
  std::vector<std::uint32_t> members_;
  /// Slots with the upper half of a name's hash and the index of its node.
  std::vector<std::uint64_t> slots_;
  refusal refused_ = refusal::none;
  std::size_t refused_at_ = 0;
};

template <unsigned Flags>
rapidjson::ParseResult parse_with(tape_builder& builder) {
  std::array<char, 1024> stack;
  rapidjson::MemoryPoolAllocator<> allocator{stack.data(), stack.size()};
  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, rapidjson::MemoryPoolAllocator<>>
      reader{&allocator};
  return reader.Parse<Flags>(builder.stream(), builder);
}

tl::unexpected<json_error> malformed(std::size_t offset, std::string sentence) {
  return tl::unexpected(json_error{base::errc::body_malformed, offset, std::move(sentence)});
}

base::error describe_error(std::string_view text, const json_error& error) {
  return {error.code, "At " + describe_position(text, error.offset) + ": " + error.sentence};
}

constexpr base::character_set letters{
    [](unsigned char c) { return base::is_alphanumeric(c) && !base::is_digit(c); }};
constexpr base::character_set word_characters{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '_'; }};

/// The word that begins at `offset`; empty if there is none.
std::string_view word_at(std::string_view text, std::size_t offset) noexcept {
  const auto rest = text.substr(std::min(offset, text.size()));
  return letters.span(rest) > 0 ? rest.substr(0, word_characters.span(rest)) : std::string_view{};
}

std::string found_at(std::string_view text, std::size_t offset) {
  if (offset >= text.size()) return "the end of the body";
  const auto bytes = decode_utf8(text.substr(offset)).bytes;
  return quoted_excerpt(text.substr(offset, bytes), 1);
}

/// The well-formed part of the escape at `offset`.
std::string_view escape_at(std::string_view text, std::size_t offset) noexcept {
  constexpr std::size_t digits = 4;
  const auto rest = text.substr(offset);
  if (rest.size() < 2) return rest;
  if (rest[1] != 'u')
    return rest.substr(0, 1 + std::max<std::size_t>(1, decode_utf8(rest.substr(1)).bytes));
  std::size_t length = 2;
  while (length < std::min(rest.size(), 2 + digits) && base::hex_value(rest[length]) >= 0)
    ++length;
  return rest.substr(0, length);
}

/// The UTF-16 code unit of the escape at `offset`; 0 if it does not have four digits.
unsigned escaped_unit(std::string_view text, std::size_t offset) noexcept {
  constexpr std::size_t whole = 6;
  const auto escape = escape_at(text, offset);
  if (escape.size() < whole) return 0;
  unsigned value = 0;
  for (const char c : escape.substr(2))
    value = value << 4U | static_cast<unsigned>(base::hex_value(c));
  return value;
}

bool is_high_surrogate(unsigned unit) noexcept {
  return unit >= 0xD800 && unit <= 0xDBFF;
}

bool is_low_surrogate(unsigned unit) noexcept {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

/// The first low surrogate escape that follows no high one in the string at `string`; `string` if
/// there is none.
std::size_t find_lone_low_surrogate(std::string_view text, std::size_t string) noexcept {
  bool after_high = false;
  for (auto at = string + 1; at < text.size() && text[at] != '"';) {
    const bool is_escape = text[at] == '\\';
    const auto unit = is_escape ? escaped_unit(text, at) : 0;
    if (is_low_surrogate(unit) && !after_high) return at;
    after_high = is_high_surrogate(unit);
    at += is_escape ? escape_at(text, at).size() : 1;
  }
  return string;
}

std::string surrogate_error(std::string_view text, std::size_t offset) {
  const auto escape = "`" + std::string(escape_at(text, offset)) + "`";
  return is_low_surrogate(escaped_unit(text, offset))
             ? "expected a high surrogate escape (`\\ud800` to `\\udbff`) before the low one " +
                   escape + "."
             : "expected a low surrogate escape (`\\udc00` to `\\udfff`) after the high one " +
                   escape + ".";
}

/// Whether an error with that code is at the beginning of a token, not inside one.
bool is_between_tokens(rapidjson::ParseErrorCode code) noexcept {
  switch (code) {
  case rapidjson::kParseErrorDocumentRootNotSingular:
  case rapidjson::kParseErrorValueInvalid:
  case rapidjson::kParseErrorObjectMissName:
  case rapidjson::kParseErrorObjectMissColon:
  case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
  case rapidjson::kParseErrorArrayMissCommaOrSquareBracket: return true;
  default: return false;
  }
}

std::string_view expectation(rapidjson::ParseErrorCode code) {
  switch (code) {
  case rapidjson::kParseErrorDocumentRootNotSingular:
    return "expected the end of the body after its value";
  case rapidjson::kParseErrorDocumentEmpty:
  case rapidjson::kParseErrorValueInvalid: return "expected a JSON value";
  case rapidjson::kParseErrorObjectMissName: return "expected a member name in double quotes";
  case rapidjson::kParseErrorObjectMissColon: return "expected a colon after the member name";
  case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
    return "expected a comma or `}` after the member";
  case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
    return "expected a comma or `]` after the element";
  case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
    return "expected four hexadecimal digits after `\\u`";
  case rapidjson::kParseErrorStringEscapeInvalid:
    return "expected a JSON escape (one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX)";
  case rapidjson::kParseErrorStringMissQuotationMark:
    return "expected a double quote at the end of the string";
  default: return "expected JSON";
  }
}

/// The position of the control character for which a string was refused; `npos` if it was refused
/// for something else.
std::size_t find_refused_control(std::string_view text, rapidjson::ParseErrorCode code,
                                 std::size_t offset) noexcept {
  const bool is_escape = code == rapidjson::kParseErrorStringEscapeInvalid;
  // RapidJSON treats a NUL byte as the end of the text.
  if (!is_escape && code != rapidjson::kParseErrorStringMissQuotationMark) return text.npos;
  if (is_escape && offset < text.size() && text[offset] == '\\') ++offset;
  constexpr unsigned char first_printable = 0x20;
  return offset < text.size() && static_cast<unsigned char>(text[offset]) < first_printable
             ? offset
             : text.npos;
}

std::string control_error(char character, bool is_behind_backslash) {
  const auto found = quoted_excerpt({&character, 1}, 1);
  const auto with_advice = [&](std::string_view escape, std::string_view otherwise) {
    const auto begin = "a control character in a string must be escaped (found " + found +
                       "). Write " + std::string{escape};
    if (is_behind_backslash) return begin + " for it and the backslash before it, or remove both.";
    return begin + " in its place, or " + std::string{otherwise} + ".";
  };
  constexpr std::string_view removed = "remove it";
  // A line end more likely means that the closing quote of the string is missing.
  constexpr std::string_view closed = "end the string before it with a double quote";
  switch (character) {
  case '\b': return with_advice("`\\b`", removed);
  case '\t': return with_advice("`\\t`", removed);
  case '\n': return with_advice("`\\n`", closed);
  case '\f': return with_advice("`\\f`", removed);
  case '\r': return with_advice("`\\r`", closed);
  default: return with_advice(found, removed);
  }
}

/// Whether a comment of a JSON dialect begins at `offset`.
bool is_comment(std::string_view text, std::size_t offset) noexcept {
  const auto rest = text.substr(std::min(offset, text.size()));
  if (rest.starts_with("//") || rest.starts_with("/*")) return true;
  if (!rest.starts_with('#')) return false;
  // After a colon, `#` more likely begins a color without quotes.
  const auto before = text.substr(0, offset).find_last_not_of(" \t\r\n");
  return before == text.npos || text[before] != ':';
}

/// The position of a comma before the closing bracket at `offset`; `npos` if there is none.
std::size_t trailing_comma(std::string_view text, rapidjson::ParseErrorCode code,
                           std::size_t offset) noexcept {
  const char closing = code == rapidjson::kParseErrorObjectMissName ? '}' : ']';
  if (offset >= text.size() || text[offset] != closing) return text.npos;
  const auto before = text.substr(0, offset).find_last_not_of(" \t\r\n");
  return before != text.npos && text[before] == ',' ? before : text.npos;
}

/// Ends a sentence with what is at `offset`, and with what was probably meant.
std::string describe_found(std::string_view text, rapidjson::ParseErrorCode code,
                           std::size_t offset) {
  static constexpr std::array<std::string_view, 3> literals{"true", "false", "null"};
  if (offset < text.size() && text[offset] == '\\')
    return quoted_excerpt(escape_at(text, offset)) + ".";
  const auto word = word_at(text, offset);
  if (code != rapidjson::kParseErrorValueInvalid || word.empty())
    return found_at(text, offset) + ".";
  const auto meant = closest_name(word, literals);
  return quoted_excerpt(word) + "." +
         (meant.empty() ? "" : " Did you mean `" + std::string(meant) + "`?");
}

/// The error at `offset`. Detects common mistakes of handwritten JSON; otherwise says what was
/// expected.
json_error error_at(std::string_view text, rapidjson::ParseErrorCode code, std::size_t offset) {
  const auto malformed_at = [](std::size_t at, std::string sentence) {
    return json_error{base::errc::body_malformed, at, std::move(sentence)};
  };
  if (is_between_tokens(code)) {
    if (is_comment(text, offset))
      return malformed_at(offset,
                          "JSON has no comments, but one begins here. Remove it, or convert "
                          "the text to plain JSON before it is sent.");
    if (const auto comma = trailing_comma(text, code, offset); comma != text.npos)
      return malformed_at(comma, std::string("JSON allows no comma before `") + text[offset] +
                                     "`. Remove the comma.");
  }
  if (code == rapidjson::kParseErrorStringUnicodeSurrogateInvalid)
    return malformed_at(offset, surrogate_error(text, offset));
  if (const auto at = find_refused_control(text, code, offset); at != text.npos)
    return malformed_at(at, control_error(text[at], /*is_behind_backslash=*/at > offset));
  // Searches the text itself, because the parser may have read one with placeholders.
  if (auto mistake = find_number_mistake(text, code, offset))
    return malformed_at(mistake->offset, std::move(mistake->sentence));
  // `nulll` is as invalid as `nul`, although RapidJSON reads `null` first.
  const bool is_in_word = offset < text.size() && word_characters.contains(text[offset]) &&
                          word_begin(text, offset) < offset;
  if (is_between_tokens(code) && is_in_word) code = rapidjson::kParseErrorValueInvalid;
  if (code == rapidjson::kParseErrorValueInvalid) offset = word_begin(text, offset);
  return malformed_at(offset, std::string{expectation(code)} + ", found " +
                                  describe_found(text, code, offset));
}

tl::unexpected<json_error> refuse(std::string_view text, const tape_builder& builder,
                                  std::size_t depth_limit) {
  auto offset = builder.refused_at();
  if (builder.refused() == tape_builder::refusal::lone_surrogate) {
    offset = find_lone_low_surrogate(text, offset);
    return malformed(offset, surrogate_error(text, offset));
  }
  return tl::unexpected(json_error{base::errc::body_too_deep, offset,
                                   "objects and arrays nest deeper than the limit of " +
                                       std::to_string(depth_limit) + " levels."});
}

/// Checks what RapidJSON does not check or does not report precisely.
tl::expected<void, json_error> check_bytes(std::string_view text) {
  if (text.size() > json_document::text_limit_bytes) return malformed(0, "the body is too long.");
  if (text.substr(0, byte_order_mark.size()) == byte_order_mark) {
    return malformed(0, "the body starts with a byte order mark, which JSON forbids (RFC 8259 "
                        "section 8.1). Remove it.");
  }
  if (const auto bad = find_malformed_utf8(text); bad != text.npos) {
    char byte[8];
    std::snprintf(byte, sizeof byte, "0x%02x", static_cast<unsigned char>(text[bad]));
    return malformed(bad, std::string("expected UTF-8, found the byte ") + byte +
                              ", which is not valid here.");
  }
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    return malformed(0, "the body is empty; expected a JSON value.");
  return {};
}

std::string_view kind_name(json_kind kind) noexcept {
  switch (kind) {
  case json_kind::null: return "null";
  case json_kind::boolean: return "a boolean";
  case json_kind::number: return "a number";
  case json_kind::string: return "a string";
  case json_kind::array: return "an array";
  case json_kind::object: return "an object";
  }
  return {};
}

} // namespace

tl::expected<json_document, json_error>
json_document::read(std::string_view text, std::size_t depth_limit, const known_names* names) {
  if (auto checked = check_bytes(text); !checked) return tl::unexpected(checked.error());
  json_document document;
  set_text(document.bytes_, text);
  document.nodes_.reserve(text.size() / least_value_bytes + depth_limit);
  bool recursive = depth_limit <= recursion_limit;
  for (;;) {
    tape_builder builder{document.bytes_, document.nodes_, depth_limit, recursive ? 1U : 0U, names};
    const auto result =
        recursive ? parse_with<recursive_flags>(builder) : parse_with<iterative_flags>(builder);
    if (builder.refused() != tape_builder::refusal::none) return refuse(text, builder, depth_limit);
    if (!result.IsError()) {
      const auto consumed = builder.stream().Tell();
      if (consumed == text.size()) return document;
      return malformed(
          consumed, "expected the end of the body after its value, found a NUL byte (`\\u0000`).");
    }
    // RapidJSON refuses numbers beyond a double even if it need not convert them, which JSON
    // allows: parse again without the digits and take them from the original text.
    const bool is_number_too_big =
        result.Code() == rapidjson::kParseErrorNumberTooBig && document.original_.empty();
    if (!is_number_too_big && !recursive)
      return tl::unexpected(error_at(text, result.Code(), result.Offset()));
    if (is_number_too_big) document.original_.assign(text);
    set_text(document.bytes_, document.original_.empty() ? text : blank_numbers(text));
    document.nodes_.clear();
    // Errors always come from the iterative parser, because the codes of some errors differ.
    recursive = recursive && is_number_too_big;
  }
}

tl::expected<json_document, json_error> json_document::read_object(std::string_view text,
                                                                   std::size_t depth_limit,
                                                                   const known_names* names) {
  auto document = read(text, depth_limit, names);
  if (!document || document->root().kind == json_kind::object) return document;
  return tl::unexpected(json_error{base::errc::body_not_object, document->root().offset,
                                   "the body must be a JSON object, but is " +
                                       std::string(kind_name(document->root().kind)) + "."});
}

base::expected<json_document> json_document::parse(std::string_view text, std::size_t depth_limit) {
  auto document = read(text, depth_limit, nullptr);
  if (!document) return tl::unexpected(describe_error(text, document.error()));
  return *std::move(document);
}

base::expected<json_document> json_document::parse_object(std::string_view text,
                                                          std::size_t depth_limit,
                                                          const known_names* names) {
  auto document = read_object(text, depth_limit, names);
  if (!document) return tl::unexpected(describe_error(text, document.error()));
  return *std::move(document);
}

const json_node* json_document::find_member(std::string_view name, json_kind kind) const noexcept {
  if (root().kind != json_kind::object) return nullptr;
  for (std::uint32_t at = 1; at < root().next; at = node(at).next)
    if (node(at).kind == kind && this->name(node(at)) == name) return &node(at);
  return nullptr;
}

std::string_view json_document::text(const json_node& node) const noexcept {
  const std::string_view bytes{bytes_};
  if (node.kind == json_kind::string) return bytes.substr(node.offset + 1U, node.text_bytes);
  if (node.kind != json_kind::number || original_.empty())
    return bytes.substr(node.offset, node.text_bytes);
  const std::string_view original{original_};
  return original.substr(node.offset, number_end(original, node.offset) - node.offset);
}

std::string_view json_document::member_text(std::string_view name) const noexcept {
  const auto* const found = find_member(name, json_kind::string);
  return found != nullptr ? text(*found) : std::string_view{};
}

std::size_t word_begin(std::string_view text, std::size_t offset) noexcept {
  auto at = std::min(offset, text.size());
  while (at > 0 && letters.contains(text[at - 1]))
    --at;
  return at;
}

text_position position_of(std::string_view text, std::size_t offset) noexcept {
  const auto before = text.substr(0, std::min(offset, text.size()));
  const auto line_start = before.rfind('\n') + 1; // npos + 1 is 0
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  return {lines + 1, count_code_points(before.substr(line_start)) + 1};
}

std::string describe_position(std::string_view text, std::size_t offset) {
  const auto position = position_of(text, offset);
  return "line " + std::to_string(position.line) + ", column " + std::to_string(position.column) +
         " (byte " + std::to_string(offset) + ")";
}

} // namespace matchcloud::model
