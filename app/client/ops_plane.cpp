#include "app/client/ops_plane.hpp"

#include "app/client/http_answer.hpp"
#include "app/client/http_transfer.hpp"
#include "cli/bearer_tokens.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>

namespace matchcloud::app {

namespace {

constexpr std::chrono::seconds answer_limit{10};
/// The bound on silence is longer than the bound on the whole, so that always the latter ends it.
constexpr std::chrono::seconds silence_limit{15};
constexpr std::size_t answer_limit_bytes = 16UL * 1024 * 1024;

http_call call_of(const ops_plane& of, const ops_request& what) {
  http_call call{what.method, of.url, {}, what.body, silence_limit, of.trusted};
  call.to.target = what.target;
  if (!of.token.empty()) call.headers.emplace("Authorization", "Bearer " + of.token);
  if (!what.body.empty()) call.headers.emplace("Content-Type", "application/json");
  call.trusts_any_server = of.trusts_any_server;
  call.total_limit = answer_limit;
  return call;
}

} // namespace

base::expected<std::string> ask_ops_plane(const ops_plane& of, const ops_request& what,
                                          const cli::interrupt& until) {
  httplib::Response head;
  std::string body;
  const auto call = call_of(of, what);
  const auto done = transfer(call, until,
                             {[&](const httplib::Response& got) { head = got; },
                              [&](std::string_view bytes) {
                                body.append(bytes);
                                return body.size() <= answer_limit_bytes;
                              }});
  const auto refuse = [&](const std::string& why) {
    return base::fail(base::errc::io_failed,
                      call.to.shown() + ": " + cli::with_token_masked(why, of.token));
  };
  switch (done.end) {
  case transfer_end::complete: break;
  case transfer_end::interrupted: return base::fail(base::errc::cancelled, "interrupted");
  case transfer_end::refused: return refuse("the answer has more than 16 MiB");
  case transfer_end::no_connection:
    return refuse(done.reason +
                  "; is the service running, and is this the address of its ops plane?");
  default: return refuse(done.reason);
  }
  if (head.status >= 200 && head.status < 300) return body;
  const auto problem = read_problem(head, body);
  if (problem.code == "route_not_found" && what.target.starts_with("/faults"))
    return refuse(
        "fault injection is off in this service. Start it with --enable-fault-injection.");
  return refuse(problem.text);
}

} // namespace matchcloud::app
