#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"
#include "model/net/embedded_address.hpp"
#include "model/regions/ranking.hpp"
#include "store/geoip/asn_file.hpp"
#include "store/geoip/geoip.hpp"
#include "store/geoip/mmdb_file.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::app {

/// The inputs from which a service would rank regions.
struct geoip_inputs {
  std::vector<std::shared_ptr<const store::mmdb_file>> files;
  /// Null if none is configured.
  std::shared_ptr<const store::asn_file> asns;
  std::optional<model::coordinates> fallback;
  /// The catalog, or why there is none; without one nothing is ranked.
  base::expected<model::catalog> catalog;
  /// The namespace whose regions are ranked; if absent or not in the catalog, all regions.
  std::optional<model::uuid> namespace_id;
};

/// What is known about an address. Points into the inputs.
struct located_client {
  model::ip_address address;
  std::optional<model::embedded_address> inside;
  store::address_description found;
  /// The location found, else the fallback; empty if unknown.
  std::optional<model::coordinates> at;
  std::vector<model::ranked_region> regions;
};

/// What a service with these `inputs` would determine about `address`.
located_client locate_client(const geoip_inputs& inputs, const model::ip_address& address);

/// Text for people. Tables are at most `width` characters wide where possible; 0 means no limit.
std::string geoip_text(const geoip_inputs& inputs, std::span<const located_client> clients,
                       std::size_t width);

/// One JSON object and a line end, with the members that `geoip_json_help` describes.
std::string geoip_json(const geoip_inputs& inputs, std::span<const located_client> clients);

inline constexpr const char* geoip_json_help =
    "--json prints {\"files\": [{\"file\", \"database_type\", \"built\", \"ip_version\", "
    "\"node_count\"}], \"namespace_id\", \"addresses\": [{\"address\", \"looked_up\", "
    "\"embedding\", \"location\": {\"latitude\", \"longitude\"}, \"precision\", \"country\", "
    "\"file\", \"asn\", \"asn_file\", \"regions\": [{\"region_id\", \"region_display_name\", "
    "\"kilometers\", \"miles\"}]}]}. embedding is 6to4, NAT64, Teredo or null; precision is exact, "
    "country, fallback or unknown; asn is the number of the autonomous system; members that do not "
    "apply are null; regions is null without a store.";

} // namespace matchcloud::app
