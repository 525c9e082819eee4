#include "model/catalog/catalog_element.hpp"
#include "model/json/json_text.hpp"

namespace matchcloud::model {

namespace {

/// Appends JSON of elements.
struct element_writer {
  std::string& out;

  void operator()(const region& each) const {
    member("{\"region_id\":", each.region_id);
    member(",\"region_display_name\":", each.region_display_name);
    member(",\"provider_display_name\":", each.provider_display_name);
    out += ",\"datacenter_coord\":{\"latitude\":";
    append_shortest(out, each.datacenter_coord.latitude);
    out += ",\"longitude\":";
    append_shortest(out, each.datacenter_coord.longitude);
    out += "}}";
  }

  void operator()(const std::string& tier) const { append_json_string(out, tier); }

  void operator()(const game& each) const {
    member("{\"game_id\":", to_string(each.game_id));
    member(",\"display_name\":", each.display_name);
    out += '}';
  }

  void operator()(const game_namespace& each) const {
    member("{\"namespace_id\":", to_string(each.namespace_id));
    member(",\"game_id\":", to_string(each.game_id));
    member(",\"name\":", each.name);
    out += ",\"domains\":";
    list(each.domains);
    if (each.regions) {
      out += ",\"regions\":";
      list(*each.regions);
    }
    out += '}';
  }

  template <class T>
  void list(const std::vector<T>& elements) const {
    out += '[';
    for (const auto& each : elements) {
      if (&each != elements.data()) out += ',';
      (*this)(each);
    }
    out += ']';
  }

private:
  void member(std::string_view prefix, std::string_view text) const {
    out += prefix;
    append_json_string(out, text);
  }
};

} // namespace

std::string render_element(const catalog_element& one) {
  std::string text;
  std::visit(element_writer{text}, one);
  return text;
}

std::string render_elements(const catalog& of, element_kind kind) {
  auto text = "{\"" + std::string{plural_of(kind)} + "\":";
  const element_writer writer{text};
  switch (kind) {
  case element_kind::region: writer.list(of.regions); break;
  case element_kind::tier: writer.list(of.tiers); break;
  case element_kind::game: writer.list(of.games); break;
  case element_kind::game_namespace: writer.list(of.namespaces); break;
  }
  return text + ",\"revision\":" + std::to_string(of.revision) + "}";
}

} // namespace matchcloud::model
