#include "app/client/export_request.hpp"

#include "app/client/http_transfer.hpp"
#include "base/failure.hpp"
#include "cli/bearer_tokens.hpp"
#include "model/json/json_document.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::app {

namespace {

constexpr std::size_t link_limit_bytes = 64UL * 1024;

/// What the user can do about a refused request; empty if the service's own message has to suffice.
std::string advice(int status, bool has_token) {
  if (status == 401 && !has_token) return "; pass a token with --token-file or MATCHCLOUD_TOKEN";
  if (status == 401) return "; is the token right, and still valid?";
  if (status == 403 && has_token) return "; may this token export this game?";
  return {};
}

http_call call_of(const export_service& service, const model::export_query& query) {
  http_call call{"POST", service.url, {}, {}, export_answer_limit, service.trusted};
  if (call.to.target.ends_with('/')) call.to.target.pop_back();
  call.to.target +=
      "/cloud/games/" + to_string(query.game_id) + "/matchmaker/lobbies/export-history";
  if (query.dialect != model::csv_dialect::exact)
    call.to.target +=
        "?csv=" + std::string{model::csv_dialect_names[static_cast<std::size_t>(query.dialect)]};
  call.headers.emplace("Content-Type", "application/json");
  call.headers.emplace("Accept", "application/json, application/problem+json");
  call.headers.emplace("Accept-Encoding", "identity");
  if (!service.token.empty()) call.headers.emplace("Authorization", "Bearer " + service.token);
  call.body = "{\"query_start\":" + std::to_string(query.span.begin) +
              ",\"query_end\":" + std::to_string(query.span.end) + "}";
  return call;
}

/// The string member `url` of an answer; empty if there is none.
std::string url_in(const std::string& body) {
  const auto document = model::json_document::parse(body, answer_depth_limit);
  return document ? std::string{document->member_text("url")} : std::string{};
}

/// Sends requests until an answer is final.
class export_request {
public:
  export_request(const export_service& service, const model::export_query& query,
                 const download_context& in)
      : call_{call_of(service, query)}, token_{service.token}, in_{in} {}

  made_export run() {
    while (true) {
      in_.progress.announce("waiting for the service to make the export");
      answer_ = collect(call_, in_.until, link_limit_bytes);
      const auto& result = answer_.result;
      if (result.end == transfer_end::interrupted) fail_interrupted();
      if (result.end == transfer_end::no_connection)
        fail(result.reason + "; is the service running, and is this its URL?");
      if (result.end == transfer_end::not_trusted) fail(result.reason);
      if (result.end != transfer_end::cut && answer_.head.status == 200)
        return {url(result.end), complete_from()};
      if (!in_.pause(pause_before_next(result))) fail_interrupted();
    }
  }

private:
  /// A value that is not a time is dropped, because it is shown on a terminal.
  std::string complete_from() const {
    auto text = answer_.head.get_header_value("Matchcloud-Complete-From");
    return model::parse_timestamp(text) ? text : std::string{};
  }

  model::http_url url(transfer_end end) const {
    if (end == transfer_end::refused) fail("its answer is too long");
    const auto text = url_in(answer_.body);
    if (text.empty()) fail("its answer has no \"url\"");
    auto url = model::parse_http_url(text);
    if (!url) fail("the \"url\" in its answer cannot be used: " + url.error().detail);
    return *std::move(url);
  }

  /// Fails if there must be no further request.
  std::chrono::milliseconds pause_before_next(const transfer_result& result) {
    if (result.end == transfer_end::cut) return after_loss(result.reason);
    const auto problem = read_problem(answer_.head, answer_.body);
    const bool of_gateway = answer_.head.status == 502 || answer_.head.status == 504;
    // A proxy timed out before the service. The service continues the export, and a new request
    // joins it.
    if (of_gateway && problem.code.empty()) return after_loss(problem.text);
    const auto after = retry_after(answer_.head);
    const bool is_busy = answer_.head.status == 503 || answer_.head.status == 429;
    if (!is_busy || !after) fail(problem.text + advice(answer_.head.status, !token_.empty()));
    const auto pause = std::clamp(*after, std::chrono::seconds{1}, busy_pause_limit);
    if (waited_ + pause > busy_limit)
      fail(problem.text + "; gave up after " + std::to_string(waited_.count()) + " s");
    waited_ += pause;
    lost_ = 0;
    in_.progress.announce("the service is busy; retrying in " + std::to_string(pause.count()) +
                          " s");
    return pause;
  }

  std::chrono::milliseconds after_loss(const std::string& reason) {
    if (++lost_ >= attempts_without_progress_limit)
      fail(reason + ", " + std::to_string(lost_) + " times in a row");
    in_.progress.announce(without_token(reason) + "; retrying");
    return pause_after(lost_);
  }

  /// A service may repeat the token of the request in its answer.
  std::string without_token(const std::string& text) const {
    return cli::with_token_masked(text, token_);
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw base::failure{base::errc::io_failed, call_.to.shown() + ": " + without_token(why)};
  }

  const http_call call_;
  const std::string token_;
  const download_context& in_;
  collected_answer answer_;
  int lost_ = 0;
  std::chrono::seconds waited_{0};
};

} // namespace

void fail_interrupted() {
  throw base::failure{base::errc::cancelled, "interrupted"};
}

std::chrono::milliseconds pause_after(int fruitless) {
  return first_pause * (1 << (fruitless - 1));
}

made_export request_export(const export_service& service, const model::export_query& query,
                           const download_context& in) {
  return export_request{service, query, in}.run();
}

} // namespace matchcloud::app
