#include "store/exports/export_about.hpp"

#include "model/json/json_document.hpp"
#include "model/json/json_writer.hpp"
#include "model/text/exact_integer.hpp"

#include <optional>
#include <utility>

namespace matchcloud::store {

namespace {

using model::json_document;
using model::json_kind;

constexpr std::uint32_t members = 6;

/// Each `read` returns false and leaves `into` unchanged if the member is missing or invalid.
bool read(const json_document& from, std::string_view name, model::uuid& into) {
  const auto id = model::parse_uuid(from.member_text(name));
  if (id) into = *id;
  return id.has_value();
}

template <class Integer>
bool read(const json_document& from, std::string_view name, Integer& into) {
  const auto* found = from.find_member(name, json_kind::number);
  const auto number = found ? model::read_integer(from.text(*found)) : std::nullopt;
  if (!number || number->too_large || (number->negative && number->magnitude > 0) ||
      !std::in_range<Integer>(number->magnitude))
    return false;
  into = static_cast<Integer>(number->magnitude);
  return true;
}

} // namespace

tl::unexpected<base::error> damaged_export(std::string detail) {
  return base::fail(base::errc::store_failed, std::move(detail));
}

std::string render_about(const export_about& about) {
  const auto& facts = about.facts;
  model::json_writer json;
  json.object().name("export_id").text(model::to_string(facts.export_id));
  json.name("game_id").text(model::to_string(facts.query.game_id));
  json.name("query_start").number(facts.query.span.begin);
  json.name("query_end").number(facts.query.span.end);
  json.name("keep_until_ts").number(facts.keep_until_ts);
  json.name("csv_bytes").number(about.csv_bytes);
  // Written only if it is not `exact`: versions without dialects wrote none and meant that.
  if (const auto as = facts.query.dialect; as != model::csv_dialect::exact)
    json.name("csv").text(model::csv_dialect_names[static_cast<std::size_t>(as)]);
  json.end_object();
  return json.take() + "\n";
}

base::expected<export_about> parse_about(std::string_view text) {
  const auto document = json_document::parse(text, 1);
  if (!document) return damaged_export(document.error().detail);
  const auto& root = document->root();
  const auto* dialect = document->find_member("csv", json_kind::string);
  if (root.kind != json_kind::object || root.count != members + (dialect != nullptr ? 1 : 0))
    return damaged_export("expected an object of " + std::to_string(members) + " members");
  export_about about;
  auto& [id, query, keep_until_ts] = about.facts;
  if (!read(*document, "export_id", id)) return damaged_export("expected an id as \"export_id\"");
  if (!read(*document, "game_id", query.game_id))
    return damaged_export("expected an id as \"game_id\"");
  if (!read(*document, "query_start", query.span.begin) ||
      !read(*document, "query_end", query.span.end) || query.span.begin > query.span.end)
    return damaged_export("expected integers as \"query_start\" and \"query_end\", in that order");
  if (dialect != nullptr) {
    const auto as = model::parse_csv_dialect(document->text(*dialect));
    if (!as) return damaged_export("expected a dialect as \"csv\"");
    query = {query.game_id, query.span, *as};
  }
  if (!read(*document, "keep_until_ts", keep_until_ts))
    return damaged_export("expected milliseconds since 1970 as \"keep_until_ts\"");
  if (!read(*document, "csv_bytes", about.csv_bytes))
    return damaged_export("expected an integer as \"csv_bytes\"");
  return about;
}

} // namespace matchcloud::store
