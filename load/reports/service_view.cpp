#include "load/reports/service_view.hpp"

#include "base/clock.hpp"
#include "base/decimal.hpp"
#include "cli/bearer_tokens.hpp"
#include "model/json/exact_numbers.hpp"
#include "model/json/members.hpp"
#include "model/net/http_url.hpp"

#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <sstream>
#include <utility>

namespace matchcloud::load {

namespace {

constexpr std::chrono::seconds patience{5};
/// The most points that a service returns.
constexpr double points_limit = 3'600;
/// How long the service may take to record the last second.
constexpr std::chrono::seconds settling{3};
constexpr std::chrono::milliseconds look_again{200};

tl::unexpected<base::error> fail(const std::string& why) {
  return base::fail(base::errc::io_failed, why);
}

std::unique_ptr<httplib::ClientImpl> client_of(const model::http_url& to,
                                               const std::string& ca_file) {
  std::unique_ptr<httplib::ClientImpl> made;
  if (to.secure) {
    auto secure = std::make_unique<httplib::SSLClient>(to.host, to.port);
    if (!ca_file.empty()) secure->set_ca_cert_path(ca_file);
    made = std::move(secure);
  } else {
    made = std::make_unique<httplib::ClientImpl>(to.host, to.port);
  }
  made->set_connection_timeout(patience);
  made->set_read_timeout(patience);
  made->set_write_timeout(patience);
  return made;
}

} // namespace

base::expected<service_view> parse_history(std::string_view answer, std::int64_t began_ms) {
  rapidjson::Document document;
  const bool is_json = !model::parse_exactly(document, answer).IsError();
  const auto* const points = is_json ? model::member_array(document, "points") : nullptr;
  if (points == nullptr)
    return fail(
        "the response to GET /v1/history has no points; is this an ops plane of matchcloud?");
  service_view made;
  made.history = answer;
  if (!points->Empty()) {
    const auto& last = (*points)[points->Size() - 1];
    made.ends = (model::member_number(last, "at") - static_cast<double>(began_ms) +
                 model::member_number(last, "covers_ms")) /
                1e3;
  }
  return made;
}

base::expected<service_watch> service_watch::open(const std::string& url,
                                                  const std::string& token_file,
                                                  const std::string& ca_file) {
  const auto parsed = model::parse_http_url(url);
  if (!parsed)
    return base::fail(base::errc::config_invalid, "--ops: " + url + ": " + parsed.error().detail);
  auto tokens = cli::read_bearer_tokens(token_file);
  if (!tokens) return tl::unexpected(tokens.error());
  service_watch made;
  made.url_ = url;
  while (made.url_.ends_with('/'))
    made.url_.pop_back();
  made.ca_file_ = ca_file;
  if (!tokens->tokens.empty()) made.token_ = tokens->tokens.front();
  const auto now = std::to_string(base::machine_clock().unix_ms());
  auto answer = made.ask("/v1/history?step=1&from=" + now);
  if (!answer) return tl::unexpected(answer.error());
  if (auto read = parse_history(*answer, 0); !read)
    return fail("--ops " + made.url_ + ": " + read.error().detail);
  made.faults_before_ = made.injected_faults();
  return made;
}

base::expected<std::string> service_watch::ask(const std::string& path) const {
  const auto to = model::parse_http_url(url_ + path);
  if (!to) return tl::unexpected(to.error());
  const auto client = client_of(*to, ca_file_);
  httplib::Headers headers;
  if (!token_.empty()) headers.emplace("Authorization", "Bearer " + token_);
  const auto answer = client->Get(to->target, headers);
  if (!answer)
    return fail("--ops " + url_ + " cannot be reached: " + httplib::to_string(answer.error()));
  if (answer->status == 200) return answer->body;
  std::string why = "--ops " + url_ + " returns " + std::to_string(answer->status) + " to GET " +
                    path.substr(0, path.find('?')) + ". ";
  if (answer->status == 401 || answer->status == 403)
    why += "Use a viewer or admin token with --ops-token-file.";
  else
    why += "Use the URL of the service's ops plane.";
  return fail(why);
}

/// The number since the process started, at all points; 0 if the service does not report it.
std::uint64_t service_watch::injected_faults() const {
  constexpr std::string_view name = "matchcloud_faults_hit_total";
  const auto answer = ask("/metrics");
  if (!answer) return 0;
  std::uint64_t sum = 0;
  std::istringstream lines{*answer};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name))
      sum += base::parse_decimal<std::uint64_t>(line.substr(line.rfind(' ') + 1)).value_or(0);
  return sum;
}

base::expected<service_view> service_watch::view(std::int64_t began_ms, double seconds,
                                                 const cli::interrupt& signals) const {
  const auto step = std::max(1.0, std::ceil((seconds + 2) / points_limit));
  const auto end_ms = began_ms + static_cast<std::int64_t>(seconds * 1e3);
  const auto path = "/v1/history?step=" + std::to_string(static_cast<int>(step)) +
                    "&from=" + std::to_string(began_ms) + "&to=" + std::to_string(end_ms + 1'000);
  const auto until = base::machine_clock().now() + settling;
  while (true) {
    const auto answer = ask(path);
    if (!answer) return tl::unexpected(answer.error());
    auto made = parse_history(*answer, began_ms);
    if (!made) return made;
    if (made->ends >= seconds || base::machine_clock().now() >= until ||
        !signals.wait(look_again)) {
      const auto faults = injected_faults();
      made->faults = faults - std::min(faults, faults_before_);
      return made;
    }
  }
}

} // namespace matchcloud::load
