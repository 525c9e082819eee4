#include "model/catalog/catalog_document.hpp"

#include "model/catalog/catalog_reader.hpp"

namespace matchcloud::model {

base::expected<catalog_document> parse_catalog_document(std::string_view text) {
  constexpr std::string_view what = "the document";
  const auto parsed = parse_catalog_json(text, catalog_document_limit_bytes, what);
  if (!parsed) return tl::unexpected(parsed.error());
  catalog_reader reader{what};
  reader.read_document(*parsed);
  return reader.take();
}

} // namespace matchcloud::model
