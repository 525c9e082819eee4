#include "model/json/json_document.hpp"

#include "base/characters.hpp"

#include "model/json/block_stream.hpp"
#include "model/json/json_number.hpp"
#include "model/json/rapidjson.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <tuple>

namespace matchcloud::model {

struct json_document::reading {
  std::size_t depth_limit;
  /// Null: no names are known.
  const known_names* names = nullptr;
  std::size_t value_limit = text_limit_bytes;
  std::string_view what = "body";
  bool is_import = false;
};

namespace {

/// Up to this number of members, comparing all pairs of names is cheaper than sorting them.
constexpr std::size_t pairwise_limit = 12;
/// The minimum length of a value in a text: a digit and its comma, or two brackets. The maximum
/// number of nodes is reserved so that none is moved while parsing; memory of unused nodes is never
/// touched.
constexpr std::size_t least_value_bytes = 2;
/// How many bytes behind the text are read, regardless of their values.
constexpr auto padding_bytes = std::max(block_stream::read_ahead_bytes, name_table::head_bytes);

// In situ parsing makes names and strings stable views without copies. Numbers stay text, to keep
// every digit. The encoding is checked before, in a pass that reports the position of an error.
constexpr unsigned recursive_flags =
    rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag;
constexpr unsigned iterative_flags = recursive_flags | rapidjson::kParseIterativeFlag;
/// Up to this limit of depth, texts are parsed with recursion, which is faster and takes some 100
/// bytes of stack for each level.
constexpr std::size_t recursion_limit = 128;

void set_text(std::string& bytes, std::string_view text) {
  bytes.reserve(text.size() + padding_bytes);
  bytes.assign(text);
  bytes.append(padding_bytes, '\0');
}

/// Receives RapidJSON's events and appends nodes. While a container is open, its `next` holds the
/// index of its parent container.
class tape_builder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, tape_builder> {
public:
  enum class refusal : std::uint8_t { none, too_deep, too_many, lone_surrogate };

  /// `bracket_bytes`: how many bytes of a container were read when its beginning is reported.
  tape_builder(std::string& bytes, std::vector<json_node>& nodes, std::size_t depth_limit,
               std::size_t value_limit, std::size_t bracket_bytes, const known_names* names,
               bool pairs_surrogates)
      : stream_(bytes.data()),
        bytes_(bytes),
        nodes_(nodes),
        depth_limit_(depth_limit),
        value_limit_(value_limit),
        bracket_bytes_(bracket_bytes),
        names_(names),
        pairs_surrogates_(pairs_surrogates && bytes.find('\\') != bytes.npos) {}

  block_stream& stream() noexcept { return stream_; }
  refusal refused() const noexcept { return refused_; }
  std::size_t refused_at() const noexcept { return refused_at_; }

  /// Ends everything that is open, after an error.
  void end() {
    if (name_at_ != 0) append(json_kind::null, name_at_, 0);
    while (depth_ > 0)
      close(0);
  }

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

private:
  static constexpr std::uint32_t no_container = 0xFFFF'FFFF;

  std::size_t offset_of(const char* text) const noexcept {
    return static_cast<std::size_t>(text - bytes_.data());
  }

  bool refuse(refusal why, std::size_t offset) noexcept {
    refused_ = why;
    refused_at_ = offset;
    return false;
  }

  bool is_text(const char* text, rapidjson::SizeType length) noexcept {
    return !pairs_surrogates_ || !has_lone_surrogate({text, length}) ||
           refuse(refusal::lone_surrogate, offset_of(text) - 1);
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
    if (nodes_.size() == value_limit_) return refuse(refusal::too_many, offset);
    append(kind, offset, length);
    return true;
  }

  bool open(json_kind kind) {
    const auto offset = stream_.Tell() - bracket_bytes_;
    if (depth_ == depth_limit_) return refuse(refusal::too_deep, offset);
    if (nodes_.size() == value_limit_) return refuse(refusal::too_many, offset);
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
    const auto first = container_ + 1;
    if (count <= pairwise_limit) {
      for (auto later = nodes_[first].next; later < nodes_.size(); later = nodes_[later].next)
        nodes_[later].repeated = has_earlier_twin(first, later);
      return;
    }
    members_.clear();
    members_.reserve(count);
    for (auto at = first; at < nodes_.size(); at = nodes_[at].next)
      members_.push_back(at);
    // The length comes first because it is compared fastest.
    std::ranges::sort(members_, {}, [this](std::uint32_t at) {
      return std::tuple{nodes_[at].name_bytes, name(at), at};
    });
    for (std::size_t i = 1; i < members_.size(); ++i)
      nodes_[members_[i]].repeated = name(members_[i - 1]) == name(members_[i]);
  }

  bool has_earlier_twin(std::uint32_t first, std::uint32_t later) const noexcept {
    const auto bytes = nodes_[later].name_bytes;
    for (auto earlier = first; earlier < later; earlier = nodes_[earlier].next)
      if (nodes_[earlier].name_bytes == bytes && name(earlier) == name(later)) return true;
    return false;
  }

  block_stream stream_;
  const std::string& bytes_;
  std::vector<json_node>& nodes_;
  std::size_t depth_limit_;
  std::size_t value_limit_;
  std::size_t bracket_bytes_;
  const known_names* names_;
  /// Whether lone surrogates are refused, and the text may have any.
  bool pairs_surrogates_;
  std::size_t depth_ = 0;
  std::uint32_t container_ = no_container;
  std::uint32_t name_at_ = 0;
  std::uint32_t name_bytes_ = 0;
  name_symbol symbol_ = no_symbol;
  std::vector<std::uint32_t> members_;
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

json_error malformed(std::size_t offset, std::string sentence) {
  return {base::errc::body_malformed, offset, std::move(sentence)};
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

/// The beginning of the word of letters around `offset`: a parser reports the end of `tru`, while
/// people look at its beginning.
std::size_t word_begin(std::string_view text, std::size_t offset) noexcept {
  auto at = std::min(offset, text.size());
  while (at > 0 && letters.contains(text[at - 1]))
    --at;
  return at;
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

std::string expectation(rapidjson::ParseErrorCode code, std::string_view what) {
  switch (code) {
  case rapidjson::kParseErrorDocumentRootNotSingular:
    return "expected the end of the " + std::string{what} + " after its value";
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
  case rapidjson::kParseErrorNumberTooBig: return "expected a number that a double can hold";
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
  constexpr std::string_view with_short_escape = "\b\t\n\f\r";
  const auto found = quoted_excerpt({&character, 1}, 1);
  const auto at = with_short_escape.find(character);
  const auto escape = at == with_short_escape.npos ? found : std::string{"`\\"} + "btnfr"[at] + "`";
  const auto begin =
      "a control character in a string must be escaped (found " + found + "). Write " + escape;
  if (is_behind_backslash) return begin + " for it and the backslash before it, or remove both.";
  // A line end more likely means that the closing quote of the string is missing.
  const bool is_line_end = character == '\n' || character == '\r';
  return begin + " in its place, or " +
         (is_line_end ? "end the string before it with a double quote." : "remove it.");
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

/// The mistake at `offset` for which handwritten JSON is often refused; empty if it is none.
std::optional<json_error> common_mistake_at(std::string_view text, rapidjson::ParseErrorCode code,
                                            std::size_t offset) {
  if (is_between_tokens(code)) {
    if (is_comment(text, offset))
      return malformed(offset, "JSON has no comments, but one begins here. Remove it, or convert "
                               "the text to plain JSON before it is sent.");
    if (const auto comma = trailing_comma(text, code, offset); comma != text.npos)
      return malformed(comma, std::string("JSON allows no comma before `") + text[offset] +
                                  "`. Remove the comma.");
  }
  if (const auto at = find_refused_control(text, code, offset); at != text.npos)
    return malformed(at, control_error(text[at], /*is_behind_backslash=*/at > offset));
  return std::nullopt;
}

/// What was expected at `offset`; in a body also what was found and probably meant.
json_error error_at(std::string_view text, rapidjson::ParseErrorCode code, std::size_t offset,
                    std::string_view what, bool is_import) {
  if (!is_import)
    if (auto mistake = common_mistake_at(text, code, offset)) return *std::move(mistake);
  if (code == rapidjson::kParseErrorStringUnicodeSurrogateInvalid)
    return malformed(offset, surrogate_error(text, offset));
  // Searches the text itself, because the parser may have read one with placeholders.
  if (auto mistake = find_number_mistake(text, code, offset))
    return malformed(mistake->offset, std::move(mistake->sentence));
  // `nulll` is as invalid as `nul`, although RapidJSON reads `null` first.
  const bool is_in_word = offset < text.size() && word_characters.contains(text[offset]) &&
                          word_begin(text, offset) < offset;
  if (!is_import && is_between_tokens(code) && is_in_word)
    code = rapidjson::kParseErrorValueInvalid;
  if (code == rapidjson::kParseErrorValueInvalid) offset = word_begin(text, offset);
  auto sentence = expectation(code, what);
  if (!is_import)
    sentence += ", found " + describe_found(text, code, offset);
  else if (code == rapidjson::kParseErrorDocumentEmpty)
    sentence += ", found nothing";
  return malformed(offset, std::move(sentence));
}

json_error refusal_of(std::string_view text, const tape_builder& builder, std::size_t depth_limit) {
  auto offset = builder.refused_at();
  switch (builder.refused()) {
  case tape_builder::refusal::lone_surrogate:
    offset = find_lone_low_surrogate(text, offset);
    return malformed(offset, surrogate_error(text, offset));
  case tape_builder::refusal::too_many:
    return {base::errc::body_too_large, offset, "the text has too many values."};
  default:
    return {base::errc::body_too_deep, offset,
            "objects and arrays nest deeper than the limit of " + std::to_string(depth_limit) +
                " levels."};
  }
}

/// Checks what RapidJSON does not check or does not report precisely.
std::optional<json_error> check_bytes(std::string_view text, bool is_import) {
  if (text.size() > json_document::text_limit_bytes) return malformed(0, "the body is too long.");
  if (!is_import && text.starts_with(byte_order_mark))
    return malformed(0, "the body starts with a byte order mark, which JSON forbids (RFC 8259 "
                        "section 8.1). Remove it.");
  if (const auto nul = text.find('\0'); is_import && nul != text.npos)
    return malformed(nul, "found a NUL byte, expected JSON");
  if (const auto bad = find_malformed_utf8(text); bad != text.npos) {
    char byte[8];
    std::snprintf(byte, sizeof byte, "0x%02x", static_cast<unsigned char>(text[bad]));
    return malformed(bad, std::string("expected UTF-8, found the byte ") + byte +
                              ", which is not valid here.");
  }
  if (!is_import && text.find_first_not_of(" \t\r\n") == text.npos)
    return malformed(0, "the body is empty; expected a JSON value.");
  return std::nullopt;
}

} // namespace

std::optional<json_error> json_document::read(std::string_view text, const reading& how) {
  nodes_.clear();
  if (auto wrong = check_bytes(text, how.is_import)) return wrong;
  set_text(bytes_, text);
  nodes_.reserve(std::min(how.value_limit, text.size() / least_value_bytes + how.depth_limit));
  bool recursive = how.depth_limit <= recursion_limit;
  for (;;) {
    tape_builder builder{
        bytes_,    nodes_,        how.depth_limit, how.value_limit, recursive ? 1U : 0U,
        how.names, !how.is_import};
    const auto result =
        recursive ? parse_with<recursive_flags>(builder) : parse_with<iterative_flags>(builder);
    if (builder.refused() != tape_builder::refusal::none)
      return refusal_of(text, builder, how.depth_limit);
    if (!result.IsError()) {
      const auto consumed = builder.stream().Tell();
      if (consumed == text.size()) return std::nullopt;
      return malformed(
          consumed, "expected the end of the body after its value, found a NUL byte (`\\u0000`).");
    }
    // RapidJSON refuses numbers beyond a double even if it need not convert them, which JSON
    // allows: parse again without the digits and take them from the original text.
    const bool has_longer_number =
        !how.is_import && original_.empty() && result.Code() == rapidjson::kParseErrorNumberTooBig;
    if (!has_longer_number && !recursive) {
      builder.end();
      return error_at(text, result.Code(), result.Offset(), how.what, how.is_import);
    }
    if (has_longer_number) original_.assign(text);
    set_text(bytes_, original_.empty() ? text : blank_numbers(text));
    nodes_.clear();
    // Errors always come from the iterative parser, because the codes of some errors differ.
    recursive = recursive && has_longer_number;
  }
}

std::optional<json_error> json_document::import(std::string_view text, const import_rules& rules) {
  return read(text, {rules.depth_limit, nullptr, rules.value_limit, rules.what, true});
}

tl::expected<json_document, json_error> json_document::read_object(std::string_view text,
                                                                   std::size_t depth_limit,
                                                                   const known_names* names) {
  json_document document;
  if (auto error = document.read(text, {depth_limit, names}))
    return tl::unexpected(*std::move(error));
  if (document.root().kind == json_kind::object) return document;
  return tl::unexpected(json_error{base::errc::body_not_object, document.root().offset,
                                   "the body must be a JSON object, but is " +
                                       std::string(kind_name(document.root().kind)) + "."});
}

base::expected<json_document> json_document::parse(std::string_view text, std::size_t depth_limit) {
  json_document document;
  if (const auto error = document.read(text, {depth_limit}))
    return tl::unexpected(describe_error(text, *error));
  return document;
}

base::expected<json_document> json_document::parse_object(std::string_view text,
                                                          std::size_t depth_limit,
                                                          const known_names* names) {
  auto document = read_object(text, depth_limit, names);
  if (!document) return tl::unexpected(describe_error(text, document.error()));
  return *std::move(document);
}

const json_node* json_document::find_member(std::string_view name, json_kind kind) const noexcept {
  const json_node* found = nullptr;
  for_each_in(root(), [&](const json_node& node) {
    if (found == nullptr && node.kind == kind && this->name(node) == name) found = &node;
  });
  return found;
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

// Since the text was UTF-8, only such an escape can have produced the bytes ED A0 to ED BF.
bool has_lone_surrogate(std::string_view unescaped) noexcept {
  for (auto at = unescaped.find('\xED'); at != unescaped.npos; at = unescaped.find('\xED', at + 1))
    if (static_cast<unsigned char>(unescaped[at + 1]) >= 0xA0) return true;
  return false;
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
