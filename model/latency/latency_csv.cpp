#include "model/latency/latency_csv.hpp"

#include "base/failure.hpp"
#include "base/randomness.hpp"
#include "model/catalog/catalog.hpp"
#include "model/latency/cell.hpp"
#include "model/latency/predictor.hpp"
#include "model/records/csv_line.hpp"
#include "model/text/joined.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace matchcloud::model {

namespace {

/// Clocks are assumed to differ by less than this.
constexpr std::uint32_t ahead_limit_minutes = 24 * 60;
constexpr int value_digits = 5;

constexpr std::string_view header_example = "such as latitude,longitude,region,ms";

[[noreturn]] void refuse(std::string text) {
  throw base::failure{base::errc::import_invalid, std::move(text)};
}

std::string quoted(std::string_view text) {
  return quoted_excerpt(text);
}

/// The beginning of a finding about a value: "`ms` is empty. ".
std::string value_of(std::string_view column, std::string_view text) {
  return fmt::format("`{}` is {}. ", column, text.empty() ? "empty" : quoted(text));
}

void append_number(std::string& out, double value, std::chars_format format, int digits) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value, format, digits);
  out.append(text.data(), written.ptr);
}

/// `2026-11-27T23:05:00Z`.
void append_minute(std::string& out, std::uint32_t minute) {
  constexpr std::size_t without_fraction = timestamp_length - 5;
  const auto ms = std::min(minute * latency_minute_ms, timestamp_limit_ms);
  out.append(format_timestamp(ms), 0, without_fraction) += 'Z';
}

std::optional<double> parse_number(std::string_view text) noexcept {
  double number = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A time or a date, in minutes since 1970.
std::optional<std::uint32_t> parse_minute(std::string_view text) {
  constexpr std::size_t date_length = 10;
  const auto ms = text.size() == date_length ? parse_timestamp(std::string{text} + "T00:00:00Z")
                                             : parse_timestamp(text);
  return ms ? std::optional{static_cast<std::uint32_t>(*ms / latency_minute_ms)} : std::nullopt;
}

} // namespace

bool append_latency_csv(std::string& out, const learned_entry& entry) {
  if (entry.voices.empty() || !entry.is_shown()) return false;
  region_estimates known;
  auto numbered = entry.voices;
  for (auto& each : numbered)
    each.region = 0;
  estimate(numbered, {}, known);
  out.append(name_of(entry.cell.kind())) += ',';
  append_csv_field(out, to_string(entry.cell));
  out += ',';
  append_csv_field(out, entry.region_id);
  out += ',';
  append_number(out, known[0].milliseconds, std::chars_format::general, value_digits);
  out += ",,";
  append_number(out, known[0].weight, std::chars_format::fixed, 1);
  out.append(",").append(std::to_string(entry.voices.size())) += ',';
  append_minute(out, entry.minute());
  out += "\r\n";
  return true;
}

// -- the header ---------------------------------------------------------------

base::expected<void> latency_csv_reader::read_header(const input_line& line) {
  return base::attempt([&] {
    if (line.too_long)
      refuse(
          fmt::format("The line is longer than 16 KiB. The first line must name the columns, {}.",
                      header_example));
    if (const auto finding = split_csv_line(line.text, fields_)) refuse(std::string{*finding});
    take_names();
    check_columns();
  });
}

void latency_csv_reader::take_names() {
  columns_ = fields_.size();
  places_.fill(absent);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const auto* const found = std::ranges::find(column_names, fields_[i]);
    if (found == column_names.end()) {
      const auto close = closest_name(fields_[i], column_names);
      refuse(fmt::format("{} is not a column.{} The first line must name the columns, {}, and "
                         "nothing else. Allowed: {}.",
                         quoted(fields_[i]),
                         close.empty() ? "" : fmt::format(" Did you mean `{}`?", close),
                         header_example, joined(column_names)));
    }
    auto& place = places_[static_cast<std::size_t>(found - column_names.begin())];
    if (place != absent)
      refuse("The column " + quoted(fields_[i]) + " appears twice. Remove one of them.");
    place = i;
  }
}

void latency_csv_reader::check_columns() const {
  using enum column;
  const int ways =
      int{has(kind) || has(cell)} + int{has(latitude) || has(longitude)} + int{has(address)};
  if (ways != 1 || has(kind) != has(cell) || has(latitude) != has(longitude))
    refuse("Columns must say where the client is in one way: `kind` and `cell`, `latitude` "
           "and `longitude`, or `address`. Use one of these.");
  if (!has(region)) refuse("There is no column `region`. Add it, with ids of regions.");
  if (!has(ms)) refuse("There is no column `ms`. Add it, with milliseconds.");
  if (has(ratio) && !has(kind))
    refuse("`ratio` is only for files with `kind` and `cell`. Remove the column.");
}

// -- rows ---------------------------------------------------------------------

std::string_view latency_csv_reader::text(column which) const noexcept {
  return has(which) ? fields_[at(which)] : std::string_view{};
}

base::expected<std::optional<latency_row>> latency_csv_reader::read(const input_line& line) {
  return base::attempt([&]() -> std::optional<latency_row> {
    if (line.too_long) refuse("The line is longer than 16 KiB. Shorten it.");
    if (const auto finding = split_csv_line(line.text, fields_)) refuse(std::string{*finding});
    if (fields_.size() != columns_)
      refuse(fmt::format("The line has {} values, but the first line names {} columns. Add or "
                         "remove commas.",
                         fields_.size(), columns_));
    if (std::ranges::find(former_kind_names, text(column::kind)) != former_kind_names.end())
      return std::nullopt;
    latency_row row;
    row.region_id = text(column::region);
    if (row.region_id.empty()) refuse("`region` is empty. Add the id of a region.");
    read_client(row);
    read_value(row);
    read_numbers(row);
    return row;
  });
}

void latency_csv_reader::read_client(latency_row& row) const {
  if (has(column::address)) {
    const auto address = parse_ip_address(text(column::address));
    if (!address)
      refuse(quoted(text(column::address)) +
             " is not an IP address. Use one such as 81.2.69.142 or 2001:db8::1, without a "
             "port or a prefix.");
    row.client = *address;
    return;
  }
  if (has(column::latitude)) {
    const auto where = parse_coordinates(text(column::latitude), text(column::longitude));
    if (!where)
      refuse(fmt::format("latitude {} and longitude {} are not coordinates. Use degrees from "
                         "-90 to 90 and from -180 to 180.",
                         quoted(text(column::latitude)), quoted(text(column::longitude))));
    row.client = *where;
    return;
  }
  const auto kind = text(column::kind);
  if (std::ranges::find(cell_kind_names, kind) == cell_kind_names.end())
    refuse(fmt::format("{} is not a kind of cell. Allowed: {}.", quoted(kind),
                       joined(cell_kind_names)));
  const auto cell = parse_latency_cell(kind, text(column::cell));
  if (!cell)
    refuse(fmt::format("{} is not a cell of the kind {}. Use one such as 81.2.69.0/24, or "
                       "\"51.5,-0.12\" (latitude and longitude in quotes).",
                       quoted(text(column::cell)), kind));
  row.client = *cell;
}

void latency_csv_reader::read_value(latency_row& row) const {
  if (!text(column::ratio).empty())
    refuse("`ratio` is " + quoted(text(column::ratio)) +
           ". A network or a place has `ms` only. Leave `ratio` empty.");
  const auto value = parse_number(text(column::ms));
  if (!value || !(*value >= 0 && *value <= learned_limit_ms))
    refuse(value_of("ms", text(column::ms)) + "Use milliseconds from 0 to 2000.");
  row.milliseconds = *value;
}

void latency_csv_reader::read_numbers(latency_row& row) const {
  std::optional<double> reports;
  std::optional<double> reporters;
  if (const auto given = text(column::reports); !given.empty()) {
    reports = parse_number(given);
    if (!reports || !(*reports >= least_reports && *reports <= reports_limit))
      refuse(value_of("reports", given) + "Use a number from 0.1 to 200.");
  }
  if (const auto given = text(column::reporters); !given.empty()) {
    reporters = parse_number(given);
    if (!reporters || !(*reporters >= 1 && *reporters <= 1e9))
      refuse(value_of("reporters", given) + "Use a number from 1.");
  }
  const double few =
      std::min(reports.value_or(reporters.value_or(1)), reporters.value_or(reports.value_or(1)));
  row.speakers = static_cast<std::uint16_t>(
      std::clamp(std::round(few), 1.0, static_cast<double>(voice_limit)));
  const auto* const cell = std::get_if<latency_cell>(&row.client);
  if (cell != nullptr && cell->kind() == cell_kind::network &&
      reporters.value_or(1) < static_cast<double>(shown_reporters))
    refuse(value_of("reporters", text(column::reporters)) +
           "Networks of fewer than 5 clients are not kept, because they would "
           "reveal single players. Remove the row.");
  row.minute = now_minute_;
  const auto given = text(column::reported);
  if (given.empty()) return;
  const auto minute = parse_minute(given);
  if (!minute)
    refuse(value_of("reported", given) +
           "Use a time such as 2026-01-31T08:30:00Z or a date such as 2026-01-31.");
  if (*minute > now_minute_ + ahead_limit_minutes)
    refuse(value_of("reported", given) + "That is in the future. Correct it, or leave it empty.");
  row.minute = std::min(*minute, now_minute_);
}

voices voices_of(double milliseconds, std::uint16_t speakers, std::uint32_t minute,
                 latency_cell cell, std::uint64_t number) {
  voices made;
  for (std::uint32_t i = 0; i < speakers; ++i) {
    auto speaker = i; // of a network, whose clients are told apart by a few bits
    if (cell.kind() == cell_kind::place)
      speaker = static_cast<std::uint32_t>(base::mixed(number * voice_limit + i + 1));
    merge(made, std::array{voice{0, voice::steps_of(milliseconds), speaker, minute}});
  }
  return made;
}

} // namespace matchcloud::model
