#include "model/records/record_line.hpp"

#include "base/check.hpp"
#include "model/text/catalog_names.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace matchcloud::model {

namespace {

/// Of ignored members: the line itself is the bound.
constexpr import_rules line_rules{"line", line_limit_bytes, line_limit_bytes};

/// Suggests the closest member that is still absent, or lists the members.
std::string alternatives_to(std::string_view name, std::span<const json_field> members,
                            std::span<const record_field> fields) {
  std::array<std::string_view, record_member_limit> names;
  std::size_t absent = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!fields[i].what) names[absent++] = members[i].name;
  const auto closest = closest_name(name, std::span{names}.first(absent));
  if (!closest.empty()) return ", did you mean " + in_quotes(closest) + "?";
  return "; allowed: " + names_of(members);
}

/// `place` begins the sentence.
line_finding lone_surrogate_in(std::string_view place) {
  return {line_errc::malformed,
          fmt::format("{}expected a high surrogate escape before the low one", place)};
}

} // namespace

base::expected<void> check_ignored(std::span<const json_field> members,
                                   std::span<const std::string> names) {
  if (names.size() > ignored_member_limit)
    return base::fail(base::errc::config_invalid, fmt::format("{} names; at most {} are allowed",
                                                              names.size(), ignored_member_limit));
  for (const auto& each : names) {
    if (each.empty() || each.size() > ignored_name_limit_bytes ||
        find_malformed_utf8(each) != std::string::npos)
      return base::fail(base::errc::config_invalid,
                        fmt::format("{} is not a name of 1 to {} bytes of UTF-8", in_quotes(each),
                                    ignored_name_limit_bytes));
    if (std::ranges::find(members, each, &json_field::name) != members.end())
      return base::fail(base::errc::config_invalid, in_quotes(each) +
                                                        " is a member of the format, which cannot "
                                                        "be ignored");
  }
  return {};
}

record_reader::record_reader(std::span<const json_field> members, std::vector<std::string> ignored)
    : members_{members}, ignored_{std::move(ignored)} {
  base::check(members.size() <= record_member_limit, "a record has few members");
}

std::optional<line_finding> record_reader::read(std::string_view line,
                                                std::span<record_field> fields) {
  base::check(fields.size() == members_.size(), "there is a field for each member");
  std::fill(fields.begin(), fields.end(), record_field{});
  const auto error = line_.import(line, line_rules);
  // What is before an error comes first.
  if (auto finding = take_members(fields)) return finding;
  if (error)
    return line_finding{line_errc::malformed,
                        fmt::format("at byte {}: {}", error->offset + 1, error->sentence)};
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (members_[i].required && !fields[i].what)
      return line_finding{line_errc::required,
                          fmt::format("member {} is missing; the members are {}",
                                      in_quotes(members_[i].name), names_of(members_))};
  return std::nullopt;
}

std::optional<line_finding> record_reader::read(const input_line& line,
                                                std::span<record_field> fields) {
  if (!line.too_long) return read(std::string_view{line.text.data(), line.text.size()}, fields);
  return line_finding{line_errc::too_long, fmt::format("longer than {} bytes", line_limit_bytes)};
}

std::optional<line_finding> record_reader::take_members(std::span<record_field> fields) {
  if (line_.node_count() == 0) return std::nullopt;
  if (line_.root().kind != json_kind::object)
    return line_finding{line_errc::malformed,
                        fmt::format("found {}, expected an object", kind_name(line_.root().kind))};
  expected_ = 0;
  for (std::uint32_t at = 1; at < line_.node_count(); at = line_.node(at).next)
    if (auto finding = take(line_.node(at), fields)) return finding;
  return std::nullopt;
}

std::optional<line_finding> record_reader::take(const json_node& member,
                                                std::span<record_field> fields) {
  const auto name = line_.name(member);
  if (has_lone_surrogate(name)) return lone_surrogate_in("");
  const auto index = index_of(name);
  if (index == members_.size()) {
    if (std::ranges::find(ignored_, name) != ignored_.end()) return std::nullopt;
    return line_finding{line_errc::unknown_member, "unknown member " + in_quotes(name) +
                                                       alternatives_to(name, members_, fields)};
  }
  auto& field = fields[index];
  if (field.what)
    return line_finding{line_errc::duplicate_member,
                        "member " + in_quotes(name) + " appears twice; keep one"};
  if (member.kind == json_kind::object || member.kind == json_kind::array)
    return line_finding{line_errc::wrong_type, fmt::format("{}: found {}, expected a plain value",
                                                           name, kind_name(member.kind))};
  field = {member.kind, line_.text(member)};
  if (field.what == json_kind::string && has_lone_surrogate(field.text))
    return lone_surrogate_in(fmt::format("{}: ", name));
  return std::nullopt;
}

/// The index of a member; that of none if there is none of that name. Starts after the last one,
/// because writers usually keep an order.
std::size_t record_reader::index_of(std::string_view name) {
  for (std::size_t tried = 0; tried < members_.size(); ++tried) {
    if (expected_ == members_.size()) expected_ = 0;
    const auto index = expected_++;
    if (members_[index].name == name) return index;
  }
  return members_.size();
}

namespace {

/// The value found, for an error message.
std::string shown(const record_field& field) {
  if (!field.what) return "nothing";
  if (field.what == json_kind::null) return "null";
  return field.what == json_kind::string ? in_quotes(field.text) : printable_excerpt(field.text);
}

} // namespace

void record_values::refuse(line_errc code, std::string_view name, const record_field& field,
                           std::string_view allowed) {
  if (finding_) return;
  finding_ =
      line_finding{code, fmt::format("{}: found {}, expected {}", name, shown(field), allowed)};
}

void record_values::refuse_unless(json_kind wanted, std::string_view name,
                                  const record_field& field, std::string_view allowed) {
  refuse(field.what == wanted ? line_errc::invalid : line_errc::wrong_type, name, field, allowed);
}

std::string_view record_values::text(std::string_view name, const record_field& field,
                                     bool (&is_allowed)(std::string_view),
                                     std::string_view allowed) {
  if (field.what == json_kind::string && is_allowed(field.text)) return field.text;
  refuse_unless(json_kind::string, name, field, allowed);
  return {};
}

uuid record_values::id(std::string_view name, const record_field& field) {
  const auto found = field.what == json_kind::string ? parse_uuid(field.text) : std::nullopt;
  if (!found) refuse_unless(json_kind::string, name, field, "a UUID of 36 characters");
  return found.value_or(uuid{});
}

std::string_view record_values::identifier(std::string_view name, const record_field& field) {
  return text(name, field, is_identifier, identifier_allowed);
}

std::string_view record_values::label(std::string_view name, const record_field& field) {
  return text(name, field, is_name, name_allowed);
}

std::int64_t record_values::time(std::string_view name, const record_field& field) {
  constexpr std::string_view leap_second_allowed =
      "a second from 0 to 59 (60, a leap second, only at 23:59 UTC on the last day of a month)";
  constexpr std::string_view allowed =
      "an integer of milliseconds since 1970 or an RFC 3339 time, both up to the year 9999";
  const bool is_number = field.what == json_kind::number;
  const bool is_string = field.what == json_kind::string;
  const auto found = is_number   ? parse_timestamp_ms(field.text)
                     : is_string ? parse_timestamp(field.text)
                                 : std::nullopt;
  if (is_number && found && looks_like_seconds(static_cast<std::uint64_t>(*found))) {
    const auto ms = *found * 1'000;
    refuse(line_errc::invalid, name, field,
           fmt::format("milliseconds since 1970, but these look like seconds: write {} for {}", ms,
                       format_timestamp(ms)));
    return 0;
  }
  if (found) return *found;
  const bool is_leap = is_string && has_misplaced_leap_second(field.text);
  refuse(is_number || is_string ? line_errc::invalid : line_errc::wrong_type, name, field,
         is_leap ? leap_second_allowed : allowed);
  return 0;
}

bool record_values::flag(std::string_view name, const record_field& field) {
  if (field.what == json_kind::boolean) return field.text == "true";
  refuse(line_errc::wrong_type, name, field, "true or false");
  return false;
}

} // namespace matchcloud::model
