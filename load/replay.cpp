#include "load/replay.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "load/request_source.hpp"
#include "load/requests/table_reader.hpp"
#include "model/json/members.hpp"
#include "model/net/http_url.hpp"
#include "model/net/ip_address.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/uuid.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace matchcloud::load {

namespace {

/// Longer durations in a line are cut to a day.
constexpr std::uint64_t longest_us = 86'400'000'000;

std::string client_of(std::string_view text) {
  return model::parse_ip_address(text) ? std::string{text} : std::string{};
}

/// The request if all of it can be sent. Of an absolute target, only path and query are.
std::optional<logged_request> whole(logged_request made) {
  if (const auto url = model::parse_http_url(made.target)) made.target = url->target;
  const bool is_whole = base::token_characters.contains_all(made.method) && !made.method.empty() &&
                        base::target_characters.contains_all(made.target) &&
                        made.target.starts_with('/') && made.status >= 100 && made.status <= 599;
  return is_whole ? std::optional{std::move(made)} : std::nullopt;
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
  return whole(std::move(made));
}

/// Reads `26/Nov/2026:03:20:43 +0000` as seconds since 1970.
std::optional<std::int64_t> parse_clf_time(const std::string& text) {
  constexpr std::size_t length = 26;
  std::tm at{};
  const char* const end = ::strptime(text.c_str(), "%d/%b/%Y:%H:%M:%S %z", &at);
  if (text.size() != length || end != text.c_str() + length) return std::nullopt;
  const auto ahead_of_utc = at.tm_gmtoff;
  return ::timegm(&at) - ahead_of_utc;
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

/// `CLIENT IDENTITY USER [TIME] "METHOD TARGET HTTP/1.1" STATUS BYTES ..`, after a virtual host in
/// Apache's vhost_combined.
std::optional<logged_request> parse_combined_line(std::string_view line) {
  logged_request made;
  auto client = take_word(line);
  const auto second = take_word(line);
  take_word(line);
  if (!line.starts_with('[')) {
    client = second;
    take_word(line);
  }
  made.client = client_of(client);
  const auto time = take_between(line, '[', ']');
  const auto at = time ? parse_clf_time(std::string{*time}) : std::nullopt;
  auto request = take_between(line, '"', '"');
  if (!at || !request) return std::nullopt;
  made.at_us = *at * 1'000'000;
  made.is_whole_second = true;
  made.method = take_word(*request);
  made.target = take_word(*request);
  if (!request->starts_with("HTTP/")) return std::nullopt;
  made.status = base::parse_decimal<int>(take_word(line)).value_or(0);
  return whole(std::move(made));
}

} // namespace

std::optional<logged_request> parse_log_line(std::string_view line) {
  return line.starts_with('{') ? parse_json_line(line) : parse_combined_line(line);
}

namespace {

/// The service cuts longer targets.
constexpr std::size_t target_limit_bytes = 2'048;
constexpr std::uint16_t any_below_500 = 0;
constexpr int client_closed_request = 499;
/// The row for requests without their own row.
constexpr const char* others = "others";

bool has_no_body(std::string_view method) noexcept {
  constexpr std::array<std::string_view, 5> methods{"GET", "HEAD", "OPTIONS", "DELETE", "TRACE"};
  return std::ranges::find(methods, method) != methods.end();
}

/// The method of a request with a body, as reports show it.
std::string shown_method(const std::string& method) {
  const bool is_usual = method == "POST" || method == "PUT" || method == "PATCH";
  return is_usual ? method : "other";
}

/// Whether a segment of a path says which of many things it is about.
bool is_id(std::string_view segment) {
  return !segment.empty() &&
         (std::ranges::all_of(segment, base::is_digit) || model::parse_uuid(segment));
}

/// The operation, or the method and the first two segments of the path, with `*` for ids.
std::string row_name(const logged_request& of) {
  if (!of.operation.empty()) return of.operation;
  std::string_view path{of.target};
  path = path.substr(0, path.find('?'));
  auto name = of.method + " ";
  for (int i = 0; i < 2 && !path.empty(); ++i) {
    const auto segment = path.substr(0, path.find('/', 1));
    name += is_id(segment.substr(1)) ? "/*" : segment;
    path.remove_prefix(segment.size());
  }
  return name;
}

/// Whether the status depends on header lines that logs do not have: ranges and conditions.
bool is_of_headers(int status) noexcept {
  constexpr std::array<int, 4> all{206, 304, 412, 416};
  return std::ranges::find(all, status) != all.end();
}

/// A reply must have the status in the log, with two exceptions. What failed then need not fail
/// again, and conditional requests are sent without their condition.
std::uint16_t wanted_status(int logged) noexcept {
  const bool any = logged >= 500 || logged == client_closed_request || is_of_headers(logged);
  return any ? any_below_500 : static_cast<std::uint16_t>(logged);
}

} // namespace

/// Gathers the lines of a log. One thread.
class replay_reader {
public:
  void take(std::string_view line, std::uint64_t number) {
    auto read = parse_log_line(line);
    if (!read) {
      if (unreadable_++ == 0) first_unreadable_line_ = number;
      return;
    }
    if (read->is_of_ops_plane) return void(++of_ops_plane_);
    if (!has_no_body(read->method)) return void(++with_body_[shown_method(read->method)]);
    if (read->target.size() >= target_limit_bytes) return void(++cut_);
    const auto row = row_of(*read);
    ++row_sizes_[row];
    const auto status = wanted_status(read->status);
    const auto at_us = read->at_us;
    const bool is_whole_second = read->is_whole_second;
    lines_.push_back({at_us, is_whole_second, {{}, number_of(*std::move(read)), row, status}});
  }

  bool is_full() const noexcept { return lines_.size() > replay_log::requests_limit; }

  replay_log finish(const std::string& file, double speed) {
    made_.file = file;
    made_.speed = speed;
    const auto add = [&left = made_.left_out](std::uint64_t count, const std::string& what) {
      if (count > 0) left += (left.empty() ? "" : ", ") + std::to_string(count) + " " + what;
    };
    for (const auto& [method, count] : with_body_)
      add(count, method + " requests (logs have no bodies)");
    add(of_ops_plane_, "requests to the ops plane");
    add(cut_, "requests whose path is cut in the log");
    add(unreadable_,
        "lines that are not requests, the first in line " + std::to_string(first_unreadable_line_));
    if (lines_.empty())
      throw base::failure{base::errc::config_invalid,
                          file + " has no request that can be replayed" +
                              (made_.left_out.empty() ? "" : ": " + made_.left_out) +
                              ". Use an access log in JSON or in the combined format."};
    sort_by_time(speed);
    bound_rows();
    return std::move(made_);
  }

private:
  struct line_read {
    std::int64_t at_us;
    bool is_whole_second;
    replay_log::entry entry;
  };

  std::uint16_t row_of(const logged_request& of) {
    auto name = row_name(of);
    if (const auto known = row_numbers_.find(name); known != row_numbers_.end())
      return known->second;
    // Paths with ids can have any number of names; names beyond the limit share one row from the
    // start.
    constexpr std::size_t names_limit = 10'000;
    if (made_.rows.size() >= names_limit) name = others;
    const auto number = static_cast<std::uint16_t>(made_.rows.size());
    const auto [at, is_new] = row_numbers_.try_emplace(name, number);
    if (is_new) {
      made_.rows.push_back(std::move(name));
      row_sizes_.push_back(0);
    }
    return at->second;
  }

  std::uint32_t number_of(logged_request&& of) {
    replay_log::request made{std::move(of.method), std::move(of.target), std::move(of.client)};
    const auto [at, is_new] =
        request_numbers_.try_emplace(made.method + ' ' + made.target + ' ' + made.client,
                                     static_cast<std::uint32_t>(made_.requests.size()));
    if (is_new) made_.requests.push_back(std::move(made));
    return at->second;
  }

  /// Lines are in the order of their responses. Spreads lines with the same whole second over that
  /// second.
  void sort_by_time(double speed) {
    std::ranges::stable_sort(lines_, {}, &line_read::at_us);
    for (std::size_t begin = 0, end = 0; begin < lines_.size(); begin = end) {
      const auto first = lines_[begin];
      while (end < lines_.size() && lines_[end].at_us == first.at_us)
        ++end;
      if (!first.is_whole_second) continue;
      for (std::size_t k = begin; k < end; ++k)
        lines_[k].at_us += static_cast<std::int64_t>((k - begin) * 1'000'000UL / (end - begin));
    }
    made_.entries.reserve(lines_.size());
    for (const auto& [at_us, is_whole_second, entry] : lines_) {
      // Keeps within the range of nanoseconds, whatever times the log has.
      constexpr double latest_us = 365.0 * 86'400 * 1e6;
      const auto us =
          std::min(static_cast<double>(at_us - lines_.front().at_us) / speed, latest_us);
      made_.entries.push_back(entry);
      made_.entries.back().at = std::chrono::nanoseconds{static_cast<std::int64_t>(us * 1'000)};
    }
  }

  /// Merges all rows except those with the most requests into one.
  void bound_rows() {
    if (made_.rows.size() <= replay_log::rows_limit) return;
    std::vector<std::uint16_t> order(made_.rows.size());
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    std::ranges::stable_sort(order, std::greater<>{}, [this](auto i) { return row_sizes_[i]; });
    constexpr auto kept = static_cast<std::uint16_t>(replay_log::rows_limit - 1);
    std::vector<std::uint16_t> numbers(order.size(), kept);
    std::vector<std::string> names;
    // Requests that never had their own row stay in `others`, however many there are.
    std::erase_if(order, [this](auto i) { return made_.rows[i] == others; });
    for (std::uint16_t i = 0; i < kept; ++i) {
      numbers[order[i]] = i;
      names.push_back(made_.rows[order[i]]);
    }
    names.emplace_back(others);
    for (auto& each : made_.entries)
      each.row = numbers[each.row];
    made_.rows = std::move(names);
  }

  replay_log made_;
  std::vector<line_read> lines_;
  std::unordered_map<std::string, std::uint16_t> row_numbers_;
  std::vector<std::uint64_t> row_sizes_;
  std::unordered_map<std::string, std::uint32_t> request_numbers_;
  /// The number of requests with bodies, which logs do not have, by method.
  std::map<std::string, std::uint64_t> with_body_;
  std::uint64_t of_ops_plane_ = 0;
  std::uint64_t cut_ = 0;
  std::uint64_t unreadable_ = 0;
  std::uint64_t first_unreadable_line_ = 0;
};

replay_log replay_log::read(const std::string& file, double speed) {
  auto text = file_content(file, file_limit_bytes, "a log; split it");
  if (text.starts_with("\x1f\x8b")) {
    auto plain = inflated(text, file_limit_bytes);
    if (!plain)
      throw base::failure{base::errc::config_invalid,
                          file + " is not gzip, or has more than 1 GiB. Split it."};
    text = *std::move(plain);
  }
  replay_reader reader;
  std::uint64_t number = 0;
  for (std::string_view rest{text}; !rest.empty();) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) reader.take(line, number);
    if (reader.is_full())
      throw base::failure{base::errc::config_invalid, file + " has more than " +
                                                          std::to_string(requests_limit) +
                                                          " requests to send. Split it."};
  }
  return reader.finish(file, speed);
}

std::vector<request_bytes> replay_log::bytes(const request_frame& frame) const {
  std::vector<request_bytes> made;
  std::size_t sum_bytes = 0;
  add_bytes(sum_bytes, requests.size() * sizeof(request_bytes));
  made.reserve(requests.size());
  for (const auto& each : requests) {
    made.push_back(begin_request(frame, each.method, frame.base_path + each.target));
    auto& text = made.back().text;
    if (!each.client.empty()) text.append("X-Forwarded-For: ").append(each.client).append("\r\n");
    text += "\r\n";
    add_bytes(sum_bytes, made.back().text.capacity());
  }
  return made;
}

} // namespace matchcloud::load
