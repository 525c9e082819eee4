#include "model/regions/latency_body.hpp"

#include "model/json/exact_numbers.hpp"
#include "model/text/catalog_names.hpp"
#include "model/text/unicode.hpp"
#include "model/validation/object_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace matchcloud::model {

namespace {

constexpr std::array<std::string_view, 1> latency_body_members{"latencies"};
constexpr std::size_t findings_limit = 10;

/// What is wrong with a region and its milliseconds; empty if nothing is.
std::string mistake_in(const json_document& in, const json_node& member,
                       std::optional<double> milliseconds) {
  if (!is_identifier(in.name(member)))
    return "is not a region id; use " + std::string{identifier_allowed};
  if (member.repeated) return "appears twice; keep one";
  if (member.kind != json_kind::number) return "must be a number of milliseconds, such as 23.1";
  if (!milliseconds || *milliseconds < 0 || *milliseconds > latency_limit_ms)
    return "is " + quoted_excerpt(in.text(member)) +
           ", but must be 0 to 60000 milliseconds; leave out regions that did not answer";
  return {};
}

} // namespace

std::vector<measured_latency> read_latencies(const json_document& in, std::uint32_t object,
                                             std::string_view path, std::string& findings) {
  std::vector<measured_latency> all;
  const auto say = [&](std::string_view about, const std::string& what) {
    if (!findings.empty()) findings += ' ';
    findings.append(about).append(what).append(".");
  };
  const auto& root = in.node(object);
  if (root.kind != json_kind::object) {
    say(path, " must be an object of region ids and milliseconds, such as {\"lon\": 23.1}");
    return all;
  }
  if (root.count > measured_limit) {
    say(path, " has " + std::to_string(root.count) + " regions, but at most " +
                  std::to_string(measured_limit) + " are accepted; send the nearest ones");
    return all;
  }
  std::size_t wrong = 0;
  for (std::uint32_t at = object + 1; at < root.next; at = in.node(at).next) {
    const auto& member = in.node(at);
    const auto milliseconds =
        member.kind == json_kind::number ? nearest_double(in.text(member)) : std::nullopt;
    if (const auto mistake = mistake_in(in, member, milliseconds); !mistake.empty()) {
      if (++wrong > findings_limit) continue;
      say(std::string{path} + " has " + quoted_excerpt(in.name(member)) + ", which ", mistake);
      continue;
    }
    all.push_back({std::string{in.name(member)}, *milliseconds});
  }
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
      const auto index = static_cast<std::uint32_t>(&node - &document->root());
      all = read_latencies(*document, index, "`latencies`", findings);
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
