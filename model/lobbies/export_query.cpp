#include "model/lobbies/export_query.hpp"

#include "model/json/json_document.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"
#include "model/validation/object_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

namespace matchcloud::model {

namespace {

constexpr std::string_view body_name = "The body";
constexpr std::array<std::string_view, 2> member_names{"query_start", "query_end"};

constexpr integer_range unsigned_64_bit{0, std::numeric_limits<std::uint64_t>::max(),
                                        "an unsigned 64-bit integer"};

/// Advice for a time that was written as text.
std::string time_advice(const object_reader& reader, const json_node& node) {
  const auto ms =
      node.kind == json_kind::string ? parse_timestamp(reader.text(node)) : std::nullopt;
  if (!ms) return {};
  return "As milliseconds since 1970 that time is " + std::to_string(*ms) + ".";
}

/// The time in a member; empty if it is wrong, with a finding added.
std::optional<std::uint64_t> read_time(object_reader& reader, std::string_view name) {
  if (!reader.has(name)) {
    reader.require(name, value_type::integer);
    return std::nullopt;
  }
  return reader.member(name, [&](const json_node& node) -> std::optional<std::uint64_t> {
    if (node.kind == json_kind::null) {
      reader.require(name, value_type::integer, true);
      return std::nullopt;
    }
    const auto time = reader.integer(name, node, unsigned_64_bit);
    if (const auto advice = time_advice(reader, node); !advice.empty()) reader.add(advice);
    return time;
  });
}

std::string wrong_order(const time_span& span) {
  return in_backticks(member_names[0]) + " (" + std::to_string(span.begin) + ") is later than " +
         in_backticks(member_names[1]) + " (" + std::to_string(span.end) +
         "). Write the earlier time, in milliseconds since 1970, as " +
         in_backticks(member_names[0]) + ".";
}

} // namespace

base::expected<csv_dialect> parse_csv_dialect(std::string_view name) {
  const auto found = std::ranges::find(csv_dialect_names, name);
  if (found != csv_dialect_names.end())
    return static_cast<csv_dialect>(found - csv_dialect_names.begin());
  return base::fail(base::errc::query_invalid,
                    "`csv` is " + quoted_excerpt(name) +
                        ", which is not a CSV dialect. Allowed: `exact`, `excel`.");
}

base::expected<time_span> read_export_span(std::string_view body, const export_body_rules& rules) {
  const auto document = json_document::parse_object(body, rules.depth_limit);
  if (!document) return tl::unexpected(document.error());
  object_reader reader{*document, body_name, member_names};
  const auto begin = read_time(reader, member_names[0]);
  const auto end = read_time(reader, member_names[1]);
  if (begin && end && *begin > *end) reader.add(wrong_order({*begin, *end}));
  if (!rules.ignores_unknown_members) reader.name_unknown();
  if (!reader.findings().empty()) return base::fail(base::errc::query_invalid, reader.findings());
  return time_span{*begin, *end};
}

} // namespace matchcloud::model
