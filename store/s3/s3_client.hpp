#pragma once

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "base/metrics.hpp"
#include "store/object_store.hpp"
#include "store/s3/s3_answers.hpp"
#include "store/s3/s3_credentials.hpp"
#include "store/s3/s3_request.hpp"
#include "store/s3/s3_settings.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// Counts calls by their outcome. Any thread.
struct s3_counters : base::metric_set {
  static constexpr base::metric_text calls{
      "matchcloud_objects_calls_total", "Calls to the bucket, counted when they end, by outcome."};

  base::counter repetitions{
      *this,
      {"matchcloud_objects_calls_repeated_total", "Repeated attempts of calls to the bucket."}};
  /// Bytes of the bodies of all attempts; counted when an attempt ends.
  base::counter sent_bytes{*this,
                           {"matchcloud_objects_sent_bytes_total", "Bytes sent to the bucket."}};
  base::counter received_bytes{
      *this, {"matchcloud_objects_received_bytes_total", "Bytes received from the bucket."}};
  /// Calls with an expected response, which includes the news that an object does not exist or that
  /// a name is taken.
  base::counter succeeded{*this, calls, {"outcome", "succeeded"}};
  /// Calls that were refused or got no conclusive response. A call that was stopped, or whose bytes
  /// were no longer wanted, is in neither number.
  base::counter failed{*this, calls, {"outcome", "failed"}};
  base::counter refused{
      *this,
      {"matchcloud_objects_calls_refused_total",
       "Calls refused because the limit on simultaneous calls to the bucket was reached."}};
  /// When the service last sent a conclusive response, success or refusal, in milliseconds since
  /// 1970; 0: not yet.
  base::gauge answered_ts;
};

/// A request about a bucket or an object, before it is signed.
struct s3_request {
  std::string method;
  /// The whole name in the bucket; empty for the bucket itself.
  std::string key;
  s3_pairs query;
  /// Names in lower case, without `host`, `x-amz-date`, `x-amz-content-sha256` and headers about
  /// credentials.
  s3_pairs headers;
  /// Not copied.
  std::string_view body;
  /// For errors: "cannot ..".
  std::string_view operation;
};

/// How a request is made, apart from what is sent.
struct s3_call_options {
  /// From the beginning of the call, including repetitions. 0: `s3_settings::call_timeout`.
  std::chrono::milliseconds timeout{0};
  /// Whether the service may be silent until then.
  bool may_be_silent = false;
  /// Whether the request is made even after `stop`.
  bool is_last = false;
  /// Receives the body; empty: it is kept in the response.
  s3_body_taker taker;
  /// Changes the request before it is repeated.
  std::function<void(s3_request&)> before_repetition;
  /// Finds the error in a response; empty: statuses from 300 on are errors, read from their body.
  std::function<s3_error(const s3_answer&)> error_of;
  /// Whether the call is no longer wanted. May be empty.
  std::function<bool()> is_stopped;
};

/// The result of a call: a conclusive response, either a success or a refusal.
struct s3_result {
  s3_answer answer;
  /// The error of a refusal; its code is empty if there is none.
  s3_error error;
  /// Whether an earlier attempt may have taken effect.
  bool was_outcome_unknown = false;

  bool is_success() const noexcept { return answer.is_success() && error.code.empty(); }
};

/// A signed request, and what it was signed with.
struct s3_signed_request {
  s3_http_request request;
  s3_credentials_ptr by;
  /// The offset that was added to this machine's time.
  std::int64_t offset_ms = 0;
};

/// The service's time is adopted if it differs by more than the tolerance from the time that was
/// used, and by no more than the limit from this machine's. Services tolerate 15 minutes.
inline constexpr std::chrono::milliseconds s3_clock_tolerance{std::chrono::minutes{1}};
inline constexpr std::chrono::milliseconds s3_clock_offset_limit{std::chrono::hours{24}};

/// The longest time to wait before the n-th repetition (from 1): `first`, doubled with each
/// repetition, up to `limit`.
std::chrono::milliseconds backoff_bound(std::size_t repetition, std::chrono::milliseconds first,
                                        std::chrono::milliseconds limit) noexcept;

/// Makes requests to an object storage: knows its address, the credentials and the service's time,
/// and keeps connections. Any thread; calls block, within the deadlines of the settings. Throws
/// `base::failure`.
class s3_client {
public:
  /// One of `s3_settings::calls_limit` simultaneous calls or uploads, as long as it is held.
  struct release {
    void operator()(s3_client* of) const noexcept { --of->in_progress_; }
  };
  using slot = std::unique_ptr<s3_client, release>;

  /// Throws `config_invalid`. `time` must outlive the client.
  s3_client(s3_settings settings, std::unique_ptr<s3_credential_source> credentials,
            const base::clock& time);
  s3_client(const s3_client&) = delete;
  s3_client& operator=(const s3_client&) = delete;

  const s3_settings& settings() const noexcept { return settings_; }
  /// Milliseconds since 1970, by the service's clock.
  std::int64_t unix_ms() const noexcept { return time_.unix_ms() + offset_ms_.load(); }

  /// Throws `overloaded` if none is left. Never waits.
  slot acquire();
  /// Makes a request in a slot of its own and waits for its result. Retries after temporary
  /// failures, with exponential backoff and full jitter (M. Brooker, "Exponential Backoff And
  /// Jitter", AWS Architecture Blog, 2015), bounded in number and time. Throws `store_failed` if
  /// there is no conclusive response, `overloaded`, or `cancelled` after `stop`.
  s3_result ask(const s3_request& request, const s3_call_options& options = {});
  /// The same in a slot of the caller's.
  s3_result send(s3_request request, const s3_call_options& options);

  /// The failure for a result that the caller did not expect, to be thrown.
  base::failure refused(const s3_request& request, const s3_result& result) const;
  /// The failure of a request for another reason: "cannot `operation`: ..".
  base::failure failed(const s3_request& request, const std::string& why,
                       base::errc code = base::errc::store_failed, bool may_pass = false) const;

  /// The request, signed for the next minutes.
  s3_signed_request sign(const s3_request& request, const s3_body_taker* taker);
  /// A URL for clients without credentials, at the public endpoint.
  std::string presign(const std::string& key, const object_link& what);

  /// `s3://BUCKET/KEY at HOST`, for errors.
  std::string shown(const std::string& key) const;
  /// Adds the metrics of the calls.
  void show(base::metric_set& in) const;

  /// Ends all current and future calls, within about a second. Any thread; never waits.
  void stop() noexcept;
  bool is_stopped() const noexcept { return stopped_; }

private:
  struct give_back {
    s3_client* to;
    void operator()(s3_connection* connection) const;
  };
  using lent_connection = std::unique_ptr<s3_connection, give_back>;
  struct attempt {
    s3_signed_request request;
    s3_transfer transfer;
  };

  attempt try_once(s3_connection& with, const s3_request& request, const s3_call_options& options,
                   base::steady_time end_at);
  /// Whether the next attempt can use the time or the credentials that this one lacked.
  bool is_mended(s3_next next, const attempt& made);
  /// Adopts the time of the response's `Date`, because the service may have refused the time of
  /// the request. Returns false if there is none, or if it is close to the time used or too far
  /// away.
  bool learn_time(const attempt& made);
  /// Waits until `at`, or until the call is no longer wanted.
  void wait_until(base::steady_time at, const s3_call_options& options);
  bool is_wanted(const s3_call_options& options) const;
  lent_connection take_connection();

  s3_settings settings_;
  s3_addresses addresses_;
  std::unique_ptr<s3_credential_source> credentials_;
  const base::clock& time_;
  /// The offset that is added to this machine's time.
  std::atomic<std::int64_t> offset_ms_{0};
  s3_counters counters_;
  std::atomic<std::size_t> in_progress_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  /// The most recently used is lent first, because its connection is the freshest.
  std::vector<std::unique_ptr<s3_connection>> idle_;
};

} // namespace matchcloud::store
