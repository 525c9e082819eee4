#include "model/records/record_values.hpp"

#include "model/text/catalog_names.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <string>

namespace matchcloud::model {

namespace {

/// The value found, for an error message.
std::string shown(const record_field& field) {
  switch (field.what) {
  case record_field::kind::absent: return "nothing";
  case record_field::kind::null: return "null";
  case record_field::kind::string: return '"' + printable_excerpt(field.text) + '"';
  case record_field::kind::boolean:
  case record_field::kind::number: return printable_excerpt(field.text);
  }
  return {};
}

} // namespace

void record_values::refuse(line_errc code, std::string_view name, const record_field& field,
                           std::string_view allowed) {
  if (finding_) return;
  std::string message{name};
  message.append(": found ").append(shown(field)).append(", expected ").append(allowed);
  finding_ = line_finding{code, std::move(message)};
}

template <class Allowed>
std::string_view record_values::text(std::string_view name, const record_field& field,
                                     Allowed is_allowed, std::string_view allowed) {
  if (field.what != record_field::kind::string)
    refuse(line_errc::wrong_type, name, field, allowed);
  else if (!is_allowed(field.text))
    refuse(line_errc::invalid, name, field, allowed);
  else
    return field.text;
  return {};
}

uuid record_values::id(std::string_view name, const record_field& field) {
  constexpr std::string_view allowed = "a UUID of 36 characters";
  const auto found =
      field.what == record_field::kind::string ? parse_uuid(field.text) : std::nullopt;
  if (found) return *found;
  refuse(field.what == record_field::kind::string ? line_errc::invalid : line_errc::wrong_type,
         name, field, allowed);
  return {};
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
  const bool is_number = field.what == record_field::kind::number;
  const bool is_string = field.what == record_field::kind::string;
  const auto found = is_number   ? parse_timestamp_ms(field.text)
                     : is_string ? parse_timestamp(field.text)
                                 : std::nullopt;
  if (is_number && found && looks_like_seconds(static_cast<std::uint64_t>(*found))) {
    const auto ms = *found * 1'000;
    refuse(line_errc::invalid, name, field,
           "milliseconds since 1970, but these look like seconds: write " + std::to_string(ms) +
               " for " + format_timestamp(ms));
    return 0;
  }
  if (found) return *found;
  const bool is_leap = is_string && has_misplaced_leap_second(field.text);
  refuse(is_number || is_string ? line_errc::invalid : line_errc::wrong_type, name, field,
         is_leap ? leap_second_allowed : allowed);
  return 0;
}

bool record_values::flag(std::string_view name, const record_field& field) {
  if (field.what == record_field::kind::boolean) return field.text == "true";
  refuse(line_errc::wrong_type, name, field, "true or false");
  return false;
}

} // namespace matchcloud::model
