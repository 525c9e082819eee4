#include "model/catalog/catalog_element.hpp"

#include "model/json/json_writer.hpp"
#include "model/text/catalog_names.hpp"
#include "model/text/counts.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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

namespace {

/// The most references to an element that an error names.
constexpr std::size_t named_limit = 10;

bool refers(const game_namespace& each, const element_key& to) {
  if (to.kind() == element_kind::game) return each.game_id == to.uuid();
  return to.kind() == element_kind::region && each.regions &&
         std::ranges::binary_search(*each.regions, to.text());
}

/// Fails with `still_referred` if a namespace refers to `key`.
base::expected<void> check_unreferred(const catalog& in, const element_key& key) {
  std::size_t count = 0;
  std::string named;
  for (const auto& each : in.namespaces) {
    if (!refers(each, key) || ++count > named_limit) continue;
    named.append(count == 1 ? "" : ", ")
        .append(quoted_excerpt(each.name))
        .append(" (" + to_string(each.namespace_id) + ")");
  }
  if (count == 0) return {};
  if (count > named_limit) named += " and " + std::to_string(count - named_limit) + " more";
  const bool is_game = key.kind() == element_kind::game;
  auto detail = key.describe() + (is_game ? " has " : " is listed by ") +
                counted(count, "namespace") + ": " + named + ". ";
  detail += is_game ? "Remove them first."
                    : "First remove it from their regions, or remove the namespaces.";
  return base::fail(base::errc::still_referred, std::move(detail));
}

void erase(catalog& from, const element_key& key) {
  switch (key.kind()) {
  case element_kind::region:
    std::erase_if(from.regions, [&](const region& r) { return r.region_id == key.text(); });
    return;
  case element_kind::tier: std::erase(from.tiers, key.text()); return;
  case element_kind::game:
    std::erase_if(from.games, [&](const game& g) { return g.game_id == key.uuid(); });
    return;
  case element_kind::game_namespace:
    std::erase_if(from.namespaces,
                  [&](const game_namespace& n) { return n.namespace_id == key.uuid(); });
  }
}

} // namespace

base::expected<catalog> without(const catalog& current, const element_key& key) {
  if (const auto found = find_element(current, key); !found) return tl::unexpected(found.error());
  if (auto unreferred = check_unreferred(current, key); !unreferred)
    return tl::unexpected(unreferred.error());
  catalog result = current;
  erase(result, key);
  result.index_domains();
  ++result.revision;
  return result;
}

namespace {

/// Writes an element as JSON, by its kind.
struct element_writer {
  json_writer json;

  void operator()(const region& each) {
    json.object().name("region_id").text(each.region_id);
    json.name("region_display_name").text(each.region_display_name);
    json.name("provider_display_name").text(each.provider_display_name);
    json.name("datacenter_coord").object();
    json.name("latitude").raw(shortest(each.datacenter_coord.latitude));
    json.name("longitude").raw(shortest(each.datacenter_coord.longitude));
    json.end_object();
    if (!each.ping_url.empty()) json.name("ping_url").text(each.ping_url);
    json.end_object();
  }

  void operator()(const std::string& tier) { json.text(tier); }

  void operator()(const game& each) {
    json.object().name("game_id").text(to_string(each.game_id));
    json.name("display_name").text(each.display_name);
    if (each.retention_days) json.name("retention_days").number(*each.retention_days);
    json.end_object();
  }

  void operator()(const game_namespace& each) {
    json.object().name("namespace_id").text(to_string(each.namespace_id));
    json.name("game_id").text(to_string(each.game_id)).name("name").text(each.name);
    json.name("domains");
    list(each.domains);
    if (each.regions) {
      json.name("regions");
      list(*each.regions);
    }
    json.end_object();
  }

  template <class T>
  void list(const std::vector<T>& elements) {
    json.array();
    for (const auto& each : elements)
      (*this)(each);
    json.end_array();
  }

private:
  static std::string shortest(double number) {
    std::string text;
    append_shortest(text, number);
    return text;
  }
};

} // namespace

std::string render_element(const catalog_element& one) {
  element_writer writer;
  std::visit(writer, one);
  return writer.json.take();
}

std::string render_elements(const catalog& of, element_kind kind) {
  element_writer writer;
  writer.json.object().name(plural_of(kind));
  switch (kind) {
  case element_kind::region: writer.list(of.regions); break;
  case element_kind::tier: writer.list(of.tiers); break;
  case element_kind::game: writer.list(of.games); break;
  case element_kind::game_namespace: writer.list(of.namespaces); break;
  }
  return writer.json.name("revision").number(of.revision).end_object().take();
}

} // namespace matchcloud::model
