#include "model/catalog/catalog_change.hpp"

#include "model/json/json_writer.hpp"

namespace matchcloud::model {

namespace {

/// The only element that a document names; empty if it names none or several.
std::optional<element_key> only_element(const catalog_document& doc) {
  if (doc.regions.size() + doc.tiers.size() + doc.games.size() + doc.namespaces.size() != 1)
    return std::nullopt;
  const auto key = [&] {
    if (!doc.regions.empty())
      return element_key::parse(element_kind::region, doc.regions.front().region_id);
    if (!doc.tiers.empty()) return element_key::parse(element_kind::tier, doc.tiers.front());
    if (!doc.games.empty())
      return element_key::parse(element_kind::game, to_string(doc.games.front().game_id));
    return element_key::parse(element_kind::game_namespace,
                              to_string(doc.namespaces.front().namespace_id));
  }();
  return key ? std::optional{*key} : std::nullopt;
}

std::string subject_of(const element_key& key) {
  return std::string{plural_of(key.kind())} + "/" + key.text();
}

std::string rendered(const catalog& in, const element_key& key) {
  const auto found = find_element(in, key);
  return found ? render_element(*found) : std::string{};
}

std::string revision_of(const catalog& of) {
  return json_writer{}.object().name("revision").number(of.revision).end_object().take();
}

} // namespace

audit_change describe_import(const catalog& before, const catalog& after,
                             const catalog_document& doc) {
  if (const auto key = only_element(doc))
    return {audit_action::catalog_put, subject_of(*key), rendered(before, *key),
            rendered(after, *key)};
  json_writer json;
  json.object().name("regions").number(doc.regions.size());
  json.name("tiers").number(doc.tiers.size()).name("games").number(doc.games.size());
  json.name("namespaces").number(doc.namespaces.size());
  json.name("revision").number(after.revision).end_object();
  return {audit_action::catalog_import, {}, revision_of(before), json.take()};
}

audit_change describe_removal(const catalog& before, const element_key& key) {
  return {audit_action::catalog_remove, subject_of(key), rendered(before, key), {}};
}

} // namespace matchcloud::model
