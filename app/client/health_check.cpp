#include "app/client/health_check.hpp"

#include "app/client/http_answer.hpp"
#include "app/client/http_transfer.hpp"
#include "cli/interrupt.hpp"
#include "model/text/unicode.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <string>
#include <string_view>

namespace matchcloud::app {

namespace {

constexpr const char* default_path = "/readyz";
constexpr std::size_t health_limit_bytes = 16UL * 1024;
constexpr std::size_t shown_line_limit = 200;
/// The bound on silence is longer than the bound on the whole, so that always the latter ends it.
constexpr std::chrono::seconds silence_beyond{5};

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

http_call call_of(const health_check& of) {
  http_call call{"GET", of.url, {}, {}, of.limit + silence_beyond, of.trusted};
  call.trusts_any_server = of.trusts_any_server;
  call.total_limit = of.limit;
  return call;
}

/// The address of this machine at which a listener on every address can be reached.
std::string reachable(const std::string& host) {
  if (host == "0.0.0.0") return "127.0.0.1";
  return host == "::" ? "::1" : host;
}

base::expected<health_check> check_of_listener(std::string_view listen) {
  constexpr std::string_view tls = "/tls";
  const bool secure = listen.ends_with(tls);
  if (secure) listen.remove_suffix(tls.size());
  auto url = model::parse_http_url(std::string{secure ? "https://" : "http://"}.append(listen));
  if (!url) return tl::unexpected(url.error());
  url->host = reachable(url->host);
  return health_check{*std::move(url), {}, true};
}

} // namespace

health_check check_of_this_machine() {
  constexpr const char* variable = "MATCHCLOUD_OPS_LISTEN";
  const char* value = std::getenv(variable); // NOLINT(concurrency-mt-unsafe): no threads yet
  auto found = check_of_listener(value == nullptr ? "127.0.0.1:8081" : value);
  if (!found) throw CLI::ValidationError{variable, found.error().detail};
  return *std::move(found);
}

base::expected<int> check_health(health_check of) {
  if (of.url.target == "/") of.url.target = default_path;
  const auto fail = [&of](const std::string& why) {
    return base::fail(base::errc::io_failed, of.url.shown() + ": " + why);
  };
  const cli::interrupt until;
  httplib::Response answer;
  std::string body;
  const auto result = transfer(call_of(of), until,
                               {[&](const httplib::Response& head) { answer = head; },
                                [&](std::string_view bytes) {
                                  body.append(bytes);
                                  return !is_good(answer) && body.size() < health_limit_bytes;
                                }});
  if (result.end == transfer_end::interrupted)
    return base::fail(base::errc::cancelled, "interrupted");
  if (is_good(answer)) return answer.status;
  if (answer.status > 0) return fail(describe(answer, body));
  if (result.end == transfer_end::no_connection)
    return fail(result.reason + "; is the service running, and is this its address?");
  return fail(result.reason);
}

} // namespace matchcloud::app
