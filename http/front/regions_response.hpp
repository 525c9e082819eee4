#pragma once

#include "http/wire/request.hpp"
#include "http/wire/response.hpp"
#include "model/regions/region_listing.hpp"

#include <memory>

namespace matchcloud::http {

/// The answer to a request for the regions: the listing in a coding that the client accepts, 304
/// where `If-None-Match` names it, or 412 where `If-Match` does not. The entity tag identifies the
/// content and the coding. `any_origin`: pages of every origin may read the answer.
response regions_response(const request& request,
                          std::shared_ptr<const model::region_listing> listing, bool any_origin);

} // namespace matchcloud::http
