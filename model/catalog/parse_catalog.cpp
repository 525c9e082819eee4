#include "model/catalog/parse_catalog.hpp"

#include "model/catalog/catalog_reader.hpp"

#include <string>
#include <utility>

namespace matchcloud::model {

base::expected<catalog_document> parse_catalog_document(std::string_view text) {
  constexpr std::string_view what = "the document";
  const auto parsed = parse_catalog_json(text, catalog_document_limit_bytes, what);
  if (!parsed) return tl::unexpected(parsed.error());
  catalog_reader reader{what};
  reader.read_document(*parsed);
  return reader.take();
}

base::expected<catalog_element> parse_element(const element_key& key, std::string_view text) {
  if (key.kind() == element_kind::tier && text.empty()) return catalog_element{key.text()};
  const auto what = "the " + std::string{name_of(key.kind())};
  const auto parsed = parse_catalog_json(text, element_limit_bytes, what);
  if (!parsed) return tl::unexpected(parsed.error());
  catalog_reader reader{what};
  reader.read_element(*parsed, key);
  auto read = reader.take();
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
