#include "load/replay/log_line.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "model/json/members.hpp"
#include "model/net/ip_address.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace matchcloud::load {

namespace {

/// Longer durations in a line are cut to a day.
constexpr std::uint64_t longest_us = 86'400'000'000;

std::string client_of(std::string_view text) {
  return model::parse_ip_address(text) ? std::string{text} : std::string{};
}

bool is_whole(const logged_request& made) {
  return base::token_characters.contains_all(made.method) && !made.method.empty() &&
         base::target_characters.contains_all(made.target) && made.target.starts_with('/') &&
         made.status >= 100 && made.status <= 599;
}

std::optional<logged_request> parse_json_line(std::string_view line) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(line.data(), line.size());
  if (document.HasParseError() || !document.IsObject()) return std::nullopt;
  const auto answered_ms = model::parse_timestamp(model::member_text(document, "ts"));
  if (!answered_ms) return std::nullopt;
  logged_request made;
  // The log has the time of the response.
  const auto took_us = std::min(model::member_count(document, "duration_us"), longest_us);
  made.at_us = *answered_ms * 1'000 - static_cast<std::int64_t>(took_us);
  made.client = client_of(model::member_text(document, "client"));
  made.method = model::member_text(document, "method");
  made.target = model::member_text(document, "target");
  made.status =
      static_cast<int>(std::min<std::uint64_t>(model::member_count(document, "status"), 999));
  made.operation = model::member_text(document, "operation");
  // Reports use it as the name of a row.
  if (!base::token_characters.contains_all(made.operation)) made.operation.clear();
  made.is_of_ops_plane = model::member_text(document, "plane") == "ops";
  return is_whole(made) ? std::optional{std::move(made)} : std::nullopt;
}

/// Reads `26/Nov/2026:03:20:43 +0000` by converting it to RFC 3339.
std::optional<std::int64_t> parse_clf_time(std::string_view text) {
  constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr std::size_t length = 26;
  if (text.size() != length || text[2] != '/' || text[6] != '/' || text[11] != ':') return {};
  const auto month = std::ranges::find(months, text.substr(3, 3));
  if (month == months.end()) return {};
  const auto number = std::to_string(month - months.begin() + 1);
  std::string written{text.substr(7, 4)};
  written.append(number.size() == 1 ? "-0" : "-").append(number).append("-");
  written.append(text.substr(0, 2)).append("T").append(text.substr(12, 8));
  written.append(text.substr(21, 3)).append(":").append(text.substr(24, 2));
  return model::parse_timestamp(written);
}

/// Takes the text before the next space, or all of it.
std::string_view take_word(std::string_view& rest) {
  const auto word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  return word;
}

/// Takes the text between `open`, with which `rest` must begin, and `close`, and the space after
/// it; nothing if there is none. Quotes within the text have a backslash before them.
std::optional<std::string_view> take_between(std::string_view& rest, char open, char close) {
  if (!rest.starts_with(open)) return std::nullopt;
  std::size_t end = 1;
  while (end < rest.size() && rest[end] != close)
    end += rest[end] == '\\' ? 2 : 1;
  if (end >= rest.size()) return std::nullopt;
  const auto text = rest.substr(1, end - 1);
  rest.remove_prefix(std::min(end + 2, rest.size()));
  return text;
}

/// `CLIENT IDENTITY USER [TIME] "METHOD TARGET HTTP/1.1" STATUS BYTES ..`. Lines with a virtual
/// host before the client are not read.
std::optional<logged_request> parse_combined_line(std::string_view line) {
  logged_request made;
  made.client = client_of(take_word(line));
  take_word(line);
  take_word(line);
  const auto time = take_between(line, '[', ']');
  const auto at_ms = time ? parse_clf_time(*time) : std::nullopt;
  auto request = take_between(line, '"', '"');
  if (!at_ms || !request) return std::nullopt;
  made.at_us = *at_ms * 1'000;
  made.is_whole_second = true;
  made.method = take_word(*request);
  made.target = take_word(*request);
  if (!request->starts_with("HTTP/")) return std::nullopt;
  made.status = base::parse_decimal<int>(take_word(line)).value_or(0);
  return is_whole(made) ? std::optional{std::move(made)} : std::nullopt;
}

} // namespace

std::optional<logged_request> parse_log_line(std::string_view line) {
  return line.starts_with('{') ? parse_json_line(line) : parse_combined_line(line);
}

} // namespace matchcloud::load
