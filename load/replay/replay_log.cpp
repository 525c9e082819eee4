#include "load/replay/replay_log.hpp"

#include "cli/bounded_input.hpp"
#include "load/replay/log_line.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace matchcloud::load {

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

std::string row_name(const logged_request& of) {
  if (!of.operation.empty()) return of.operation;
  std::string_view path{of.target};
  path = path.substr(0, path.find('?'));
  const auto second = path.find('/', 1);
  const auto third = second == path.npos ? path.npos : path.find('/', second + 1);
  return of.method + " " + std::string{path.substr(0, third)};
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

void list(std::string& sentence, std::uint64_t count, const std::string& what) {
  if (count > 0) sentence += (sentence.empty() ? "" : ", ") + std::to_string(count) + " " + what;
}

} // namespace

/// Gathers the lines of a log. One thread.
class replay_reader {
public:
  void take(std::string_view line, std::uint64_t number) {
    auto read = parse_log_line(line);
    if (!read) {
      if (made_.unreadable_++ == 0) made_.first_unreadable_line_ = number;
      return;
    }
    if (read->is_of_ops_plane) return void(++made_.of_ops_plane_);
    if (!has_no_body(read->method)) return void(++made_.with_body_[shown_method(read->method)]);
    if (read->target.size() >= target_limit_bytes) return void(++made_.cut_);
    const auto row = row_of(*read);
    ++row_sizes_[row];
    const auto status = wanted_status(read->status);
    times_.push_back({read->at_us, read->is_whole_second});
    made_.entries_.push_back({{}, number_of(*std::move(read)), row, status});
  }

  bool is_full() const noexcept { return made_.entries_.size() > replay_log::requests_limit; }

  base::expected<replay_log> finish(const std::string& file, double speed) {
    made_.file_ = file;
    made_.speed_ = speed;
    if (made_.entries_.empty()) {
      const auto left = made_.left_out();
      return base::fail(base::errc::config_invalid,
                        file + " has no request that can be replayed" +
                            (left.empty() ? "" : ": " + left) +
                            ". Use an access log in JSON or in the combined format.");
    }
    sort_by_time(speed);
    bound_rows();
    return std::move(made_);
  }

private:
  struct time {
    std::int64_t us;
    bool is_whole_second;
  };

  std::uint16_t row_of(const logged_request& of) {
    auto name = row_name(of);
    if (const auto known = row_numbers_.find(name); known != row_numbers_.end())
      return known->second;
    // Paths with ids can have any number of names; names beyond the limit share one row from the
    // start.
    constexpr std::size_t names_limit = 10'000;
    if (made_.rows_.size() >= names_limit) name = others;
    const auto number = static_cast<std::uint16_t>(made_.rows_.size());
    const auto [at, is_new] = row_numbers_.try_emplace(name, number);
    if (is_new) {
      made_.rows_.push_back(std::move(name));
      row_sizes_.push_back(0);
    }
    return at->second;
  }

  std::uint32_t number_of(logged_request&& of) {
    replay_log::request made{std::move(of.method), std::move(of.target), std::move(of.client)};
    const auto [at, is_new] =
        request_numbers_.try_emplace(made.method + ' ' + made.target + ' ' + made.client,
                                     static_cast<std::uint32_t>(made_.requests_.size()));
    if (is_new) made_.requests_.push_back(std::move(made));
    return at->second;
  }

  /// Lines are in the order of their responses. Spreads lines with the same whole second over that
  /// second.
  void sort_by_time(double speed) {
    std::vector<std::size_t> order(times_.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::ranges::stable_sort(order, {}, [this](std::size_t i) { return times_[i].us; });
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      const auto first = times_[order[begin]];
      while (end < order.size() && times_[order[end]].us == first.us)
        ++end;
      if (!first.is_whole_second) continue;
      for (std::size_t k = begin; k < end; ++k)
        times_[order[k]].us += static_cast<std::int64_t>((k - begin) * 1'000'000UL / (end - begin));
    }
    std::vector<replay_log::entry> sorted;
    sorted.reserve(order.size());
    const auto first_us = times_[order.front()].us;
    for (const auto i : order) {
      sorted.push_back(made_.entries_[i]);
      // Keeps within the range of nanoseconds, whatever times the log has.
      constexpr double latest_us = 365.0 * 86'400 * 1e6;
      const auto us = std::min(static_cast<double>(times_[i].us - first_us) / speed, latest_us);
      sorted.back().at = std::chrono::nanoseconds{static_cast<std::int64_t>(us * 1'000)};
    }
    made_.entries_ = std::move(sorted);
  }

  /// Merges all rows except those with the most requests into one.
  void bound_rows() {
    if (made_.rows_.size() <= replay_log::rows_limit) return;
    std::vector<std::uint16_t> order(made_.rows_.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<std::uint16_t>(i);
    std::ranges::stable_sort(order, std::greater<>{}, [this](auto i) { return row_sizes_[i]; });
    constexpr auto kept = static_cast<std::uint16_t>(replay_log::rows_limit - 1);
    std::vector<std::uint16_t> numbers(order.size(), kept);
    std::vector<std::string> names;
    // Requests that never had their own row stay in `others`, however many there are.
    std::erase_if(order, [this](auto i) { return made_.rows_[i] == others; });
    for (std::uint16_t i = 0; i < kept; ++i) {
      numbers[order[i]] = i;
      names.push_back(made_.rows_[order[i]]);
    }
    names.emplace_back(others);
    for (auto& each : made_.entries_)
      each.row = numbers[each.row];
    made_.rows_ = std::move(names);
  }

  replay_log made_;
  std::vector<time> times_;
  std::unordered_map<std::string, std::uint16_t> row_numbers_;
  std::vector<std::uint64_t> row_sizes_;
  std::unordered_map<std::string, std::uint32_t> request_numbers_;
};

base::expected<replay_log> replay_log::read(const std::string& file, double speed) {
  auto text = cli::read_bounded_file(file, file_limit_bytes);
  if (!text) return base::fail(base::errc::io_failed, file + " " + text.error().detail);
  if (text->size() > file_limit_bytes)
    return base::fail(base::errc::config_invalid, file + " has more than 1 GiB. Split it.");
  replay_reader reader;
  std::uint64_t number = 0;
  for (std::string_view rest{*text}; !rest.empty();) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) reader.take(line, number);
    if (reader.is_full())
      return base::fail(base::errc::config_invalid, file + " has more than " +
                                                        std::to_string(requests_limit) +
                                                        " requests to send. Split it.");
  }
  return reader.finish(file, speed);
}

std::vector<request_bytes> replay_log::requests(const request_frame& frame) const {
  std::vector<request_bytes> made;
  made.reserve(requests_.size());
  for (const auto& each : requests_) {
    made.push_back(begin_request(frame, each.method, frame.base_path + each.target));
    auto& text = made.back().text;
    if (!each.client.empty()) text.append("X-Forwarded-For: ").append(each.client).append("\r\n");
    text += "\r\n";
  }
  return made;
}

std::string replay_log::left_out() const {
  std::string sentence;
  for (const auto& [method, count] : with_body_)
    list(sentence, count, method + " requests (logs have no bodies)");
  list(sentence, of_ops_plane_, "requests to the ops plane");
  list(sentence, cut_, "requests whose path is cut in the log");
  list(sentence, unreadable_,
       "lines that are not requests, the first in line " + std::to_string(first_unreadable_line_));
  return sentence;
}

} // namespace matchcloud::load
