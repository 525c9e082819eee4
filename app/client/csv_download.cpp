#include "app/client/csv_download.hpp"

#include "app/client/http_transfer.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "http/wire/header_characters.hpp"
#include "http/wire/message_lines.hpp"
#include "model/lobbies/lobby_csv.hpp"
#include "model/net/content_part.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace matchcloud::app {

namespace {

constexpr std::size_t problem_limit_bytes = 64UL * 1024;
/// Redirects that one attempt follows.
constexpr int redirect_limit = 3;

/// What the answer to a request for the file means.
enum class verdict : std::uint8_t {
  /// There was no answer.
  none,
  /// The content of the file, or the rest of it.
  content,
  /// The file is at another URL, for now: the next attempt begins with the service's own again.
  elsewhere,
  /// The file is not the one that was partly downloaded.
  changed,
  /// The URL is no longer valid.
  gone,
  /// A later request may succeed.
  busy,
  /// Another request would not help.
  refused,
};

verdict verdict_of(int status) {
  switch (status) {
  case 200:
  case 206: return verdict::content;
  case 302:
  case 307: return verdict::elsewhere;
  case 403:
  case 404:
  case 410: return verdict::gone;
  case 416: return verdict::changed;
  case 429:
  case 502:
  case 503:
  case 504: return verdict::busy;
  default: return verdict::refused;
  }
}

class export_download {
public:
  export_download(export_service service, const model::export_query& query, cli::output_file& to,
                  const download_context& in)
      : service_{std::move(service)}, query_{query}, to_{to}, in_{in} {
    call_.trusted = service_.trusted;
  }

  download_summary run() {
    ask_for_export();
    while (!whole_) {
      prepare();
      settle(attempt());
    }
    const auto rows = rows_.rows();
    return {rows > 0 ? rows - 1 : 0, to_.bytes(), complete_from_};
  }

private:
  void ask_for_export() {
    ++requested_;
    auto made = request_export(service_, query_, in_);
    call_.to = std::move(made.url);
    complete_from_ = std::move(made.complete_from);
    // When a download resumes, its speed still counts from its beginning.
    if (to_.bytes() == 0) in_.progress.begin("lobbies", total_, cli::progress_rate::megabytes);
  }

  /// Chooses the headers of the next attempt.
  void prepare() {
    if (to_.bytes() > 0 && !is_strong_etag(etag_)) start_anew("it has no strong ETag to resume by");
    call_.headers.clear();
    call_.headers.emplace("Accept", "text/csv, application/problem+json");
    // Only the file's own bytes can be counted, compared and resumed, so nothing may be encoded.
    call_.headers.emplace("Accept-Encoding", "identity");
    if (to_.bytes() == 0) return;
    call_.headers.emplace("Range", "bytes=" + std::to_string(to_.bytes()) + "-");
    call_.headers.emplace("If-Range", etag_);
  }

  transfer_result attempt() {
    // It has no token, so that any server may receive it.
    auto call = call_;
    auto result = attempt(call);
    for (int followed = 0; verdict_ == verdict::elsewhere; ++followed) {
      if (!follow(call, followed)) return result;
      result = attempt(call);
    }
    return result;
  }

  transfer_result attempt(const http_call& call) {
    head_ = {};
    verdict_ = verdict::none;
    why_.clear();
    body_.clear();
    begun_at_ = to_.bytes();
    return transfer(call, in_.until,
                    {[this](const httplib::Response& head) { begin(head); },
                     [this](std::string_view bytes) { return take(bytes); }});
  }

  /// Follows the redirect of the last answer; if that is not possible, refuses the answer.
  bool follow(http_call& call, int followed) {
    const auto to = model::parse_http_url(location_of(head_));
    if (!to)
      judge(verdict::refused, "it redirects to a URL that cannot be used: " + to.error().detail);
    else if (call.to.secure && !to->secure)
      judge(verdict::refused, "it redirects from https to " + to->shown() + ", which is not");
    else if (followed == redirect_limit)
      judge(verdict::refused,
            "it redirects more than " + std::to_string(redirect_limit) + " times");
    else
      call.to = *to;
    return verdict_ == verdict::elsewhere;
  }

  void begin(const httplib::Response& head) {
    head_ = head;
    verdict_ = verdict_of(head.status);
    if (head.status == 206) accept_rest();
    if (head.status == 200) accept_whole();
    if (head.status == 416) why_ = "it has become shorter";
  }

  void judge(verdict what, std::string why) {
    verdict_ = what;
    why_ = std::move(why);
  }

  void accept_rest() {
    const auto value = head_.get_header_value("Content-Range");
    const auto part = model::parse_content_part(value);
    const auto etag = head_.get_header_value("ETag");
    if (!part || part->begin != to_.bytes())
      return judge(verdict::changed, "bytes from " + std::to_string(to_.bytes()) +
                                         " on were requested, and it returned Content-Range " +
                                         http::in_quotes(value));
    if (part->total != total_) return judge(verdict::changed, "its length has changed");
    if (!etag.empty() && etag != etag_) return judge(verdict::changed, "its ETag has changed");
    end_ = part->end;
  }

  void accept_whole() {
    const auto length =
        base::parse_decimal<std::uint64_t>(head_.get_header_value("Content-Length"));
    const auto coding = head_.get_header_value("Content-Encoding");
    const auto type = head_.get_header_value("Content-Type");
    if (!http::is_media_type(type, "text/csv"))
      return judge(verdict::refused, "it is not text/csv but " + http::in_quotes(type));
    if (!coding.empty() && !http::equal_ignoring_case(coding, "identity"))
      return judge(verdict::refused, "it has the Content-Encoding " + http::in_quotes(coding) +
                                         ", which was not requested");
    if (!length) return judge(verdict::refused, "it has no Content-Length");
    if (to_.bytes() > 0) {
      auto restarted = base::attempt([this] { start_anew("it was replaced"); });
      if (!restarted) {
        failed_ = std::move(restarted).error();
        return;
      }
    }
    etag_ = head_.get_header_value("ETag");
    total_ = end_ = *length;
    in_.progress.set_whole(total_);
  }

  bool take(std::string_view bytes) {
    if (failed_) return false;
    if (verdict_ != verdict::content) {
      body_.append(bytes.substr(0, problem_limit_bytes - body_.size()));
      return body_.size() < problem_limit_bytes;
    }
    if (bytes.size() > end_ - to_.bytes()) {
      judge(verdict::changed, "it is longer than announced");
      return false;
    }
    if (auto written = to_.write(bytes); !written) {
      failed_ = written.error();
      return false;
    }
    rows_.add(bytes);
    requested_ = 0;
    in_.progress.show(rows_.rows(), to_.bytes());
    return true;
  }

  /// Decides after an attempt: the download is done, another attempt follows, or it fails.
  void settle(const transfer_result& result) {
    if (failed_) throw base::failure{*failed_};
    if (result.end == transfer_end::interrupted) fail_interrupted();
    if (result.end == transfer_end::not_trusted) fail(result.reason);
    if (result.end == transfer_end::no_connection && to_.bytes() == 0)
      return again(result.reason + " to where the service said the file is (its public-url)", {});
    switch (verdict_) {
    case verdict::none: return again(result.reason, std::nullopt);
    case verdict::content: return settle_content(result);
    case verdict::changed:
      if (begun_at_ == 0) fail(why_);
      return start_anew(why_);
    case verdict::gone: return settle_gone();
    case verdict::busy: return again(read_problem(head_, body_).text, retry_after(head_));
    case verdict::elsewhere:
    case verdict::refused: break;
    }
    fail(why_.empty() ? read_problem(head_, body_).text : why_);
  }

  void settle_content(const transfer_result& result) {
    whole_ = to_.bytes() == total_;
    if (whole_) return;
    // A server may answer with a part of the range that was requested.
    const bool part = result.end == transfer_end::complete && to_.bytes() > begun_at_;
    if (!part) return again(result.end == transfer_end::cut ? result.reason : "it is short", {});
    attempts_without_progress_ = 0;
  }

  void settle_gone() {
    // If nothing has changed, the new URL names the same file, and only its rest is requested.
    if (requested_ < export_request_limit) return ask_for_export();
    fail(read_problem(head_, body_).text);
  }

  /// Pauses before the next attempt, or fails after too many fruitless ones.
  void again(const std::string& why, std::optional<std::chrono::seconds> after) {
    attempts_without_progress_ = to_.bytes() > begun_at_ ? 0 : attempts_without_progress_ + 1;
    if (attempts_without_progress_ >= attempts_without_progress_limit)
      fail(why + "; " + std::to_string(attempts_without_progress_) + " attempts in a row, after " +
           progress_so_far());
    std::chrono::milliseconds pause = pause_after(std::max(1, attempts_without_progress_));
    if (after)
      pause = std::max<std::chrono::milliseconds>(pause, std::min(*after, busy_pause_limit));
    in_.progress.announce(why + " after " + progress_so_far() + "; resuming");
    if (!in_.pause(pause)) fail_interrupted();
  }

  /// Discards what was downloaded so far; fails if the output cannot be taken back.
  void start_anew(const std::string& why) {
    if (!to_.can_start_anew())
      fail(why + ", and " + progress_so_far() +
           " are already written and cannot be taken back. Run the command again, "
           "preferably with a file for -o");
    if (++started_anew_ > start_anew_limit)
      fail(why + "; the download was restarted " + std::to_string(start_anew_limit) + " times");
    rows_ = {};
    etag_.clear();
    begun_at_ = 0;
    base::value_of(to_.start_anew());
  }

  std::string progress_so_far() const {
    const auto written = std::to_string(to_.bytes());
    return written + (total_ ? " of " + std::to_string(*total_) : "") + " bytes";
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw base::failure{base::errc::io_failed, call_.to.shown() + ": " + why};
  }

  const export_service service_;
  const model::export_query query_;
  cli::output_file& to_;
  const download_context& in_;

  /// The request for the file, as sent in the last attempt.
  http_call call_{"GET", {}, {}, {}, download_silence_limit};
  /// Export requests since the last byte arrived.
  int requested_ = 0;
  /// `made_export::complete_from` of the export that is downloaded.
  std::string complete_from_;
  /// The validator and size of the file that is partly downloaded.
  std::string etag_;
  std::optional<std::uint64_t> total_;
  model::csv_row_counter rows_;
  bool whole_ = false;
  int attempts_without_progress_ = 0;
  int started_anew_ = 0;

  // The result of the last attempt.
  httplib::Response head_;
  verdict verdict_ = verdict::none;
  std::string why_;
  /// The body of an answer that is not content.
  std::string body_;
  std::uint64_t begun_at_ = 0;
  /// Where the announced content ends.
  std::uint64_t end_ = 0;
  /// An error that another attempt cannot fix.
  std::optional<base::error> failed_;
};

} // namespace

download_summary download_export(const export_service& service, const model::export_query& query,
                                 cli::output_file& to, const download_context& in) {
  return export_download{service, query, to, in}.run();
}

} // namespace matchcloud::app
