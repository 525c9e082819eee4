#pragma once

#include "base/error.hpp"

#include <httplib.h>

namespace matchcloud::http {

/// Answers a request of the ops plane with a problem. Any thread.
void set_problem(httplib::Response& into, const base::error& what);

} // namespace matchcloud::http
