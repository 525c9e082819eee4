#include "model/catalog/catalog_element.hpp"

#include "base/decimal.hpp"
#include "model/json/json_document.hpp"
#include "model/json/json_fields.hpp"
#include "model/json/json_number.hpp"
#include "model/net/host_name.hpp"
#include "model/net/http_url.hpp"
#include "model/records/finding_list.hpp"
#include "model/text/catalog_names.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

namespace matchcloud::model {

namespace {

/// Parses JSON in UTF-8 of at most `limit_bytes`, within the depth and value limits of a catalog
/// document. `what` names the text in errors. Fails with `import_invalid`.
base::expected<json_document> parse_catalog_json(std::string_view text, std::size_t limit_bytes,
                                                 std::string_view what) {
  const auto fail = [](std::string detail) {
    return base::fail(base::errc::import_invalid, std::move(detail));
  };
  if (text.size() > limit_bytes)
    return fail(std::string{what} + " has more than " + std::to_string(limit_bytes) + " bytes");
  const auto skipped = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  json_document parsed;
  const auto error = parsed.import(
      text.substr(skipped), {"text", catalog_document_depth_limit, catalog_document_value_limit});
  if (!error) return parsed;
  if (error->code == base::errc::body_too_deep)
    return fail(std::string{what} + " nests deeper than " +
                std::to_string(catalog_document_depth_limit) + " levels");
  if (error->code == base::errc::body_too_large)
    return fail(std::string{what} + " has more than " +
                std::to_string(catalog_document_value_limit) + " values");
  const auto offset = error->offset + skipped;
  const auto at = position_of(text, offset);
  const bool is_nul = offset < text.size() && text[offset] == '\0';
  return fail("line " + std::to_string(at.line) + ", column " + std::to_string(at.column) +
              (is_nul ? ": " : ": not JSON in UTF-8: ") + error->sentence);
}

/// Reads catalog elements and collects all findings. Whole documents and single elements share its
/// rules and messages.
class catalog_reader {
public:
  /// `what` names the JSON text in findings that have no place inside it. `named` is the single
  /// element that the text must be, whose id may be omitted; null: a document.
  catalog_reader(const json_document& json, std::string_view what, const element_key* named)
      : json_{json}, what_{what}, named_{named} {}

  /// The elements read, or `import_invalid` with every finding.
  base::expected<catalog_document> read() {
    const value root{&json_.root(), ""};
    if (!named_)
      read_document(root);
    else
      read_element(root, named_->kind());
    if (!findings_.empty()) return findings_.failure();
    return std::move(document_);
  }

private:
  /// A value and its place, as a JSON pointer. `node` is null if a member is absent.
  struct value {
    const json_node* node = nullptr;
    std::string at;
  };
  /// The place where each unique value first occurred.
  using first_places = std::unordered_map<std::string, std::string>;

  void add(const std::string& at, std::string_view finding) {
    findings_.add(at.empty() ? what_ : at, finding);
  }

  void add_found(const value& of, std::string_view allowed) {
    std::string shown{kind_name(of.node->kind)};
    if (of.node->kind == json_kind::string)
      shown = in_quotes(json_.text(*of.node));
    else if (of.node->kind == json_kind::number || of.node->kind == json_kind::boolean)
      shown = printable_excerpt(json_.text(*of.node));
    add(of.at, "found " + shown + ", expected " + std::string{allowed});
  }

  /// The members of an object in the order of `fields`; empty if it is not an object. Reports
  /// members that are unknown, missing or repeated.
  template <std::size_t N>
  std::optional<std::array<value, N>> members(const value& of,
                                              const std::array<json_field, N>& fields) {
    if (of.node->kind != json_kind::object) {
      add_found(of, "an object");
      return std::nullopt;
    }
    std::array<value, N> found;
    json_.for_each_in(*of.node, [&](const json_node& member) {
      const auto name = json_.name(member);
      const auto known = std::ranges::find_if(
          fields, [name](const json_field& each) { return each.known && each.name == name; });
      if (known == fields.end())
        return add(of.at, "unknown member " + in_quotes(name) + "; allowed: " + names_of(fields));
      auto& slot = found[static_cast<std::size_t>(known - fields.begin())];
      if (slot.node) add(of.at, "member " + in_quotes(name) + " appears twice; keep one");
      slot.node = &member;
    });
    for (std::size_t i = 0; i < N; ++i) {
      found[i].at = of.at + "/" + std::string{fields[i].name};
      if (!found[i].node && fields[i].required)
        add(of.at, "member " + in_quotes(fields[i].name) + " is missing");
    }
    return found;
  }

  /// Calls `read(element)` for the elements of a list, which may be absent.
  template <class Read>
  void each_of(const value& list, Read read) {
    if (!list.node) return;
    if (list.node->kind != json_kind::array) return add_found(list, "an array");
    std::size_t index = 0;
    json_.for_each_in(*list.node, [&](const json_node& element) {
      read(value{&element, list.at + "/" + std::to_string(index++)});
    });
  }

  /// The text of a value if it is of that kind; empty otherwise.
  std::string_view text_of(const value& of, json_kind kind = json_kind::string) const {
    return of.node->kind == kind ? json_.text(*of.node) : std::string_view{};
  }

  /// The string that is present and allowed; empty otherwise.
  std::string read_string(const value& of, bool (&is_allowed)(std::string_view),
                          std::string_view allowed) {
    if (!of.node) return {};
    if (const auto text = text_of(of); is_allowed(text)) return std::string{text};
    add_found(of, allowed);
    return {};
  }

  std::string read_name(const value& of) { return read_string(of, is_name, name_allowed); }

  std::string read_identifier(const value& of) {
    return read_string(of, is_identifier, identifier_allowed);
  }

  std::string read_domain(const value& of) {
    auto domain = to_lower(text_of(of));
    if (is_host_name(domain)) return domain;
    add_found(of, "a host name: labels of a-z, 0-9 and - with dots between them, without a scheme, "
                  "port or path (international names as xn--)");
    return {};
  }

  std::optional<uuid> read_uuid(const value& of) {
    if (!of.node) return std::nullopt;
    auto id = parse_uuid(text_of(of));
    if (!id) add_found(of, "a UUID of 36 characters");
    return id;
  }

  double read_degrees(const value& of, double limit) {
    if (!of.node) return 0;
    const auto degrees =
        of.node->kind == json_kind::number ? nearest_double(json_.text(*of.node)) : std::nullopt;
    if (degrees && *degrees >= -limit && *degrees <= limit) return *degrees;
    const auto bound = std::to_string(static_cast<int>(limit));
    add_found(of, "a number of degrees from -" + bound + " to " + bound);
    return 0;
  }

  std::optional<std::int64_t> read_days(const value& of) {
    if (!of.node) return std::nullopt;
    const auto days = base::parse_decimal<std::int64_t>(text_of(of, json_kind::number));
    if (days && *days >= 0 && *days <= retention_limit_days) return days;
    add_found(of,
              "a whole number of days from 0 (forever) to " + std::to_string(retention_limit_days));
    return std::nullopt;
  }

  /// Reports a key if `places` already has it. Ignores empty keys, whose error was reported.
  void check_unique(first_places& places, const std::string& key, const std::string& at) {
    if (key.empty()) return;
    const auto [where, is_new] = places.try_emplace(key, at);
    if (!is_new) add(at, in_quotes(key) + " is already at " + where->second + "; keep one");
  }

  /// The id of an element: `found` if the element is not named, which must be unique. Reports an id
  /// that is well-formed (`found` is not empty) but differs from the named one.
  std::string identify(const value& id, std::string found, first_places& places) {
    check_unique(places, found, id.at);
    if (!named_) return found;
    if (id.node && !found.empty() && found != named_->text())
      add_found(id, in_quotes(named_->text()) + ", as in the request, or no id");
    return named_->text();
  }

  uuid identify(const value& id, first_places& places) {
    const auto found = read_uuid(id);
    identify(id, found ? to_string(*found) : std::string{}, places);
    return named_ ? named_->uuid() : found.value_or(uuid{});
  }

  void read_document(const value& root) {
    static constexpr std::array<json_field, 3> fields{
        {{"regions", false}, {"tiers", false}, {"games", false}}};
    const auto found = members(root, fields);
    if (!found) return;
    const auto& [regions, tiers, games] = *found;
    each_of(regions, [&](const value& each) { read_region(each); });
    each_of(tiers, [&](const value& each) { read_tier(each); });
    each_of(games, [&](const value& each) { read_game(each); });
  }

  void read_element(const value& root, element_kind kind) {
    switch (kind) {
    case element_kind::region: return read_region(root);
    case element_kind::tier: return read_tier(root);
    case element_kind::game: return read_game(root);
    case element_kind::game_namespace: return read_namespace(root, {});
    }
  }

  void read_region(const value& of) {
    const std::array<json_field, 5> fields{{{"region_id", named_ == nullptr},
                                            {"region_display_name"},
                                            {"provider_display_name"},
                                            {"datacenter_coord"},
                                            {"ping_url", false}}};
    const auto found = members(of, fields);
    if (!found) return;
    const auto& [id, name, provider, coord, ping_url] = *found;
    region result;
    result.region_id = identify(id, read_identifier(id), regions_);
    result.region_display_name = read_name(name);
    result.provider_display_name = read_name(provider);
    if (coord.node) result.datacenter_coord = read_coordinates(coord);
    result.ping_url = read_string(ping_url, is_ping_url,
                                  "an https URL of at most 2048 characters, without a user name or "
                                  "fragment (http for an address of this machine)");
    document_.regions.push_back(std::move(result));
  }

  coordinates read_coordinates(const value& of) {
    static constexpr std::array<json_field, 2> fields{{{"latitude"}, {"longitude"}}};
    const auto found = members(of, fields);
    if (!found) return {};
    const auto& [latitude, longitude] = *found;
    return {read_degrees(latitude, 90), read_degrees(longitude, 180)};
  }

  void read_tier(const value& of) {
    document_.tiers.push_back(identify(of, read_identifier(of), tiers_));
  }

  // A single game does not accept `namespaces`, which are elements of their own.
  void read_game(const value& of) {
    const std::array<json_field, 4> fields{{{"game_id", named_ == nullptr},
                                            {"display_name"},
                                            {"retention_days", false},
                                            {"namespaces", false, named_ == nullptr}}};
    const auto found = members(of, fields);
    if (!found) return;
    const auto& [id, name, days, namespaces] = *found;
    const auto game_id = identify(id, games_);
    document_.games.push_back({game_id, read_name(name), read_days(days)});
    each_of(namespaces, [&](const value& each) { read_namespace(each, game_id); });
  }

  // A single namespace names its game, the others are in it.
  void read_namespace(const value& of, const uuid& around) {
    const bool is_single = named_ != nullptr;
    const std::array<json_field, 5> fields{{{"namespace_id", !is_single},
                                            {"game_id", is_single, is_single},
                                            {"name"},
                                            {"domains", false},
                                            {"regions", false}}};
    const auto found = members(of, fields);
    if (!found) return;
    const auto& [id, game, name, domains, regions] = *found;
    game_namespace made;
    made.namespace_id = identify(id, namespaces_);
    made.game_id = read_uuid(game).value_or(around);
    made.name = read_name(name);
    each_of(domains, [&](const value& each) {
      made.domains.push_back(read_domain(each));
      check_unique(domains_, made.domains.back(), each.at);
    });
    std::ranges::sort(made.domains);
    if (regions.node) {
      auto& ids = made.regions.emplace();
      first_places places;
      each_of(regions, [&](const value& each) {
        ids.push_back(read_identifier(each));
        check_unique(places, ids.back(), each.at);
      });
      std::ranges::sort(ids);
    }
    document_.namespaces.push_back(std::move(made));
  }

  const json_document& json_;
  std::string_view what_;
  const element_key* named_;
  catalog_document document_;
  finding_list findings_;
  first_places regions_;
  first_places tiers_;
  first_places games_;
  first_places namespaces_;
  first_places domains_;
};

base::expected<catalog_document> read_catalog(std::string_view text, std::size_t limit_bytes,
                                              std::string_view what, const element_key* named) {
  const auto parsed = parse_catalog_json(text, limit_bytes, what);
  if (!parsed) return tl::unexpected(parsed.error());
  return catalog_reader{*parsed, what, named}.read();
}

} // namespace

base::expected<catalog_document> parse_catalog_document(std::string_view text) {
  return read_catalog(text, catalog_document_limit_bytes, "the document", nullptr);
}

base::expected<catalog_element> parse_element(const element_key& key, std::string_view text) {
  if (key.kind() == element_kind::tier && text.empty()) return catalog_element{key.text()};
  const auto what = "the " + std::string{name_of(key.kind())};
  auto read = read_catalog(text, element_limit_bytes, what, &key);
  if (!read) return tl::unexpected(read.error());
  switch (key.kind()) {
  case element_kind::region: return std::move(read->regions.front());
  case element_kind::tier: return std::move(read->tiers.front());
  case element_kind::game: return std::move(read->games.front());
  case element_kind::game_namespace: return std::move(read->namespaces.front());
  }
  return base::fail(base::errc::internal, "an element of no kind");
}

} // namespace matchcloud::model
