#include "model/regions/measured_latency.hpp"

#include "base/characters.hpp"
#include "model/json/json_number.hpp"
#include "model/text/catalog_names.hpp"
#include "model/text/unicode.hpp"
#include "model/validation/object_reader.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace matchcloud::model {

namespace {

constexpr std::string_view rtt_example = "Use rtt=lon:23,fra:31.5: region ids and milliseconds.";
constexpr std::size_t number_limit_bytes = 16;

tl::unexpected<base::error> refuse(std::string_view element, const std::string& why) {
  return base::fail(base::errc::query_invalid,
                    fmt::format("{} in rtt {}. {}", quoted_excerpt(element), why, rtt_example));
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
                  fmt::format("does not begin with a region id, which has {}", identifier_allowed));
  const auto milliseconds = parse_milliseconds(element.substr(colon + 1));
  if (!milliseconds)
    return refuse(element, fmt::format("needs milliseconds after the colon, such as 23 or 31.5, in "
                                       "at most {} characters",
                                       number_limit_bytes));
  if (*milliseconds > latency_limit_ms)
    return refuse(element,
                  fmt::format("is more than {:.0f} milliseconds; leave out regions that did "
                              "not answer",
                              latency_limit_ms));
  return measured_latency{std::string{element.substr(0, colon)}, *milliseconds};
}

} // namespace

base::expected<std::vector<measured_latency>> read_measured_latencies(std::string_view text) {
  std::vector<measured_latency> all;
  if (text.empty()) return all;
  for (;;) {
    const auto comma = text.find(',');
    if (all.size() == measured_limit)
      return base::fail(
          base::errc::query_invalid,
          fmt::format("rtt has more than {} regions. Send the nearest ones.", measured_limit));
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

namespace {

constexpr std::array<std::string_view, 1> latency_body_members{"latencies"};
constexpr std::size_t findings_limit = 10;

/// What is wrong with a region and its milliseconds; empty if nothing is.
std::string mistake_in(const json_document& in, const json_node& member,
                       std::optional<double> milliseconds) {
  if (!is_identifier(in.name(member)))
    return fmt::format("is not a region id; use {}", identifier_allowed);
  if (member.repeated) return "appears twice; keep one";
  if (member.kind != json_kind::number) return "must be a number of milliseconds, such as 23.1";
  if (!milliseconds || *milliseconds < 0 || *milliseconds > latency_limit_ms)
    return fmt::format("is {}, but must be 0 to 60000 milliseconds; leave out regions that did not "
                       "answer",
                       quoted_excerpt(in.text(member)));
  return {};
}

} // namespace

std::vector<measured_latency> read_latencies(const json_document& in, const json_node& object,
                                             std::string_view path, std::string& findings) {
  std::vector<measured_latency> all;
  const auto say = [&](std::string_view about, const std::string& what) {
    findings += fmt::format("{}{}{}.", findings.empty() ? "" : " ", about, what);
  };
  if (object.kind != json_kind::object) {
    say(path, " must be an object of region ids and milliseconds, such as {\"lon\": 23.1}");
    return all;
  }
  if (object.count > measured_limit) {
    say(path, fmt::format(" has {} regions, but at most {} are accepted; send the nearest ones",
                          object.count, measured_limit));
    return all;
  }
  std::size_t wrong = 0;
  in.for_each_in(object, [&](const json_node& member) {
    const auto milliseconds =
        member.kind == json_kind::number ? nearest_double(in.text(member)) : std::nullopt;
    if (const auto mistake = mistake_in(in, member, milliseconds); !mistake.empty()) {
      if (++wrong > findings_limit) return;
      say(path, fmt::format(" has {}, which {}", quoted_excerpt(in.name(member)), mistake));
      return;
    }
    all.push_back({std::string{in.name(member)}, *milliseconds});
  });
  std::ranges::sort(all, {}, &measured_latency::region_id);
  return all;
}

base::expected<std::vector<measured_latency>> read_latency_body(std::string_view body,
                                                                std::size_t depth_limit) {
  const auto document = json_document::parse_object(body, depth_limit);
  if (!document) return tl::unexpected(document.error());
  object_reader reader{*document, "The body", latency_body_members};
  std::vector<measured_latency> all;
  std::string findings;
  if (!reader.has(latency_body_members[0]))
    reader.require(latency_body_members[0], value_type::object);
  else
    reader.member(latency_body_members[0], [&](const json_node& node) -> std::optional<bool> {
      all = read_latencies(*document, node, "`latencies`", findings);
      return true;
    });
  if (!findings.empty()) reader.add(findings);
  reader.name_unknown();
  if (reader.findings().empty() && all.empty())
    reader.add("`latencies` is empty. Add at least one region: {\"latencies\": {\"lon\": 23.1}}.");
  if (!reader.findings().empty()) return base::fail(base::errc::query_invalid, reader.findings());
  return all;
}

} // namespace matchcloud::model
