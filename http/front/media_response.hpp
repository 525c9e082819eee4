#pragma once

#include "actors/protocol.hpp"
#include "http/wire/request.hpp"
#include "http/wire/response.hpp"

namespace matchcloud::http {

/// The answer to a GET or HEAD of an image that is open: whole (200), a part (206), not modified
/// (304), without such a part (416) or not the one that was meant (412). Any thread.
response media_response(const request& request, const actors::media_opened& image);

} // namespace matchcloud::http
