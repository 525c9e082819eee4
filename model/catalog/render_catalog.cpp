#include "model/catalog/catalog_element.hpp"
#include "model/json/json_writer.hpp"

namespace matchcloud::model {

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
