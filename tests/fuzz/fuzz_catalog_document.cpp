// Properties: no input crashes the reader of catalog documents, whole or of one element; what is
// accepted is valid, and an error has a message in UTF-8.
#include "model/catalog/catalog_element.hpp"
#include "model/text/catalog_names.hpp"
#include "model/text/unicode.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

using namespace matchcloud::model;

namespace {

void require(bool law) {
  if (!law) std::abort();
}

template <class Parsed>
void check_error(const Parsed& of) {
  if (of) return;
  require(!of.error().detail.empty());
  require(find_malformed_utf8(of.error().detail) == std::string_view::npos);
}

void check(const catalog_document& taken) {
  for (const auto& each : taken.regions) {
    require(is_identifier(each.region_id) && is_name(each.region_display_name));
    require(std::abs(each.datacenter_coord.latitude) <= 90);
    require(std::abs(each.datacenter_coord.longitude) <= 180);
  }
  for (const auto& each : taken.tiers)
    require(is_identifier(each));
  for (const auto& each : taken.games)
    require(is_name(each.display_name));
}

constexpr std::string_view an_id = "11111111-1111-4111-8111-111111111111";

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(bytes), size};
  const auto whole = parse_catalog_document(text);
  check_error(whole);
  if (whole) check(*whole);
  constexpr std::array<std::pair<element_kind, std::string_view>, 4> keys{
      {{element_kind::region, "lon"},
       {element_kind::tier, "basic-1d1"},
       {element_kind::game, an_id},
       {element_kind::game_namespace, an_id}}};
  for (const auto& [kind, id] : keys)
    check_error(parse_element(element_key::parse(kind, id).value(), text));
  return 0;
}
