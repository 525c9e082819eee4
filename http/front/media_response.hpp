#pragma once

#include "actors/media/messages.hpp"
#include "http/wire/request.hpp"
#include "http/wire/response.hpp"

namespace matchcloud::http {

/// The answer to a GET or HEAD of an image: a redirect to an image stored elsewhere (307), or for
/// an open file: whole (200), a range (206), not modified (304), range not satisfiable (416) or
/// `If-Match` failed (412). Any thread.
response media_response(const request& request, const actors::media_opened& image);

} // namespace matchcloud::http
