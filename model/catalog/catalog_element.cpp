#include "model/catalog/catalog_element.hpp"

#include "model/text/catalog_names.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::model {

namespace {

constexpr bool has_uuid(element_kind kind) {
  return kind == element_kind::game || kind == element_kind::game_namespace;
}

base::expected<catalog_element> copied(const auto* found, const element_key& key) {
  if (found) return *found;
  return base::fail(base::errc::element_not_found, "The catalog has no " + key.describe() + ".");
}

} // namespace

std::string_view name_of(element_kind kind) noexcept {
  auto name = plural_of(kind);
  name.remove_suffix(1);
  return name;
}

std::string_view plural_of(element_kind kind) noexcept {
  switch (kind) {
  case element_kind::region: return "regions";
  case element_kind::tier: return "tiers";
  case element_kind::game: return "games";
  case element_kind::game_namespace: return "namespaces";
  }
  return "elements";
}

std::optional<element_kind> parse_plural(std::string_view text) noexcept {
  for (const auto kind : element_kinds)
    if (plural_of(kind) == text) return kind;
  return std::nullopt;
}

base::expected<element_key> element_key::parse(element_kind kind, std::string_view id) {
  if (has_uuid(kind)) {
    if (const auto parsed = parse_uuid(id)) return element_key{kind, to_string(*parsed), *parsed};
  } else if (is_identifier(id)) {
    return element_key{kind, std::string{id}, {}};
  }
  return base::fail(
      base::errc::id_malformed,
      "\"" + printable_excerpt(id) + "\" is not a valid " + std::string{name_of(kind)} +
          " id, expected " +
          (has_uuid(kind) ? "a UUID of 36 characters" : std::string{identifier_allowed}));
}

std::string element_key::describe() const {
  auto described = std::string{name_of(kind_)} + " ";
  if (has_uuid(kind_)) return described + text_;
  return described + "\"" + text_ + "\"";
}

catalog_document document_of(catalog_element one) {
  struct {
    catalog_document document;
    void operator()(region&& each) { document.regions.push_back(std::move(each)); }
    void operator()(std::string&& each) { document.tiers.push_back(std::move(each)); }
    void operator()(game&& each) { document.games.push_back(std::move(each)); }
    void operator()(game_namespace&& each) { document.namespaces.push_back(std::move(each)); }
  } sorting;
  std::visit(sorting, std::move(one));
  return std::move(sorting.document);
}

base::expected<catalog_element> find_element(const catalog& in, const element_key& key) {
  switch (key.kind()) {
  case element_kind::region: return copied(in.find_region(key.text()), key);
  case element_kind::game: return copied(in.find_game(key.uuid()), key);
  case element_kind::game_namespace: return copied(in.find_namespace(key.uuid()), key);
  case element_kind::tier: break;
  }
  const bool has_tier = std::ranges::binary_search(in.tiers, key.text());
  return copied(has_tier ? &key.text() : nullptr, key);
}

} // namespace matchcloud::model
