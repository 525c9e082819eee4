#pragma once

#include "http/wire/request.hpp"
#include "http/wire/response.hpp"
#include "model/regions/region_listing.hpp"

#include <memory>
#include <string>

namespace matchcloud::http {

/// Who may read a listing, and what it depends on.
struct listing_audience {
  /// Pages of any origin may read it.
  bool any_origin = true;
  /// Whether tokens are read.
  bool reads_tokens = false;
};

/// The answer to a request for the regions: the listing in a coding that the client accepts, 304
/// where `If-None-Match` names it, or 412 where `If-Match` does not. The entity tag identifies the
/// content and the coding. `compressed`: the listing in gzip, if that is kept; otherwise it is
/// compressed where it is sent.
response regions_response(const request& request,
                          std::shared_ptr<const model::region_listing> listing,
                          const listing_audience& to,
                          std::shared_ptr<const std::string> compressed = nullptr);
/// The same for a listing with details, as JSON.
response detailed_response(const request& request, std::shared_ptr<const std::string> json,
                           const listing_audience& to);

} // namespace matchcloud::http
