#pragma once

#include "http/wire/client_address.hpp"
#include "http/wire/operation.hpp"
#include "http/wire/request.hpp"

#include <string>
#include <vector>

namespace matchcloud::http {

/// The settings of the fronts of one plane. Immutable, shared by all of them.
struct front_settings {
  http::plane plane = plane::data;
  /// Empty, or `/x` without a slash at the end.
  std::string base_path;
  proxy_trust proxies;
  /// Origins that may read `regions.list`. A single `*` allows every origin.
  std::vector<std::string> cors_origins{"*"};
  /// Whether the operations on faults exist.
  bool has_faults = false;

  bool allows_any_origin() const noexcept {
    return cors_origins.size() == 1 && cors_origins.front() == "*";
  }
};

/// Whether the requesting page may read the listing of regions.
bool may_read_regions(const request& of, const front_settings& settings) noexcept;

/// The CORS headers of a refusal of the operation `row`, without which a page could not tell it
/// from a network failure.
std::string cors_headers_of(const operation_row& row, const request& of,
                            const front_settings& settings);

} // namespace matchcloud::http
