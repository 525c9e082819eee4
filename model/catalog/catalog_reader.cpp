#include "model/catalog/catalog_reader.hpp"

#include "model/json/exact_numbers.hpp"
#include "model/json/json_document.hpp"
#include "model/json/json_number.hpp"
#include "model/net/host_name.hpp"
#include "model/net/ping_url.hpp"
#include "model/text/catalog_names.hpp"
#include "model/text/unicode.hpp"

#include <rapidjson/error/en.h>

#include <algorithm>

namespace matchcloud::model {

namespace {

std::string_view text_of(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

/// The value found, for an error message.
std::string shown(const rapidjson::Value& value) {
  if (value.IsObject()) return "an object";
  if (value.IsArray()) return "an array";
  if (value.IsString()) return in_quotes(text_of(value));
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

/// Why the document is too costly to parse; empty if it is not. Runs before the parser, whose
/// memory grows with both depth and number of values. For text that is not JSON, the result may be
/// either.
std::optional<std::string> excess_of(std::string_view text) {
  std::size_t depth = 0;
  std::size_t values = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;
      continue;
    }
    const bool opens = c == '[' || c == '{';
    if (opens) ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (opens || c == ',') ++values;
    if (depth > catalog_document_depth_limit)
      return "nests deeper than " + std::to_string(catalog_document_depth_limit) + " levels";
    if (values > catalog_document_value_limit)
      return "has more than " + std::to_string(catalog_document_value_limit) + " values";
  }
  return std::nullopt;
}

std::string line_and_column(std::string_view text, std::size_t offset) {
  const auto at = position_of(text, offset);
  return "line " + std::to_string(at.line) + ", column " + std::to_string(at.column);
}

} // namespace

base::expected<rapidjson::Document>
parse_catalog_json(std::string_view text, std::size_t limit_bytes, std::string_view what) {
  const auto fail = [](std::string detail) {
    return base::fail(base::errc::import_invalid, std::move(detail));
  };
  if (text.size() > limit_bytes)
    return fail(std::string{what} + " has more than " + std::to_string(limit_bytes) + " bytes");
  // The parser treats a NUL byte as the end and would ignore what follows.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    return fail(line_and_column(text, nul) + ": found a NUL byte, expected JSON");
  if (const auto excess = excess_of(text)) return fail(std::string{what} + " " + *excess);
  rapidjson::Document parsed;
  if (const auto result = parse_exactly(parsed, text); result.IsError()) {
    const bool is_word = result.Code() == rapidjson::kParseErrorValueInvalid;
    const auto offset = result.Offset();
    if (const auto mistake = find_number_mistake(text, result.Code(), offset))
      return fail(line_and_column(text, mistake->offset) + ": not JSON: " + mistake->sentence);
    return fail(line_and_column(text, is_word ? word_begin(text, offset) : offset) +
                ": not JSON in UTF-8: " + rapidjson::GetParseError_En(result.Code()));
  }
  return parsed;
}

base::expected<catalog_document> catalog_reader::take() {
  if (!findings_.empty()) return findings_.failure();
  return std::move(document_);
}

void catalog_reader::add(std::string_view at, std::string_view finding) {
  findings_.add(at.empty() ? what_ : at, finding);
}

void catalog_reader::add_found(std::string_view at, const json& value, std::string_view allowed) {
  add(at, "found " + shown(value) + ", expected " + std::string{allowed});
}

/// The members of `value` in the order of `fields`, null if absent; empty if it is not an object.
/// Reports members that are unknown, missing or repeated.
template <std::size_t N>
std::optional<std::array<const rapidjson::Value*, N>>
catalog_reader::members(const json& value, const std::string& at,
                        const std::array<field, N>& fields) {
  if (!value.IsObject()) {
    add_found(at, value, "an object");
    return std::nullopt;
  }
  std::array<const json*, N> found{};
  for (const auto& member : value.GetObject()) {
    const auto known = std::ranges::find(fields, text_of(member.name), &field::name);
    if (known == fields.end()) {
      std::string names;
      for (const auto& each : fields)
        names.append(names.empty() ? "" : ", ").append(each.name);
      add(at, "unknown member " + shown(member.name) + "; allowed: " + names);
      continue;
    }
    auto& slot = found[static_cast<std::size_t>(known - fields.begin())];
    if (slot) add(at, "member " + shown(member.name) + " appears twice; keep one");
    slot = &member.value;
  }
  for (std::size_t i = 0; i < N; ++i)
    if (!found[i] && fields[i].required)
      add(at, "member " + in_quotes(fields[i].name) + " is missing");
  return found;
}

/// Calls `read(element, place)` for the elements of the list at `value`, which may be absent.
template <class Read>
void catalog_reader::each_of(const json* value, const std::string& at, Read read) {
  if (!value) return;
  if (!value->IsArray()) return add_found(at, *value, "an array");
  std::size_t index = 0;
  for (const auto& element : value->GetArray())
    read(element, at + "/" + std::to_string(index++));
}

/// The string at `value` if it is present and `allowed(string)` holds; empty otherwise.
template <class Allowed>
std::string catalog_reader::read_string(const json* value, const std::string& at, Allowed allowed,
                                        std::string_view allowed_text) {
  if (!value) return {};
  if (value->IsString() && allowed(text_of(*value))) return std::string{text_of(*value)};
  add_found(at, *value, allowed_text);
  return {};
}

std::string catalog_reader::read_name(const json* value, const std::string& at) {
  return read_string(value, at, is_name, name_allowed);
}

std::string catalog_reader::read_identifier(const json* value, const std::string& at) {
  return read_string(value, at, is_identifier, identifier_allowed);
}

std::string catalog_reader::read_domain(const json& value, const std::string& at) {
  auto domain = value.IsString() ? to_lower(text_of(value)) : std::string{};
  if (is_host_name(domain)) return domain;
  add_found(at, value,
            "a host name: labels of a-z, 0-9 and - with dots between them, without a scheme, port "
            "or path (international names as xn--)");
  return {};
}

std::optional<uuid> catalog_reader::read_uuid(const json* value, const std::string& at) {
  if (!value) return std::nullopt;
  auto id = value->IsString() ? parse_uuid(text_of(*value)) : std::nullopt;
  if (!id) add_found(at, *value, "a UUID of 36 characters");
  return id;
}

double catalog_reader::read_degrees(const json* value, const std::string& at, double limit) {
  if (!value) return 0;
  const double degrees = value->IsNumber() ? value->GetDouble() : limit + 1;
  if (degrees >= -limit && degrees <= limit) return degrees;
  const auto bound = std::to_string(static_cast<int>(limit));
  add_found(at, *value, "a number of degrees from -" + bound + " to " + bound);
  return 0;
}

std::optional<std::int64_t> catalog_reader::read_days(const json* value, const std::string& at) {
  if (!value) return std::nullopt;
  if (value->IsInt64() && value->GetInt64() >= 0 && value->GetInt64() <= retention_limit_days)
    return value->GetInt64();
  add_found(at, *value,
            "a whole number of days from 0 (forever) to " + std::to_string(retention_limit_days));
  return std::nullopt;
}

coordinates catalog_reader::read_coordinates(const json& value, const std::string& at) {
  static constexpr std::array<field, 2> fields{{{"latitude"}, {"longitude"}}};
  const auto found = members(value, at, fields);
  if (!found) return {};
  const auto [latitude, longitude] = *found;
  return {read_degrees(latitude, at + "/latitude", 90),
          read_degrees(longitude, at + "/longitude", 180)};
}

std::optional<std::vector<std::string>> catalog_reader::read_region_ids(const json* value,
                                                                        const std::string& at) {
  if (!value) return std::nullopt;
  std::vector<std::string> ids;
  first_places places;
  each_of(value, at, [&](const json& element, const std::string& place) {
    ids.push_back(read_identifier(&element, place));
    check_unique(places, ids.back(), place);
  });
  std::ranges::sort(ids);
  return ids;
}

/// Reports `key` if `places` already has it. Ignores empty keys, whose error was already reported.
void catalog_reader::check_unique(first_places& places, const std::string& key,
                                  const std::string& at) {
  if (key.empty()) return;
  const auto [where, is_new] = places.try_emplace(key, at);
  if (!is_new) add(at, in_quotes(key) + " is already at " + where->second + "; keep one");
}

/// Reports an id that is present and well-formed (`found` is not empty) but differs from `named`.
void catalog_reader::check_agrees(const json* id, const std::string& at, const std::string& found,
                                  const element_key& named) {
  if (!id || found.empty() || found == named.text()) return;
  add_found(at, *id, in_quotes(named.text()) + ", as in the request, or no id");
}

void catalog_reader::read_document(const json& root) {
  static constexpr std::array<field, 3> fields{
      {{"regions", false}, {"tiers", false}, {"games", false}}};
  const auto found = members(root, "", fields);
  if (!found) return;
  const auto [regions, tiers, games] = *found;
  each_of(regions, "/regions",
          [&](const json& value, const std::string& at) { read_region(value, at, nullptr); });
  each_of(tiers, "/tiers",
          [&](const json& value, const std::string& at) { read_tier(value, at, nullptr); });
  each_of(games, "/games", [&](const json& value, const std::string& at) { read_game(value, at); });
}

void catalog_reader::read_element(const json& root, const element_key& named) {
  switch (named.kind()) {
  case element_kind::region: return read_region(root, "", &named);
  case element_kind::tier: return read_tier(root, "", &named);
  case element_kind::game: return read_single_game(root, named);
  case element_kind::game_namespace: return read_single_namespace(root, named);
  }
}

void catalog_reader::read_region(const json& value, const std::string& at,
                                 const element_key* named) {
  const std::array<field, 5> fields{{{"region_id", named == nullptr},
                                     {"region_display_name"},
                                     {"provider_display_name"},
                                     {"datacenter_coord"},
                                     {"ping_url", false}}};
  const auto found = members(value, at, fields);
  if (!found) return;
  const auto [id, name, provider, coord, ping_url] = *found;
  region result;
  result.region_id = read_identifier(id, at + "/region_id");
  result.region_display_name = read_name(name, at + "/region_display_name");
  result.provider_display_name = read_name(provider, at + "/provider_display_name");
  if (coord) result.datacenter_coord = read_coordinates(*coord, at + "/datacenter_coord");
  result.ping_url = read_string(ping_url, at + "/ping_url", is_ping_url,
                                "an https URL of at most 2048 characters, without a user name or "
                                "fragment (http for an address of this machine)");
  check_unique(regions_, result.region_id, at + "/region_id");
  if (named) {
    check_agrees(id, at + "/region_id", result.region_id, *named);
    result.region_id = named->text();
  }
  document_.regions.push_back(std::move(result));
}

void catalog_reader::read_tier(const json& value, const std::string& at, const element_key* named) {
  auto tier = read_identifier(&value, at);
  check_unique(tiers_, tier, at);
  if (named) check_agrees(&value, at, tier, *named);
  document_.tiers.push_back(std::move(tier));
}

void catalog_reader::read_game(const json& value, const std::string& at) {
  static constexpr std::array<field, 4> fields{
      {{"game_id"}, {"display_name"}, {"retention_days", false}, {"namespaces", false}}};
  const auto found = members(value, at, fields);
  if (!found) return;
  const auto [id, name, days, namespaces] = *found;
  const auto game_id = read_uuid(id, at + "/game_id");
  if (game_id) check_unique(games_, to_string(*game_id), at + "/game_id");
  document_.games.push_back({game_id.value_or(uuid{}), read_name(name, at + "/display_name"),
                             read_days(days, at + "/retention_days")});
  each_of(namespaces, at + "/namespaces", [&](const json& element, const std::string& place) {
    read_namespace(element, place, game_id.value_or(uuid{}));
  });
}

// Does not accept `namespaces`, which are elements of their own.
void catalog_reader::read_single_game(const json& value, const element_key& named) {
  static constexpr std::array<field, 3> fields{
      {{"game_id", false}, {"display_name"}, {"retention_days", false}}};
  const auto found = members(value, "", fields);
  if (!found) return;
  const auto [id, name, days] = *found;
  const auto game_id = read_uuid(id, "/game_id");
  if (game_id) check_agrees(id, "/game_id", to_string(*game_id), named);
  document_.games.push_back(
      {named.uuid(), read_name(name, "/display_name"), read_days(days, "/retention_days")});
}

void catalog_reader::read_namespace(const json& value, const std::string& at, const uuid& game_id) {
  static constexpr std::array<field, 4> fields{
      {{"namespace_id"}, {"name"}, {"domains", false}, {"regions", false}}};
  const auto found = members(value, at, fields);
  if (!found) return;
  const auto [id, name, domains, regions] = *found;
  game_namespace result;
  const auto namespace_id = read_uuid(id, at + "/namespace_id");
  if (namespace_id) check_unique(namespaces_, to_string(*namespace_id), at + "/namespace_id");
  result.namespace_id = namespace_id.value_or(uuid{});
  result.game_id = game_id;
  result.name = read_name(name, at + "/name");
  read_lists(result, domains, regions, at);
  document_.namespaces.push_back(std::move(result));
}

void catalog_reader::read_single_namespace(const json& value, const element_key& named) {
  static constexpr std::array<field, 5> fields{
      {{"namespace_id", false}, {"game_id"}, {"name"}, {"domains", false}, {"regions", false}}};
  const auto found = members(value, "", fields);
  if (!found) return;
  const auto [id, game_id, name, domains, regions] = *found;
  const auto namespace_id = read_uuid(id, "/namespace_id");
  if (namespace_id) check_agrees(id, "/namespace_id", to_string(*namespace_id), named);
  game_namespace result;
  result.namespace_id = named.uuid();
  result.game_id = read_uuid(game_id, "/game_id").value_or(uuid{});
  result.name = read_name(name, "/name");
  read_lists(result, domains, regions, "");
  document_.namespaces.push_back(std::move(result));
}

void catalog_reader::read_lists(game_namespace& into, const json* domains, const json* regions,
                                const std::string& at) {
  each_of(domains, at + "/domains", [&](const json& element, const std::string& place) {
    into.domains.push_back(read_domain(element, place));
    check_unique(domains_, into.domains.back(), place);
  });
  into.regions = read_region_ids(regions, at + "/regions");
  std::ranges::sort(into.domains);
}

} // namespace matchcloud::model
