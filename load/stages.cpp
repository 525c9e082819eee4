#include "load/stages.hpp"

#include "base/characters.hpp"
#include "cli/bounded_input.hpp"
#include "cli/toml_document.hpp"
#include "load/duration.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace matchcloud::load {

namespace {

constexpr std::size_t stages_limit_bytes = 256UL * 1024;
constexpr std::string_view how_to_write = "Write RATE:DURATION or FROM..TO:DURATION, such as "
                                          "5k:30s or 1k..5k:30s.";

tl::unexpected<base::error> refuse(const std::string& what) {
  return base::fail(base::errc::config_invalid, what);
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

base::expected<rate_stage> parse_stage(std::string_view text) {
  const auto wrong = [text](std::string_view why) {
    return refuse("\"" + std::string{text} + "\" " + std::string{why} + " " +
                  std::string{how_to_write});
  };
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong("has no duration.");
  rate_stage made;
  made.name = text;
  if (!take_rates(base::trimmed(text.substr(0, colon)), made))
    return wrong("does not begin with a rate from 0 to 10M.");
  if (!take_length(base::trimmed(text.substr(colon + 1)), made))
    return wrong("does not end with a duration greater than 0.");
  return made;
}

base::expected<std::vector<rate_stage>> checked(std::vector<rate_stage> stages) {
  if (stages.empty()) return refuse("there are no stages. " + std::string{how_to_write});
  if (stages.size() > stages_limit)
    return refuse("there are " + std::to_string(stages.size()) + " stages. At most " +
                  std::to_string(stages_limit) + " are allowed.");
  if (peak_of(stages) == 0)
    return refuse("all stages have the rate 0. Give one of them a higher rate.");
  if (length_of(stages) > std::chrono::days{1})
    return refuse("the stages take more than a day together. Shorten them.");
  return stages;
}

/// Reads a table [[stage]] of a file.
base::expected<rate_stage> read_stage(const std::string& file, const toml::table& table) {
  const auto wrong = [&](const toml::node& at, const std::string& why) {
    return refuse(file + ":" + std::to_string(at.source().begin.line) + ": " + why);
  };
  rate_stage made;
  bool has_rate = false;
  for (const auto& [key, node] : table) {
    const auto number = node.value<double>();
    const auto text = number ? fixed(*number, 3) : node.value_or(std::string{});
    if (key.str() == "name")
      made.name = text;
    else if (key.str() == "rate")
      has_rate = take_rates(text, made);
    else if (key.str() == "duration") {
      if (!take_length(text, made))
        return wrong(node, "`duration` must be greater than 0, such as \"30s\".");
    } else
      return wrong(node, "there is no `" + std::string{key.str()} +
                             "`. A stage can have: name, rate, duration.");
  }
  if (!has_rate)
    return wrong(table, "a stage needs a `rate` from 0 to 10M, such as 500, \"5k\" or \"1k..5k\".");
  if (made.length.count() == 0) return wrong(table, "a stage needs a `duration`, such as \"30s\".");
  if (made.name.empty())
    made.name = fixed(made.from, 0) + (made.from == made.to ? "" : ".." + fixed(made.to, 0));
  return made;
}

base::expected<std::vector<rate_stage>> read_file(const std::string& file) {
  auto text = cli::read_bounded_file(file, stages_limit_bytes);
  if (!text)
    return base::fail(base::errc::io_failed, file + " " + text.error().detail +
                                                 ". To give stages without a file, write "
                                                 "RATE:DURATION.");
  if (text->size() > stages_limit_bytes) return refuse(file + " has more than 256 KiB");
  const auto document = cli::parse_toml(*text, file);
  if (!document) return tl::unexpected(document.error());
  for (const auto& [key, node] : *document)
    if (key.str() != "stage" && key.str() != "stages")
      return refuse(file + ": there is no `" + std::string{key.str()} +
                    "`. Write [[stage]] tables, or stages = \"1k:10s, 5k:30s\".");
  if (const auto in_one = (*document)["stages"].value<std::string>()) {
    auto parsed = parse_stages(*in_one);
    return parsed ? std::move(parsed) : refuse(file + ": " + parsed.error().detail);
  }
  const auto* const tables = (*document)["stage"].as_array();
  if (tables == nullptr)
    return refuse(file + " has no stages. Write [[stage]] tables, or stages = \"1k:10s\".");
  std::vector<rate_stage> stages;
  for (const auto& node : *tables) {
    const auto* const table = node.as_table();
    if (table == nullptr) return refuse(file + ": `stage` must be tables: [[stage]].");
    auto one = read_stage(file, *table);
    if (!one) return tl::unexpected(one.error());
    stages.push_back(*std::move(one));
  }
  auto all = checked(std::move(stages));
  return all ? std::move(all) : refuse(file + ": " + all.error().detail);
}

} // namespace

base::expected<std::vector<rate_stage>> parse_stages(std::string_view text) {
  std::vector<rate_stage> stages;
  while (!text.empty()) {
    const auto end = text.find_first_of(",\n");
    const auto part = base::trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (part.empty()) continue;
    auto one = parse_stage(part);
    if (!one) return tl::unexpected(one.error());
    stages.push_back(*std::move(one));
  }
  return checked(std::move(stages));
}

base::expected<std::vector<rate_stage>> read_stages(const std::string& text_or_file) {
  if (text_or_file.empty() || text_or_file.find(':') != std::string::npos)
    return parse_stages(text_or_file);
  return read_file(text_or_file);
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
