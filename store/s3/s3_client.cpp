#include "store/s3/s3_client.hpp"

#include "base/crypto/sha256.hpp"
#include "base/decimal.hpp"
#include "base/events/about_request.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/hexadecimal.hpp"
#include "base/randomness.hpp"
#include "model/text/counts.hpp"
#include "model/text/trace_context.hpp"
#include "store/files/fault_pass.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace matchcloud::store {

namespace {

using std::chrono::milliseconds;

/// The longest wait for the next attempt before it is checked whether the call is still wanted.
constexpr milliseconds longest_wait{1'000};

std::string path_of(const s3_address& at, const std::string& key) {
  auto path = at.path_start + s3_encoded_path(key);
  // The path of the bucket itself.
  if (key.empty() && path.size() > 1) path.pop_back();
  return path;
}

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

s3_error error_in(const s3_answer& answer, const s3_call_options& options) {
  if (options.error_of) return options.error_of(answer);
  return answer.status >= 300 ? read_s3_error(answer.body) : s3_error{};
}

} // namespace

milliseconds backoff_bound(std::size_t repetition, milliseconds first,
                           milliseconds limit) noexcept {
  constexpr std::size_t most_doublings = 30;
  const auto doublings = std::min(std::max<std::size_t>(repetition, 1) - 1, most_doublings);
  return std::min(first * (std::int64_t{1} << doublings), limit);
}

s3_client::s3_client(s3_settings settings, std::unique_ptr<s3_credential_source> credentials,
                     const base::clock& time)
    : settings_{std::move(settings)},
      addresses_{check(settings_)},
      credentials_{std::move(credentials)},
      time_{time} {}

void s3_client::stop() noexcept {
  stopped_ = true;
  changed_.notify_all();
}

void s3_client::show(base::metric_set& in) const {
  in.add_gauge({"matchcloud_objects_calls_limit", "Limit on simultaneous calls to the bucket."},
               [this] { return settings_.calls_limit; });
  in.add_gauge({"matchcloud_objects_calls_in_progress",
                "Calls to the bucket in progress, including uploads."},
               [this] { return in_progress_.load(); });
  in.add(counters_);
  in.add_gauge({"matchcloud_objects_answered_timestamp_seconds",
                "When the bucket last responded, in seconds since 1970; 0: not yet."},
               [this] { return static_cast<double>(counters_.answered_ts.get()) / 1'000; });
}

s3_client::slot s3_client::acquire() {
  slot made{this};
  if (++in_progress_ <= settings_.calls_limit) return made;
  counters_.refused.add();
  throw base::failure{base::errc::overloaded,
                      "All {} connections to the object storage are in use. Retry in a moment.",
                      settings_.calls_limit};
}

s3_result s3_client::ask(const s3_request& request, const s3_call_options& options) {
  base::value_of(pass(base::fault_point::bucket_request, shown(request.key), request.operation));
  const auto held = acquire();
  return send(request, options);
}

s3_result s3_client::send(s3_request request, const s3_call_options& options) {
  using enum s3_transfer_end;
  const auto timeout = options.timeout.count() > 0 ? options.timeout : settings_.call_timeout;
  const auto end_at = time_.now() + timeout;
  const auto connection = take_connection();
  bool is_unknown = false;
  for (std::size_t attempts = 1;; ++attempts) {
    if (!is_wanted(options))
      throw failed(request, "the process is stopping", base::errc::cancelled);
    if (attempts > 1) {
      counters_.repetitions.add();
      if (options.before_repetition) options.before_repetition(request);
    }
    auto made = try_once(*connection, request, options, end_at);
    auto& [end, why, answer, sent, received] = made.transfer;
    if (end == stopped) continue;
    if (end == refused) throw failed(request, "not wanted", base::errc::cancelled);
    if (end == not_trusted)
      why += "; set objects-ca-file to the authority that signed its certificate";
    if (end == too_long) why = "the answer is too long";
    if (end == not_trusted || end == too_long) {
      counters_.failed.add();
      throw failed(request, why);
    }
    auto error = end == answered ? error_in(answer, options) : s3_error{};
    auto next = end == answered ? judge(answer, error) : s3_next::again;
    // The response to a HEAD has no body with the reason: the clock (403), or a token that has
    // expired (400).
    if (request.method == "HEAD" && (answer.status == 403 || answer.status == 400))
      next = s3_next::again_with_time;
    const bool is_last = attempts == settings_.attempts_limit;
    if (next != s3_next::again && next != s3_next::again_outcome_unknown) {
      if (!is_last && is_mended(next, made)) continue;
      s3_result result{std::move(answer), std::move(error), is_unknown};
      (is_awaited(request, result) ? counters_.succeeded : counters_.failed).add();
      counters_.answered_ts.set(time_.unix_ms());
      return result;
    }
    is_unknown = is_unknown || end == cut || next == s3_next::again_outcome_unknown;
    const auto next_at =
        time_.now() + asked_for(answer) +
        random_up_to(backoff_bound(attempts, settings_.backoff_first, settings_.backoff_limit));
    if (is_last || next_at >= end_at) {
      counters_.failed.add();
      if (end == answered) why = s3_reason(answer, error);
      why += ", after " + model::counted(attempts, "attempt");
      if (is_unknown) why += "; the outcome is unknown";
      if (end == not_connected) why += "; check the endpoint, and that the service is running";
      throw failed(request, why, base::errc::store_failed, /*may_pass=*/true);
    }
    wait_until(next_at, options);
  }
}

s3_client::attempt s3_client::try_once(s3_connection& with, const s3_request& request,
                                       const s3_call_options& options, base::steady_time end_at) {
  // May wait for credentials.
  attempt made{sign(request, options.taker ? &options.taker : nullptr), {}};
  s3_transfer_limits limits;
  limits.timeout =
      std::max(std::chrono::floor<milliseconds>(end_at - time_.now()), milliseconds{1});
  limits.connect_timeout = settings_.connect_timeout;
  limits.silence_timeout = options.may_be_silent
                               ? std::chrono::ceil<std::chrono::seconds>(limits.timeout)
                               : settings_.silence_timeout;
  limits.least_rate = settings_.least_rate;
  limits.ca_file = settings_.ca_file;
  limits.is_stopped = [&] { return !is_wanted(options); };
  made.transfer = with.perform(made.request.request, limits);
  counters_.sent_bytes.add(made.transfer.sent_bytes);
  counters_.received_bytes.add(made.transfer.received_bytes);
  return made;
}

bool s3_client::is_mended(s3_next next, const attempt& made) {
  if (next == s3_next::take) return false;
  if (next == s3_next::again_with_time && learn_time(made)) return true;
  credentials_->renew();
  return !are_equal(*credentials_->current(), *made.request.by);
}

bool s3_client::learn_time(const attempt& made) {
  const std::string date{made.transfer.answer.header("date")};
  const auto there_s = date.empty() ? -1 : curl_getdate(date.c_str(), nullptr);
  if (there_s < 0) return false;
  const auto offset_ms = static_cast<std::int64_t>(there_s) * 1'000 - time_.unix_ms();
  if (std::abs(offset_ms) > s3_clock_offset_limit.count()) return false;
  if (std::abs(offset_ms - made.request.offset_ms) <= s3_clock_tolerance.count()) return false;
  const auto before_ms = offset_ms_.exchange(offset_ms);
  if (std::abs(offset_ms - before_ms) > s3_clock_tolerance.count())
    base::log(base::log_event::bucket_clock,
              "{}: the service's clock differs from this machine's by {} s; requests are signed "
              "with the service's time. Synchronize this machine's clock (NTP).",
              shown({}), offset_ms / 1'000);
  return true;
}

void s3_client::wait_until(base::steady_time at, const s3_call_options& options) {
  std::unique_lock lock{mutex_};
  while (is_wanted(options)) {
    const auto left = std::chrono::ceil<milliseconds>(at - time_.now());
    if (left.count() <= 0) return;
    changed_.wait_for(lock, std::min(left, longest_wait));
  }
}

bool s3_client::is_wanted(const s3_call_options& options) const {
  return (options.is_last || !stopped_) && !(options.is_stopped && options.is_stopped());
}

s3_client::lent_connection s3_client::take_connection() {
  const std::lock_guard lock{mutex_};
  if (idle_.empty()) return lent_connection{new s3_connection, {this}};
  auto* const freshest = idle_.back().release();
  idle_.pop_back();
  return lent_connection{freshest, {this}};
}

void s3_client::give_back::operator()(s3_connection* connection) const {
  std::unique_ptr<s3_connection> given{connection};
  const std::lock_guard lock{to->mutex_};
  to->idle_.push_back(std::move(given));
}

base::failure s3_client::refused(const s3_request& request, const s3_result& result) const {
  return base::failure{
      s3_refusal(shown(request.key), request.operation, result.answer, result.error)};
}

base::failure s3_client::failed(const s3_request& request, const std::string& why, base::errc code,
                                bool may_pass) const {
  auto detail = fmt::format("{}: cannot {}: {}", shown(request.key), request.operation, why);
  return base::failure{base::error{code, std::move(detail), /*for_clients=*/false, may_pass}};
}

s3_signed_request s3_client::sign(const s3_request& request, const s3_body_taker* taker) {
  auto by = credentials_->current();
  const auto offset_ms = offset_ms_.load();
  const auto sha256 = base::hexadecimal(base::sha256(request.body));
  const s3_signing_scope scope{addresses_.region, time_.unix_ms() + offset_ms};
  const auto& at = addresses_.direct;
  const auto path = path_of(at, request.key);
  s3_http_request made{request.method, at.url_of(path, s3_query(request.query)), request.headers,
                       request.body, taker};
  made.headers.emplace_back("x-amz-date", s3_time(scope.at_ts));
  made.headers.emplace_back("x-amz-content-sha256", sha256);
  if (const auto& token = by->session_token.revealed(); !token.empty())
    made.headers.emplace_back("x-amz-security-token", token);
  s3_signed_parts parts{request.method, path, request.query, made.headers, sha256};
  parts.headers.emplace_back("host", at.host);
  made.headers.emplace_back("authorization", s3_authorization(parts, *by, scope));
  // Not signed: proxies may replace it.
  if (const auto parent = base::about_request::current().trace_parent; !parent.empty())
    made.headers.emplace_back("traceparent", model::next_trace_parent(parent, base::random_seed()));
  return {std::move(made), std::move(by), offset_ms};
}

std::string s3_client::presign(const std::string& key, const object_link& what) {
  const auto& at = addresses_.links;
  const auto path = path_of(at, key);
  s3_pairs query;
  if (!what.content_type.empty()) query.emplace_back("response-content-type", what.content_type);
  if (!what.disposition.empty())
    query.emplace_back("response-content-disposition", what.disposition);
  const auto* const method = what.allows == object_link::method::head ? "HEAD" : "GET";
  const s3_signed_parts parts{method, path, std::move(query), {{"host", at.host}}, {}};
  const auto by = credentials_->current();
  return at.url_of(path,
                   s3_presigned_query(parts, *by, {addresses_.region, unix_ms()}, what.lifetime));
}

std::string s3_client::shown(const std::string& key) const {
  return fmt::format("s3://{}/{} at {}", settings_.location.bucket, key,
                     addresses_.direct.url.authority());
}

} // namespace matchcloud::store
