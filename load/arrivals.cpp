#include "load/arrivals.hpp"

#include "base/characters.hpp"
#include "base/failure.hpp"
#include "cli/bounded_input.hpp"
#include "load/requests/table_reader.hpp"
#include "load/text.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
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

namespace {

constexpr std::size_t stages_limit_bytes = 256UL * 1024;
constexpr const char* how_to_write = "Write RATE:DURATION or FROM..TO:DURATION, such as 5k:30s or "
                                     "1k..5k:30s.";

[[noreturn]] void refuse_stages(const std::string& what) {
  throw base::failure{base::errc::config_invalid, what};
}

/// A number from 0 to `rate_limit`, with `k` or `M` for thousands and millions.
std::optional<double> parse_rate(std::string_view text) {
  text = base::trimmed(text);
  const double unit = text.ends_with('k') ? 1e3 : text.ends_with('M') ? 1e6 : 1;
  if (unit > 1) text.remove_suffix(1);
  const double rate = parse_number(text).value_or(-1) * unit;
  return rate >= 0 && rate <= rate_limit ? std::optional{rate} : std::nullopt;
}

/// Reads `5k` or `1k..5k` into a stage. Returns whether it is one.
bool take_rates(std::string_view text, rate_stage& to) {
  const auto dots = text.find("..");
  const auto from = parse_rate(text.substr(0, dots));
  const auto end = dots == std::string_view::npos ? from : parse_rate(text.substr(dots + 2));
  to.from = from.value_or(0);
  to.to = end.value_or(0);
  return from && end;
}

bool take_length(std::string_view text, rate_stage& to) {
  to.length = parse_duration(base::trimmed(text)).value_or(to.length);
  return to.length.count() > 0;
}

rate_stage parse_stage(std::string_view text) {
  const auto wrong = [text](const char* why) {
    refuse_stages(fmt::format("\"{}\" {} {}", text, why, how_to_write));
  };
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) wrong("has no duration.");
  rate_stage made{std::string{text}};
  if (!take_rates(text.substr(0, colon), made)) wrong("does not begin with a rate from 0 to 10M.");
  if (!take_length(text.substr(colon + 1), made))
    wrong("does not end with a duration greater than 0.");
  return made;
}

std::vector<rate_stage> checked(std::vector<rate_stage> stages) {
  if (stages.empty()) refuse_stages("there are no stages. " + std::string{how_to_write});
  if (stages.size() > stages_limit)
    refuse_stages(
        fmt::format("there are {} stages. At most {} are allowed.", stages.size(), stages_limit));
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
      reader.refuse_key(node, key, "name, rate, duration");
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
