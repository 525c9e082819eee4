#include "model/catalog_document.hpp"

#include "model/catalog_names.hpp"
#include "model/json_document.hpp"
#include "model/problem_list.hpp"
#include "model/unicode.hpp"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

namespace matchcloud::model {

namespace {

using json = rapidjson::Value;

/// Code points of a wrong value that an error message repeats.
constexpr std::size_t shown_limit = 64;
/// RFC 1035 section 2.3.4, without the trailing dot.
constexpr std::size_t host_name_limit_bytes = 253;
constexpr std::size_t host_label_limit_bytes = 63;

std::string_view text_of(const json& value) {
  return {value.GetString(), value.GetStringLength()};
}

constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// In quotes, with what cannot be seen made visible, shortened where it is long.
std::string quoted(std::string_view text) {
  return '"' + printable_excerpt(text, shown_limit) + '"';
}

/// What was found, for an error message.
std::string shown(const json& value) {
  if (value.IsObject()) return "an object";
  if (value.IsArray()) return "an array";
  if (value.IsString()) return quoted(text_of(value));
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

bool is_host_label(std::string_view label) {
  return !label.empty() && label.size() <= host_label_limit_bytes && label.front() != '-' &&
         label.back() != '-' &&
         std::ranges::all_of(label, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

/// A host name as RFC 1123 section 2.1 allows it, in lower case. Dotted IPv4 passes too.
bool is_host_name(std::string_view text) {
  if (text.size() > host_name_limit_bytes) return false;
  while (true) {
    const auto dot = text.find('.');
    if (!is_host_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

/// What makes the document too costly to parse, or nothing. Runs before the parser, whose memory
/// would grow with both the depth and the values. On text that is not JSON it may say either.
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

struct field {
  std::string_view name;
  bool required = true;
};

/// Walks the parsed document, collects what it holds and everything that is wrong with it.
class document_reader {
public:
  base::expected<catalog_document> read(const json& root) {
    read_root(root);
    if (!problems_.empty()) return problems_.failure();
    return std::move(document_);
  }

private:
  /// Where each value that must be unique was first seen.
  using first_places = std::unordered_map<std::string, std::string>;

  void add(std::string_view at, std::string_view problem) {
    problems_.add(at.empty() ? "the document" : at, problem);
  }

  void add_found(std::string_view at, const json& value, std::string_view allowed) {
    add(at, "found " + shown(value) + ", allowed is " + std::string{allowed});
  }

  /// The members of `value` in the order of `fields`, null where absent; nothing if it is not an
  /// object. Reports members that are unknown, missing or there twice.
  template <std::size_t N>
  std::optional<std::array<const json*, N>> members(const json& value, const std::string& at,
                                                    const std::array<field, N>& fields) {
    if (!value.IsObject()) {
      add_found(at, value, "an object");
      return std::nullopt;
    }
    std::array<const json*, N> found{};
    for (const auto& member : value.GetObject()) {
      const auto known = std::ranges::find(fields, text_of(member.name), &field::name);
      if (known == fields.end()) {
        add(at, "unknown member " + shown(member.name) + ", allowed are " + names_of(fields));
        continue;
      }
      auto& slot = found[static_cast<std::size_t>(known - fields.begin())];
      if (slot) add(at, "member " + shown(member.name) + " is there twice, allowed is once");
      slot = &member.value;
    }
    for (std::size_t i = 0; i < N; ++i)
      if (!found[i] && fields[i].required) add(at, "member " + quoted(fields[i].name) + " missing");
    return found;
  }

  template <std::size_t N>
  static std::string names_of(const std::array<field, N>& fields) {
    std::string text;
    for (const auto& each : fields)
      text.append(text.empty() ? "" : ", ").append(each.name);
    return text;
  }

  /// Calls `read(element, place)` for the elements of the list at `value`, which may be absent.
  template <class Read>
  void each_of(const json* value, const std::string& at, Read read) {
    if (!value) return;
    if (!value->IsArray()) return add_found(at, *value, "an array");
    std::size_t index = 0;
    for (const auto& element : value->GetArray())
      read(element, at + "/" + std::to_string(index++));
  }

  /// The string at `value` if it is there and `allowed(string)`, else empty.
  template <class Allowed>
  std::string read_string(const json* value, const std::string& at, Allowed allowed,
                          std::string_view allowed_text) {
    if (!value) return {};
    if (value->IsString() && allowed(text_of(*value))) return std::string{text_of(*value)};
    add_found(at, *value, allowed_text);
    return {};
  }

  std::string read_name(const json* value, const std::string& at) {
    return read_string(value, at, is_name, name_allowed);
  }

  std::string read_identifier(const json* value, const std::string& at) {
    return read_string(value, at, is_identifier, identifier_allowed);
  }

  std::string read_domain(const json& value, const std::string& at) {
    std::string domain = value.IsString() ? std::string{text_of(value)} : std::string{};
    std::ranges::transform(domain, domain.begin(), to_lower);
    if (is_host_name(domain)) return domain;
    add_found(at, value,
              "a host name: labels of a-z 0-9 - with dots between, without scheme, port and path "
              "(international names as xn--)");
    return {};
  }

  std::optional<uuid> read_uuid(const json* value, const std::string& at) {
    if (!value) return std::nullopt;
    auto id = value->IsString() ? parse_uuid(text_of(*value)) : std::nullopt;
    if (!id) add_found(at, *value, "a UUID of 36 characters");
    return id;
  }

  double read_degrees(const json* value, const std::string& at, double limit) {
    if (!value) return 0;
    const double degrees = value->IsNumber() ? value->GetDouble() : limit + 1;
    if (degrees >= -limit && degrees <= limit) return degrees;
    const auto bound = std::to_string(static_cast<int>(limit));
    add_found(at, *value, "a number of degrees from -" + bound + " to " + bound);
    return 0;
  }

  /// Reports `key` if `places` has it already. Empty keys stand for what was reported before.
  void check_unique(first_places& places, const std::string& key, const std::string& at) {
    if (key.empty()) return;
    const auto [where, is_new] = places.try_emplace(key, at);
    if (!is_new) add(at, quoted(key) + " is at " + where->second + " already, allowed is once");
  }

  void read_root(const json& root) {
    static constexpr std::array<field, 3> fields{
        {{"regions", false}, {"tiers", false}, {"games", false}}};
    const auto found = members(root, "", fields);
    if (!found) return;
    const auto [regions, tiers, games] = *found;
    each_of(regions, "/regions",
            [&](const json& value, const std::string& at) { read_region(value, at); });
    each_of(tiers, "/tiers",
            [&](const json& value, const std::string& at) { read_tier(value, at); });
    each_of(games, "/games",
            [&](const json& value, const std::string& at) { read_game(value, at); });
  }

  void read_region(const json& value, const std::string& at) {
    static constexpr std::array<field, 4> fields{
        {{"region_id"}, {"region_display_name"}, {"provider_display_name"}, {"datacenter_coord"}}};
    const auto found = members(value, at, fields);
    if (!found) return;
    const auto [id, name, provider, coord] = *found;
    region result;
    result.region_id = read_identifier(id, at + "/region_id");
    result.region_display_name = read_name(name, at + "/region_display_name");
    result.provider_display_name = read_name(provider, at + "/provider_display_name");
    if (coord) result.datacenter_coord = read_coordinates(*coord, at + "/datacenter_coord");
    check_unique(regions_, result.region_id, at + "/region_id");
    document_.regions.push_back(std::move(result));
  }

  coordinates read_coordinates(const json& value, const std::string& at) {
    static constexpr std::array<field, 2> fields{{{"latitude"}, {"longitude"}}};
    const auto found = members(value, at, fields);
    if (!found) return {};
    const auto [latitude, longitude] = *found;
    return {read_degrees(latitude, at + "/latitude", 90),
            read_degrees(longitude, at + "/longitude", 180)};
  }

  void read_tier(const json& value, const std::string& at) {
    auto tier = read_identifier(&value, at);
    check_unique(tiers_, tier, at);
    document_.tiers.push_back(std::move(tier));
  }

  void read_game(const json& value, const std::string& at) {
    static constexpr std::array<field, 3> fields{
        {{"game_id"}, {"display_name"}, {"namespaces", false}}};
    const auto found = members(value, at, fields);
    if (!found) return;
    const auto [id, name, namespaces] = *found;
    const auto game_id = read_uuid(id, at + "/game_id");
    if (game_id) check_unique(games_, to_string(*game_id), at + "/game_id");
    document_.games.push_back({game_id.value_or(uuid{}), read_name(name, at + "/display_name")});
    each_of(namespaces, at + "/namespaces", [&](const json& element, const std::string& place) {
      read_namespace(element, place, game_id.value_or(uuid{}));
    });
  }

  void read_namespace(const json& value, const std::string& at, const uuid& game_id) {
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
    each_of(domains, at + "/domains", [&](const json& element, const std::string& place) {
      result.domains.push_back(read_domain(element, place));
      check_unique(domains_, result.domains.back(), place);
    });
    result.regions = read_region_ids(regions, at + "/regions");
    std::ranges::sort(result.domains);
    document_.namespaces.push_back(std::move(result));
  }

  std::optional<std::vector<std::string>> read_region_ids(const json* value,
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

  catalog_document document_;
  problem_list problems_;
  first_places regions_;
  first_places tiers_;
  first_places games_;
  first_places namespaces_;
  first_places domains_;
};

} // namespace

base::expected<catalog_document> parse_catalog_document(std::string_view text) {
  using base::errc;
  if (text.size() > catalog_document_limit_bytes)
    return base::fail(errc::import_invalid, "the document has more than " +
                                                std::to_string(catalog_document_limit_bytes) +
                                                " bytes");
  // The parser takes a NUL byte for the end and would ignore what follows.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    return base::fail(errc::import_invalid,
                      line_and_column(text, nul) + ": found a NUL byte, allowed is JSON");
  if (const auto excess = excess_of(text))
    return base::fail(errc::import_invalid, "the document " + *excess);
  constexpr unsigned flags = rapidjson::kParseIterativeFlag |
                             rapidjson::kParseValidateEncodingFlag |
                             rapidjson::kParseFullPrecisionFlag;
  rapidjson::Document parsed;
  parsed.Parse<flags>(text.data(), text.size());
  if (parsed.HasParseError())
    return base::fail(errc::import_invalid,
                      line_and_column(text, parsed.GetErrorOffset()) + ": not JSON in UTF-8: " +
                          rapidjson::GetParseError_En(parsed.GetParseError()));
  return document_reader{}.read(parsed);
}

} // namespace matchcloud::model
