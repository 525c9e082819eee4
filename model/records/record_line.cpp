#include "model/records/record_line.hpp"

#include "base/check.hpp"
#include "model/json/json_document.hpp"
#include "model/json/json_number.hpp"
#include "model/json/rapidjson.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace matchcloud::model {

namespace {

// The encoding is checked before parsing: if a line ends inside a character, RapidJSON's check
// reads beyond the end.
constexpr unsigned parse_flags = rapidjson::kParseIterativeFlag | rapidjson::kParseInsituFlag |
                                 rapidjson::kParseNumbersAsStringsFlag;

std::string at_byte(std::size_t offset) {
  return "at byte " + std::to_string(offset + 1) + ": ";
}

std::string names_of(std::span<const record_member> members) {
  std::string text;
  for (const auto& each : members)
    text.append(text.empty() ? "" : ", ").append(each.name);
  return text;
}

/// Suggests the closest member that is still absent, or lists the members.
std::string alternatives_to(std::string_view name, std::span<const record_member> members,
                            std::span<const record_field> fields) {
  std::array<std::string_view, record_member_limit> names;
  std::size_t absent = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (fields[i].what == record_field::kind::absent) names[absent++] = members[i].name;
  const auto closest = closest_name(name, std::span{names}.first(absent));
  if (!closest.empty()) return ", did you mean " + in_quotes(closest) + "?";
  return "; allowed: " + names_of(members);
}

std::string_view line_expectation(rapidjson::ParseErrorCode code) {
  switch (code) {
  case rapidjson::kParseErrorDocumentEmpty: return "expected a JSON object, found nothing";
  case rapidjson::kParseErrorDocumentRootNotSingular:
    return "expected the end of the line after the object";
  case rapidjson::kParseErrorValueInvalid: return "expected a JSON value";
  case rapidjson::kParseErrorObjectMissName: return "expected a member name in double quotes";
  case rapidjson::kParseErrorObjectMissColon: return "expected a colon after the member name";
  case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
    return "expected a comma or } after the member";
  case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
    return "expected four hexadecimal digits after \\u";
  case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
    return "expected a low surrogate escape after the high one";
  case rapidjson::kParseErrorStringEscapeInvalid:
    return "expected a JSON escape; control characters must be escaped";
  case rapidjson::kParseErrorStringMissQuotationMark:
    return "expected a double quote at the end of the string";
  case rapidjson::kParseErrorNumberTooBig: return "expected a number that a double can hold";
  default: return "expected JSON";
  }
}

/// Checks what the parser does not: it treats a NUL byte as the end.
std::optional<line_finding> check_line_bytes(std::string_view line) {
  if (const auto nul = line.find('\0'); nul != line.npos)
    return line_finding{line_errc::malformed, at_byte(nul) + "found a NUL byte, expected JSON"};
  if (const auto bad = find_malformed_utf8(line); bad != line.npos)
    return line_finding{line_errc::malformed, at_byte(bad) + "expected UTF-8"};
  return std::nullopt;
}

} // namespace

/// Receives RapidJSON's events and fills the fields.
class record_reader::parser {
public:
  using Ch = char;

  parser(std::span<const record_member> members, std::vector<std::string> ignored)
      : members_{members}, ignored_{std::move(ignored)} {}

  std::optional<line_finding> parse(std::span<char> line, std::span<record_field> fields) {
    fields_ = fields;
    expected_ = 0;
    field_ = nullptr;
    depth_ = 0;
    skipping_ = false;
    skipped_depth_ = 0;
    finding_.reset();
    rapidjson::InsituStringStream stream{line.data()};
    const auto result = reader_.Parse<parse_flags>(stream, *this);
    if (finding_) return std::move(finding_);
    if (result.IsError()) {
      const std::string_view text{line.data(), line.size()};
      if (const auto mistake = find_number_mistake(text, result.Code(), result.Offset()))
        return line_finding{line_errc::malformed, at_byte(mistake->offset) + mistake->sentence};
      const bool is_word = result.Code() == rapidjson::kParseErrorValueInvalid;
      const auto offset = is_word ? word_begin(text, result.Offset()) : result.Offset();
      return line_finding{line_errc::malformed,
                          at_byte(offset) + std::string{line_expectation(result.Code())}};
    }
    return std::nullopt;
  }

  // RapidJSON requires these names.
  bool Null() { return take(record_field::kind::null, {}, "null"); }
  bool Bool(bool b) {
    const std::string_view text = b ? "true" : "false";
    return take(record_field::kind::boolean, text, text);
  }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    return take(record_field::kind::number, {text, length}, "a number");
  }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    return (skipping_ || check_text({text, length})) &&
           take(record_field::kind::string, {text, length}, "a string");
  }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    if (skipping_) return true;
    const std::string_view name{text, length};
    field_ = nullptr;
    if (!check_text(name)) return false;
    field_ = find(name);
    skipping_ = !field_ && std::ranges::find(ignored_, name) != ignored_.end();
    if (skipping_) return true;
    if (!field_)
      return refuse(line_errc::unknown_member,
                    "unknown member " + in_quotes(name) + alternatives_to(name, members_, fields_));
    if (field_->what == record_field::kind::absent) return true;
    return refuse(line_errc::duplicate_member,
                  "member " + in_quotes(name) + " appears twice; keep one");
  }
  bool StartObject() {
    if (skipping_) return begin_skipped();
    return depth_++ == 0 || refuse_nested("an object");
  }
  bool EndObject(rapidjson::SizeType) { return end_skipped(); }
  bool StartArray() {
    if (skipping_) return begin_skipped();
    return depth_ == 0 ? refuse_root("an array") : refuse_nested("an array");
  }
  bool EndArray(rapidjson::SizeType) { return end_skipped(); }

  // RapidJSON requires these functions but never calls them if numbers are kept as strings.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

private:
  /// The field of a member. Starts after the last one, because writers usually keep an order.
  record_field* find(std::string_view name) {
    for (std::size_t tried = 0; tried < members_.size(); ++tried) {
      if (expected_ == members_.size()) expected_ = 0;
      const auto index = expected_++;
      if (members_[index].name == name) return &fields_[index];
    }
    return nullptr;
  }

  bool begin_skipped() {
    ++skipped_depth_;
    return true;
  }

  /// Ends an object or an array.
  bool end_skipped() {
    if (skipping_) skipping_ = --skipped_depth_ > 0;
    return true;
  }

  bool take(record_field::kind what, std::string_view text, std::string_view found) {
    if (skipping_) {
      skipping_ = skipped_depth_ > 0;
      return true;
    }
    if (depth_ == 0) return refuse_root(found);
    *field_ = {what, text};
    return true;
  }

  /// RapidJSON turns an escaped low surrogate that follows no high one into malformed UTF-8: ED A0
  /// to ED BF, which valid UTF-8 never contains.
  bool check_text(std::string_view text) {
    for (auto at = text.find('\xED'); at != text.npos; at = text.find('\xED', at + 1))
      if (static_cast<unsigned char>(text[at + 1]) >= 0xA0)
        return refuse(line_errc::malformed,
                      place() + "expected a high surrogate escape before the low one");
    return true;
  }

  bool refuse_root(std::string_view found) {
    return refuse(line_errc::malformed, "found " + std::string{found} + ", expected an object");
  }

  bool refuse_nested(std::string_view found) {
    return refuse(line_errc::wrong_type,
                  place() + "found " + std::string{found} + ", expected a plain value");
  }

  /// The name of the current member, to begin a message with; empty if there is none.
  std::string place() const {
    if (!field_) return {};
    const auto index = static_cast<std::size_t>(field_ - fields_.data());
    return std::string{members_[index].name} + ": ";
  }

  bool refuse(line_errc code, std::string message) {
    finding_ = line_finding{code, std::move(message)};
    return false;
  }

  rapidjson::Reader reader_;
  std::span<const record_member> members_;
  std::span<record_field> fields_;
  /// The table index where the next member is expected.
  std::size_t expected_ = 0;
  record_field* field_ = nullptr;
  std::size_t depth_ = 0;
  std::vector<std::string> ignored_;
  /// Whether the value of an ignored member is being read, and how many of its objects and arrays
  /// are open.
  bool skipping_ = false;
  std::size_t skipped_depth_ = 0;
  std::optional<line_finding> finding_;
};

base::expected<void> check_ignored(std::span<const record_member> members,
                                   std::span<const std::string> names) {
  if (names.size() > ignored_member_limit)
    return base::fail(base::errc::config_invalid,
                      std::to_string(names.size()) + " names; at most " +
                          std::to_string(ignored_member_limit) + " are allowed");
  for (const auto& each : names) {
    if (each.empty() || each.size() > ignored_name_limit_bytes ||
        find_malformed_utf8(each) != std::string::npos)
      return base::fail(base::errc::config_invalid, in_quotes(each) + " is not a name of 1 to " +
                                                        std::to_string(ignored_name_limit_bytes) +
                                                        " bytes of UTF-8");
    if (std::ranges::find(members, each, &record_member::name) != members.end())
      return base::fail(base::errc::config_invalid, in_quotes(each) +
                                                        " is a member of the format, which cannot "
                                                        "be ignored");
  }
  return {};
}

record_reader::record_reader(std::span<const record_member> members,
                             std::vector<std::string> ignored)
    : members_{members}, parser_{std::make_unique<parser>(members, std::move(ignored))} {
  base::check(members.size() <= record_member_limit, "a record has a bit for each member");
}

record_reader::~record_reader() = default;

std::optional<line_finding> record_reader::read(std::span<char> line,
                                                std::span<record_field> fields) {
  base::check(fields.size() == members_.size(), "there is a field for each member");
  std::fill(fields.begin(), fields.end(), record_field{});
  if (auto finding = check_line_bytes({line.data(), line.size()})) return finding;
  if (auto finding = parser_->parse(line, fields)) return finding;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (members_[i].required && fields[i].what == record_field::kind::absent)
      return line_finding{line_errc::required, "member " + in_quotes(members_[i].name) +
                                                   " is missing; the members are " +
                                                   names_of(members_)};
  return std::nullopt;
}

std::optional<line_finding> record_reader::read(const input_line& line,
                                                std::span<record_field> fields) {
  if (!line.too_long) return read(line.text, fields);
  return line_finding{line_errc::too_long,
                      "longer than " + std::to_string(line_limit_bytes) + " bytes"};
}

} // namespace matchcloud::model
