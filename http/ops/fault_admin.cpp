#include "http/ops/fault_admin.hpp"

#include "base/faults.hpp"
#include "http/ops/bounded_body.hpp"
#include "http/ops/fault_rule.hpp"
#include "http/ops/method_routes.hpp"
#include "http/ops/ops_problem.hpp"
#include "http/transport/refusals.hpp"
#include "http/wire/media_type.hpp"
#include "http/wire/response.hpp"

#include <optional>
#include <string_view>

namespace matchcloud::http {

namespace {

using base::errc;
using base::fault_point;
using httplib::ContentReader;
using httplib::Request;
using httplib::Response;

constexpr std::string_view prefix = "/faults";

tl::unexpected<base::error> refuse_method(const char* allow, Response& into) {
  into.set_header("Allow", allow);
  return base::fail(errc::method_not_allowed, std::string{"Allowed are "} + allow + ".");
}

void set_status(Response& into, fault_point at) {
  model::json_writer json;
  write_fault_status(json, base::faults::status(at));
  into.set_content(json.take(), std::string{json_type});
}

} // namespace

void fault_admin::add_routes(httplib::Server& to) {
  route_every_method(to, R"(/faults(/[\s\S]*)?)",
                     [this](const Request& request, Response& into, const ContentReader* body) {
                       answer(request, into, body);
                     });
}

void fault_admin::answer(const Request& request, Response& into, const ContentReader* body) {
  const auto rest = std::string_view{request.path}.substr(prefix.size());
  const auto done = [&]() -> base::expected<void> {
    if (rest.empty()) return answer_all(request.method, into);
    const auto at = base::find_fault_point(rest.substr(1));
    if (!at) return tl::unexpected(no_such_fault_point(rest.substr(1)));
    return answer_one(*at, request.method, body, into);
  }();
  if (!done) set_problem(into, done.error());
}

base::expected<void> fault_admin::answer_all(const std::string& method, Response& into) const {
  if (method == "DELETE") {
    base::faults::clear_all();
    into.status = 204;
    return {};
  }
  if (method != "GET" && method != "HEAD") return refuse_method("GET, HEAD, DELETE", into);
  model::json_writer json;
  json.object().name("seed").number(seed_).name("points").array();
  for (std::size_t i = 0; i < base::fault_point_count; ++i)
    write_fault_status(json, base::faults::status(static_cast<fault_point>(i)));
  into.set_content(json.end_array().end_object().take(), std::string{json_type});
  return {};
}

base::expected<void> fault_admin::answer_one(fault_point at, const std::string& method,
                                             const ContentReader* body, Response& into) {
  if (method == "DELETE") {
    base::faults::clear(at);
    into.status = 204;
    return {};
  }
  if (method == "PUT" && body != nullptr) {
    const auto text = read_bounded_body(*body, fault_rule_limit_bytes);
    if (!text) return tl::unexpected(text.error());
    const auto rule = read_fault_rule(at, *text);
    if (!rule) return base::fail(errc::query_invalid, rule.error().detail);
    if (auto injected = inject(at, *rule); !injected) return injected;
  } else if (method != "GET" && method != "HEAD") {
    return refuse_method("GET, HEAD, PUT, DELETE", into);
  }
  set_status(into, at);
  return {};
}

base::expected<void> fault_admin::inject(fault_point at, const base::fault_rule& rule) {
  const std::lock_guard lock{mutex_};
  if (ended_) return tl::unexpected(shutting_down());
  return base::faults::set(at, rule);
}

void fault_admin::end() {
  const std::lock_guard lock{mutex_};
  ended_ = true;
  base::faults::clear_all();
}

} // namespace matchcloud::http
