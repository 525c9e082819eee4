#include "load/arrivals.hpp"

#include "base/characters.hpp"
#include "base/failure.hpp"
#include "cli/bounded_input.hpp"
#include "load/requests/table_reader.hpp"
#include "load/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace matchcloud::load {

arrivals::shape arrivals::shape::times(double factor) const {
  auto made = *this;
  made.rate *= factor;
  for (auto& each : made.stages) {
    each.from *= factor;
    each.to *= factor;
  }
  return made;
}

arrivals::arrivals(const shape& of, double phase, std::uint64_t seed)
    : kind_{of.kind}, engine_{seed}, expected_{phase} {
  const auto seconds = [](std::chrono::nanoseconds length) {
    return std::chrono::duration<double>{length}.count();
  };
  if (of.ramp.count() > 0)
    append(0, of.stages.empty() ? of.rate : of.stages.front().from, seconds(of.ramp));
  for (const auto& each : of.stages)
    append(each.from, each.to, seconds(each.length));
  const auto last = of.stages.empty() ? of.rate : of.stages.back().to;
  append(last, last, std::numeric_limits<double>::infinity());
}

arrivals::arrivals(std::vector<std::chrono::nanoseconds> times) : times_{std::move(times)} {}

void arrivals::append(double from, double to, double seconds) {
  span made;
  if (!spans_.empty()) {
    made.begin = ends_;
    made.before = spans_.back().until;
  }
  made.rate = from;
  made.slope = std::isinf(seconds) ? 0 : (to - from) / seconds;
  // If the last stage ends at rate 0, no request follows it.
  made.until = made.before + (from + to == 0 ? 0 : (from + to) / 2 * seconds);
  ends_ = made.begin + seconds;
  spans_.push_back(made);
}

std::chrono::nanoseconds arrivals::next() {
  if (times_) return next_time_ < times_->size() ? (*times_)[next_time_++] : never;
  if (kind_ == arrival_kind::poisson) {
    // A Poisson process with a changing rate has rate 1 on the axis of expected requests.
    expected_ += distance_(engine_);
    return when(expected_);
  }
  const auto now = when(expected_);
  expected_ += 1;
  return now;
}

std::chrono::nanoseconds arrivals::when(double expected) {
  while (current_ < spans_.size() && expected >= spans_[current_].until)
    ++current_;
  if (current_ == spans_.size()) return never;
  const auto& in = spans_[current_];
  const double more = expected - in.before;
  // The root of rate * t + slope / 2 * t^2 = more, in the form that loses no digits and also works
  // without a slope.
  const double root =
      in.slope == 0 ? in.rate : std::sqrt(std::max(0.0, in.rate * in.rate + 2 * in.slope * more));
  const double within = more == 0 ? 0 : 2 * more / (in.rate + root);
  // At a rate near 0, the next request may be due later than nanoseconds can express.
  constexpr double latest = std::chrono::duration<double>{never}.count();
  const double at = in.begin + within;
  return at < latest ? std::chrono::nanoseconds{static_cast<std::int64_t>(at * 1e9)} : never;
}

namespace {

constexpr std::size_t stages_limit_bytes = 256UL * 1024;
constexpr const char* how_to_write = "Write RATE:DURATION or FROM..TO:DURATION, such as 5k:30s or "
                                     "1k..5k:30s.";

[[noreturn]] void refuse_stages(const std::string& what) {
  throw base::failure{base::errc::config_invalid, what};
}

/// A number from 0 to `rate_limit`, with `k` or `M` for thousands and millions.
std::optional<double> parse_rate(std::string_view text) {
  double rate = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), rate);
  const std::string_view unit{end, text.data() + text.size()};
  if (code != std::errc{} || !(unit.empty() || unit == "k" || unit == "M")) return std::nullopt;
  rate *= unit == "k" ? 1e3 : unit == "M" ? 1e6 : 1;
  return std::isfinite(rate) && rate >= 0 && rate <= rate_limit ? std::optional{rate}
                                                                : std::nullopt;
}

/// Reads `5k` or `1k..5k` into a stage. Returns whether it is one.
bool take_rates(std::string_view text, rate_stage& to) {
  const auto dots = text.find("..");
  const auto from = parse_rate(base::trimmed(text.substr(0, dots)));
  const auto end =
      dots == std::string_view::npos ? from : parse_rate(base::trimmed(text.substr(dots + 2)));
  if (!from || !end) return false;
  to.from = *from;
  to.to = *end;
  return true;
}

bool take_length(std::string_view text, rate_stage& to) {
  const auto length = parse_duration(text);
  if (!length || length->count() == 0) return false;
  to.length = *length;
  return true;
}

rate_stage parse_stage(std::string_view text) {
  const auto wrong = [text](const std::string& why) {
    refuse_stages("\"" + std::string{text} + "\" " + why + " " + how_to_write);
  };
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) wrong("has no duration.");
  rate_stage made;
  made.name = text;
  if (!take_rates(base::trimmed(text.substr(0, colon)), made))
    wrong("does not begin with a rate from 0 to 10M.");
  if (!take_length(base::trimmed(text.substr(colon + 1)), made))
    wrong("does not end with a duration greater than 0.");
  return made;
}

std::vector<rate_stage> checked(std::vector<rate_stage> stages) {
  if (stages.empty()) refuse_stages("there are no stages. " + std::string{how_to_write});
  if (stages.size() > stages_limit)
    refuse_stages("there are " + std::to_string(stages.size()) + " stages. At most " +
                  std::to_string(stages_limit) + " are allowed.");
  if (peak_of(stages) == 0)
    refuse_stages("all stages have the rate 0. Give one of them a higher rate.");
  if (length_of(stages) > std::chrono::days{1})
    refuse_stages("the stages take more than a day together. Shorten them.");
  return stages;
}

std::vector<rate_stage> parse_stages(std::string_view text) {
  std::vector<rate_stage> stages;
  while (!text.empty()) {
    const auto end = text.find_first_of(",\n");
    const auto part = base::trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!part.empty()) stages.push_back(parse_stage(part));
  }
  return checked(std::move(stages));
}

/// Reads a table [[stage]] of a file.
rate_stage read_stage(const table_reader& reader, const toml::table& table) {
  rate_stage made;
  bool has_rate = false;
  for (const auto& [key, node] : table) {
    const auto number = node.value<double>();
    const auto text = number ? fixed(*number, 3) : node.value_or(std::string{});
    if (key == "name") {
      made.name = text;
    } else if (key == "rate") {
      has_rate = take_rates(text, made);
    } else if (key != "duration") {
      reader.refuse(node, "there is no `" + std::string{key.str()} +
                              "`. A stage can have: name, rate, duration.");
    } else if (!take_length(text, made)) {
      reader.refuse(node, "`duration` must be greater than 0, such as \"30s\".");
    }
  }
  if (!has_rate)
    reader.refuse(table,
                  "a stage needs a `rate` from 0 to 10M, such as 500, \"5k\" or \"1k..5k\".");
  if (made.length.count() == 0)
    reader.refuse(table, "a stage needs a `duration`, such as \"30s\".");
  if (made.name.empty())
    made.name = fixed(made.from, 0) + (made.from == made.to ? "" : ".." + fixed(made.to, 0));
  return made;
}

std::vector<rate_stage> read_tables(const std::string& file, const toml::table& document) {
  for (const auto& [key, node] : document)
    if (key != "stage" && key != "stages")
      refuse_stages("there is no `" + std::string{key.str()} +
                    "`. Write [[stage]] tables, or stages = \"1k:10s, 5k:30s\".");
  if (const auto in_one = document["stages"].value<std::string>()) return parse_stages(*in_one);
  const auto* const tables = document["stage"].as_array();
  if (tables == nullptr || !tables->is_homogeneous<toml::table>())
    refuse_stages("has no stages. Write [[stage]] tables, or stages = \"1k:10s\".");
  std::vector<rate_stage> stages;
  for (const auto& node : *tables)
    stages.push_back(read_stage(table_reader{file}, *node.as_table()));
  return checked(std::move(stages));
}

} // namespace

std::vector<rate_stage> read_stages(const std::string& text_or_file) {
  if (text_or_file.empty() || text_or_file.find(':') != std::string::npos)
    return parse_stages(text_or_file);
  auto text = cli::read_bounded_file(text_or_file, stages_limit_bytes);
  if (!text)
    throw base::failure{base::errc::io_failed, text_or_file + " " + text.error().detail +
                                                   ". To give stages without a file, write "
                                                   "RATE:DURATION."};
  if (text->size() > stages_limit_bytes) refuse_stages(text_or_file + " has more than 256 KiB");
  const auto document = base::value_of(cli::parse_toml(*text, text_or_file));
  try {
    return read_tables(text_or_file, document);
  } catch (const base::failure& why) {
    // Those of a table have it already.
    const std::string detail = why.what();
    if (detail.starts_with(text_or_file)) throw;
    refuse_stages(text_or_file + ": " + detail);
  }
}

std::chrono::nanoseconds length_of(const std::vector<rate_stage>& stages) noexcept {
  std::chrono::nanoseconds sum{0};
  for (const auto& each : stages)
    sum += each.length;
  return sum;
}

double peak_of(const std::vector<rate_stage>& stages) noexcept {
  double peak = 0;
  for (const auto& each : stages)
    peak = std::max({peak, each.from, each.to});
  return peak;
}

} // namespace matchcloud::load
