#pragma once

#include "base/error.hpp"

#include <httplib.h>

namespace matchcloud::http {

/// Answers a request of the ops plane with a problem, whose id is the `X-Request-Id` that `into`
/// has already. Errors about the machine are logged too, as clients do not see their details. Any
/// thread.
void set_problem(httplib::Response& into, const base::error& what);

} // namespace matchcloud::http
