#include "store/s3/s3_call.hpp"

#include "base/decimal.hpp"
#include "base/randomness.hpp"
#include "model/text/counts.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::store {

namespace {

using std::chrono::milliseconds;

/// The time in `Retry-After`; 0 if it is missing or a date.
milliseconds asked_for(const s3_answer& answer) {
  const auto seconds = base::parse_decimal<std::uint32_t>(answer.header("retry-after"));
  return std::chrono::seconds{seconds.value_or(0)};
}

/// Whether callers handle a result themselves: a success, or the news that the object does not
/// exist, that a name is taken or that a range is beyond the end.
bool is_awaited(const s3_request& request, const s3_result& result) {
  if (result.is_success()) return true;
  const bool is_storing = request.method == "PUT" || request.method == "POST";
  switch (result.answer.status) {
  case 404: return !is_storing && !request.key.empty() && result.error.code != "NoSuchBucket";
  case 412: return is_storing;
  case 416: return !is_storing;
  default: return false;
  }
}

milliseconds random_up_to(milliseconds bound) {
  return milliseconds{base::random_seed() % static_cast<std::uint64_t>(bound.count() + 1)};
}

} // namespace

s3_call::s3_call(s3_endpoint& endpoint, s3_lane& lane, const std::atomic<bool>& stopped,
                 s3_request request, s3_call_options options)
    : endpoint_{endpoint},
      lane_{lane},
      stopped_{stopped},
      request_{std::move(request)},
      options_{std::move(options)},
      end_at_{endpoint.time().now() + options_.timeout},
      next_at_{endpoint.time().now()} {}

s3_call::~s3_call() {
  if (!transfer_) return;
  lane_.end(*transfer_);
  end_attempt();
}

bool s3_call::advance() {
  if (result_) return true;
  if (stopped_) {
    if (transfer_) {
      lane_.end(*transfer_);
      end_attempt();
    }
    fail(base::errc::cancelled, "the process is stopping");
    return true;
  }
  if (transfer_ && transfer_->is_done()) judge_attempt();
  if (!result_ && !transfer_ && endpoint_.time().now() >= next_at_) begin_attempt();
  return result_.has_value();
}

milliseconds s3_call::idle_for() const {
  if (result_) return milliseconds{0};
  if (transfer_) return s3_longest_wait;
  const auto left = std::chrono::ceil<milliseconds>(next_at_ - endpoint_.time().now());
  return std::clamp(left, milliseconds{0}, s3_longest_wait);
}

void s3_call::begin_attempt() {
  const auto& settings = endpoint_.settings();
  if (attempts_++ > 0) {
    endpoint_.counters().repetitions.add();
    if (options_.before_repetition) options_.before_repetition(request_);
  }
  // May wait for credentials.
  signed_ = endpoint_.sign(request_, options_.taker ? &options_.taker : nullptr);
  const auto left = std::chrono::floor<milliseconds>(end_at_ - endpoint_.time().now());
  const auto silence = options_.may_be_silent
                           ? std::chrono::ceil<std::chrono::seconds>(options_.timeout)
                           : settings.silence_timeout;
  const s3_transfer_limits limits{left, settings.connect_timeout, silence, settings.least_rate,
                                  settings.ca_file};
  transfer_.emplace(signed_.request, limits);
  lane_.begin(*transfer_);
}

s3_error s3_call::error_of(const s3_answer& answer) const {
  if (options_.error_of) return options_.error_of(answer);
  return answer.status >= 300 ? read_s3_error(answer.body) : s3_error{};
}

void s3_call::judge_attempt() {
  const bool is_answered = transfer_->end() == s3_transfer_end::answered;
  auto answer = std::move(transfer_->answer());
  auto error = is_answered ? error_of(answer) : s3_error{};
  auto verdict = judge(transfer_->end(), transfer_->reason(), answer, error);
  const bool is_unwanted = transfer_->end() == s3_transfer_end::refused;
  end_attempt();
  // The response to a HEAD has no body with the reason: the clock (403), or a token that has
  // expired (400).
  if (request_.method == "HEAD" && (answer.status == 403 || answer.status == 400))
    verdict.next = s3_next::again_with_time;
  switch (verdict.next) {
  case s3_next::again: repeat(verdict, asked_for(answer)); return;
  case s3_next::give_up:
    fail(is_unwanted ? base::errc::cancelled : base::errc::store_failed, verdict.reason);
    return;
  case s3_next::take:
  case s3_next::again_with_time:
  case s3_next::again_with_credentials: break;
  }
  if (attempts_ < endpoint_.settings().attempts_limit && is_mended(verdict.next, answer))
    next_at_ = endpoint_.time().now();
  else
    take({std::move(answer), std::move(error), was_outcome_unknown_});
}

void s3_call::end_attempt() {
  auto& counters = endpoint_.counters();
  counters.sent_bytes.add(transfer_->sent_bytes());
  counters.received_bytes.add(transfer_->received_bytes());
  transfer_.reset();
}

bool s3_call::is_mended(s3_next next, const s3_answer& answer) {
  if (next == s3_next::take) return false;
  if (next == s3_next::again_with_time && endpoint_.learn_time(signed_, answer)) return true;
  return endpoint_.renew_credentials(signed_);
}

void s3_call::repeat(const s3_verdict& verdict, milliseconds least) {
  const auto& settings = endpoint_.settings();
  was_outcome_unknown_ = was_outcome_unknown_ || verdict.is_outcome_unknown;
  next_at_ = endpoint_.time().now() + least +
             random_up_to(backoff_bound(attempts_, settings.backoff_first, settings.backoff_limit));
  if (attempts_ < settings.attempts_limit && next_at_ < end_at_) return;
  fail(base::errc::store_failed,
       verdict.reason + ", after " + model::counted(attempts_, "attempt") +
           (was_outcome_unknown_ ? "; the outcome is unknown" : "") + std::string{verdict.todo});
}

void s3_call::take(s3_result result) {
  auto& counters = endpoint_.counters();
  (is_awaited(request_, result) ? counters.succeeded : counters.failed).add();
  counters.answered_ts.set(endpoint_.time().unix_ms());
  result_ = std::move(result);
}

void s3_call::fail(base::errc code, const std::string& reason) {
  if (code != base::errc::cancelled) endpoint_.counters().failed.add();
  auto detail = endpoint_.shown(request_.key) + ": cannot ";
  detail.append(request_.operation).append(": ").append(reason);
  result_ = base::fail(code, std::move(detail));
}

} // namespace matchcloud::store
