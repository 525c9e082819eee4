#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"
#include "model/net/embedded_address.hpp"
#include "model/regions/ranking.hpp"
#include "store/geoip/geoip.hpp"
#include "store/geoip/mmdb_file.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::app {

/// What a service would rank regions by.
struct geoip_surroundings {
  /// As they were named; `files` are these, open.
  std::vector<std::string> paths;
  std::vector<std::shared_ptr<const store::mmdb_file>> files;
  std::optional<model::coordinates> fallback;
  /// Or why there is none: then nothing is ranked.
  base::expected<model::catalog> catalog;
  /// Whose regions are ranked; absent, or unknown to the catalog: all regions.
  std::optional<model::uuid> namespace_id;
};

/// What is known about an address. Points into the surroundings.
struct located_client {
  model::ip_address address;
  std::optional<model::embedded_address> inside;
  std::optional<store::located_address> found;
  /// What is found, else the fallback; nothing: unknown.
  std::optional<model::coordinates> at;
  std::vector<model::ranked_region> regions;
};

/// What a service with these `surroundings` would find out about `address`.
located_client locate_client(const geoip_surroundings& surroundings,
                             const model::ip_address& address);

/// For people; tables are at most `width` characters wide where that can be, 0: of any width.
std::string geoip_text(const geoip_surroundings& surroundings,
                       std::span<const located_client> clients, std::size_t width);

/// One JSON object and a line end. Its members are those that `geoip_json_help` tells of.
std::string geoip_json(const geoip_surroundings& surroundings,
                       std::span<const located_client> clients);

inline constexpr const char* geoip_json_help =
    "--json prints {\"files\": [{\"file\", \"database_type\", \"built\", \"ip_version\", "
    "\"node_count\"}], \"namespace_id\", \"addresses\": [{\"address\", \"looked_up\", "
    "\"embedding\", \"location\": {\"latitude\", \"longitude\"}, \"precision\", \"country\", "
    "\"file\", \"regions\": [{\"region_id\", \"region_display_name\", \"kilometers\", "
    "\"miles\"}]}]}. embedding is 6to4, NAT64, Teredo or null; precision is exact, country, "
    "fallback or unknown; what does not apply is null; regions is null without a store.";

} // namespace matchcloud::app
