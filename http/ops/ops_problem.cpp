#include "http/ops/ops_problem.hpp"

#include "http/transport/httplib_server.hpp"
#include "http/wire/response.hpp"

#include <spdlog/spdlog.h>

#include <string>

namespace matchcloud::http {

void set_problem(httplib::Response& into, const base::error& what) {
  const auto id = into.get_header_value("X-Request-Id");
  // The answer describes such an error only in general terms; the details go to the log.
  if (base::is_local_failure(what.code))
    spdlog::error("ops: request {}: {}", id, base::to_string(what));
  const auto answer = problem(what, id);
  into.status = answer.status;
  set_header_lines(into, answer.fixed_headers);
  into.set_content(std::string{answer.body_bytes()}, std::string{problem_type});
}

} // namespace matchcloud::http
