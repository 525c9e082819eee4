#include "model/regions/measured_latency.hpp"

#include "base/characters.hpp"
#include "model/text/catalog_names.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace matchcloud::model {

namespace {

constexpr std::string_view example = "Use rtt=lon:23,fra:31.5: region ids and milliseconds.";
constexpr std::size_t number_limit_bytes = 16;

tl::unexpected<base::error> refuse(std::string_view element, const std::string& why) {
  return base::fail(base::errc::query_invalid,
                    quoted_excerpt(element) + " in rtt " + why + ". " + std::string{example});
}

/// Parses digits, optionally with a fraction: no sign, no exponent, no spaces.
std::optional<double> parse_milliseconds(std::string_view text) noexcept {
  if (text.empty() || text.size() > number_limit_bytes || !base::is_digit(text.front()) ||
      !base::is_digit(text.back()))
    return std::nullopt;
  double value = 0;
  const auto [end, status] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

base::expected<measured_latency> read_element(std::string_view element) {
  if (element.empty()) return refuse(element, "is an empty element; remove the comma next to it");
  const auto colon = element.find(':');
  if (colon == std::string_view::npos || colon == 0)
    return refuse(element, "is not a region id and milliseconds with a colon between them");
  if (!is_identifier(element.substr(0, colon)))
    return refuse(element,
                  "does not begin with a region id, which has " + std::string{identifier_allowed});
  const auto milliseconds = parse_milliseconds(element.substr(colon + 1));
  if (!milliseconds)
    return refuse(element, "needs milliseconds after the colon, such as 23 or 31.5, in at most " +
                               std::to_string(number_limit_bytes) + " characters");
  if (*milliseconds > latency_limit_ms)
    return refuse(element, "is more than " + std::to_string(int(latency_limit_ms)) +
                               " milliseconds; leave out regions that did not answer");
  return measured_latency{std::string{element.substr(0, colon)}, *milliseconds};
}

} // namespace

base::expected<std::vector<measured_latency>> read_measured_latencies(std::string_view text) {
  std::vector<measured_latency> all;
  if (text.empty()) return all;
  for (;;) {
    const auto comma = text.find(',');
    if (all.size() == measured_limit)
      return base::fail(base::errc::query_invalid, "rtt has more than " +
                                                       std::to_string(measured_limit) +
                                                       " regions. Send the nearest ones.");
    auto element = read_element(text.substr(0, comma));
    if (!element) return tl::unexpected(std::move(element).error());
    all.push_back(*std::move(element));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::ranges::sort(all, {}, &measured_latency::region_id);
  const auto twice = std::ranges::adjacent_find(all, {}, &measured_latency::region_id);
  if (twice != all.end()) return refuse(twice->region_id, "appears twice");
  return all;
}

std::vector<std::size_t> order_by_latency(std::span<const std::string_view> region_ids,
                                          std::span<const measured_latency> measured) {
  std::vector<std::pair<double, std::size_t>> first;
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < region_ids.size(); ++i) {
    const auto found =
        std::ranges::lower_bound(measured, region_ids[i], {}, &measured_latency::region_id);
    if (found != measured.end() && found->region_id == region_ids[i])
      first.emplace_back(found->milliseconds, i);
    else
      rest.push_back(i);
  }
  if (first.empty()) return {};
  std::ranges::sort(first); // equal latencies by index
  std::vector<std::size_t> order;
  order.reserve(region_ids.size());
  for (const auto& [latency, place] : first)
    order.push_back(place);
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

} // namespace matchcloud::model
