#pragma once

#include "model/net/ip_address.hpp"
#include "store/geoip/geoip.hpp"
#include "store/geoip/mmdb_source.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::app {

/// A GeoIP file in use.
struct explained_file {
  std::string path;
  /// Nothing for CSV, which has no metadata.
  std::optional<store::mmdb_description> database;
};

/// What a service knows about an address.
struct explained_address {
  model::ip_address address;
  store::address_description found;
  /// As `GET /v1/ranking` returns it.
  std::string ranking;
};

struct explained_addresses {
  std::vector<explained_file> files;
  std::vector<explained_address> all;
};

/// Text for people. Tables are at most `width` characters wide where possible; 0 means no limit.
std::string explain_text(const explained_addresses& of, std::size_t width);

/// One JSON object and a line end, with the members that `explain_json_help` describes.
std::string explain_json(const explained_addresses& of);

inline constexpr const char* explain_json_help =
    "JSON is {\"files\": [{\"file\", \"database_type\", \"built\"}], \"addresses\": [{\"address\", "
    "\"looked_up\", \"precision\", \"asn_file\", \"ranking\"}]}. looked_up is the IPv4 address "
    "that an IPv6 address contains, else the address; precision is exact, country or null; "
    "ranking is the answer of GET /v1/ranking on the ops plane.";

} // namespace matchcloud::app
