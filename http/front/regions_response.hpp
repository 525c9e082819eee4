#pragma once

#include "http/wire/request.hpp"
#include "http/wire/response.hpp"
#include "model/regions/region_listing.hpp"

#include <memory>

namespace matchcloud::http {

/// The answer to a request for the regions: the listing in the coding that the client takes, 304
/// where it has that already (`If-None-Match`), or 412 where it means another (`If-Match`). Its
/// entity tag names the content and the coding. `any_origin`: pages of every origin may read it.
response regions_response(const request& request,
                          std::shared_ptr<const model::region_listing> listing, bool any_origin);

} // namespace matchcloud::http
