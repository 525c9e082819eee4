#include "app/client/ops_plane.hpp"

#include "app/client/http_transfer.hpp"
#include "base/failure.hpp"
#include "cli/bearer_tokens.hpp"
#include "model/text/unicode.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

namespace matchcloud::app {

namespace {

constexpr std::chrono::seconds answer_limit{10};
/// The bound on silence is longer than the bound on the whole, so that always the latter ends it.
constexpr std::chrono::seconds silence_beyond{5};
constexpr std::size_t answer_limit_bytes = 16UL * 1024 * 1024;

http_call call_of(const ops_plane& of, const ops_request& what) {
  http_call call{what.method, of.url, {}, what.body, answer_limit + silence_beyond, of.trusted};
  call.to.target = what.target;
  if (!of.token.empty()) call.headers.emplace("Authorization", "Bearer " + of.token);
  if (!what.body.empty()) call.headers.emplace("Content-Type", "application/json");
  call.trusts_any_server = of.trusts_any_server;
  call.total_limit = answer_limit;
  return call;
}

constexpr const char* default_path = "/readyz";
constexpr std::size_t health_limit_bytes = 16UL * 1024;
constexpr std::size_t shown_line_limit = 200;

bool is_good(const httplib::Response& head) {
  return head.status >= 200 && head.status < 300;
}

/// The status of an answer and the first line of its body, or what its problem says.
std::string describe(const httplib::Response& head, const std::string& body) {
  const auto problem = read_problem(head, body);
  if (!problem.code.empty() || body.empty()) return problem.text;
  const auto line = body.substr(0, body.find_first_of("\r\n"));
  return problem.text + ": " + model::printable_excerpt(line, shown_line_limit);
}

} // namespace

base::expected<ops_answer> ask_ops_plane(const ops_plane& of, const ops_request& what,
                                         const cli::interrupt& until) {
  const auto call = call_of(of, what);
  const auto [done, head, body] = collect(call, until, answer_limit_bytes);
  const auto refuse = [&](const std::string& why) {
    return base::fail(base::errc::io_failed,
                      call.to.shown() + ": " + cli::with_token_masked(why, of.token));
  };
  // Others can be repeated.
  const std::string unknown =
      what.method == "POST" ? "; the service may have done it all the same" : "";
  switch (done.end) {
  case transfer_end::complete: break;
  case transfer_end::interrupted: return base::fail(base::errc::cancelled, "interrupted" + unknown);
  case transfer_end::refused: return refuse("the answer has more than 16 MiB" + unknown);
  case transfer_end::no_connection:
    return refuse(done.reason +
                  "; is the service running, and is this the address of its ops plane?");
  default: return refuse(done.reason + unknown);
  }
  if (is_good(head)) return ops_answer{head.status, body};
  const auto problem = read_problem(head, body);
  if (problem.code == "route_not_found" && what.target.starts_with("/faults"))
    return refuse(
        "fault injection is off in this service. Start it with --enable-fault-injection.");
  return refuse(problem.text);
}

int check_health(ops_plane of, std::chrono::seconds limit) {
  if (of.url.target == "/") of.url.target = default_path;
  const http_call call{
      "GET", of.url, {}, {}, limit + silence_beyond, of.trusted, of.trusts_any_server, limit};
  const auto failure = [&of](const std::string& why) {
    return base::failure{base::errc::io_failed, of.url.shown() + ": " + why};
  };
  const cli::interrupt until;
  httplib::Response answer;
  std::string body;
  const auto result = transfer(call, until,
                               {[&](const httplib::Response& head) { answer = head; },
                                [&](std::string_view bytes) {
                                  body.append(bytes);
                                  return !is_good(answer) && body.size() < health_limit_bytes;
                                }});
  if (result.end == transfer_end::interrupted)
    throw base::failure{base::errc::cancelled, "interrupted"};
  if (is_good(answer)) return answer.status;
  if (answer.status > 0) throw failure(describe(answer, body));
  if (result.end == transfer_end::no_connection)
    throw failure(result.reason + "; is the service running, and is this its address?");
  throw failure(result.reason);
}

} // namespace matchcloud::app
