#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "base/metrics.hpp"
#include "store/object_store.hpp"
#include "store/s3/s3_credential_source.hpp"
#include "store/s3/s3_settings.hpp"
#include "store/s3/s3_transfer.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

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
  /// In hexadecimal digits.
  std::string body_sha256;
  /// For errors: "cannot ..".
  std::string_view operation;
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

/// Makes requests to an object storage: knows its address, the credentials and the service's time.
/// Any thread; may wait for the source of credentials.
class s3_endpoint {
public:
  /// Fails with `config_invalid`. `time` must outlive the endpoint.
  static base::expected<std::unique_ptr<s3_endpoint>>
  make(s3_settings settings, std::unique_ptr<s3_credential_source> credentials,
       const base::clock& time);

  const s3_settings& settings() const noexcept { return settings_; }
  const base::clock& time() const noexcept { return time_; }
  /// Milliseconds since 1970, by the service's clock.
  std::int64_t unix_ms() const noexcept { return time_.unix_ms() + offset_ms_.load(); }

  /// The request, signed for the next minutes.
  s3_signed_request sign(const s3_request& request, const s3_body_taker* taker);
  /// A URL for clients without credentials, at the public endpoint.
  std::string presign(const std::string& key, const object_link& what);

  /// Adopts the time of the response's `Date`, because the service may have refused the time of
  /// `request`. Returns false if there is none, or if it is close to the time used or too far away.
  bool learn_time(const s3_signed_request& request, const s3_answer& answer);
  /// Looks for other credentials than those of `request`. Returns whether there are any.
  bool renew_credentials(const s3_signed_request& request);

  /// The counters of all calls to the service.
  s3_counters& counters() noexcept { return counters_; }

  /// `s3://BUCKET/KEY at HOST`, for errors.
  std::string shown(const std::string& key) const;

private:
  s3_endpoint(s3_settings settings, s3_addresses addresses,
              std::unique_ptr<s3_credential_source> credentials, const base::clock& time)
      : settings_{std::move(settings)},
        addresses_{std::move(addresses)},
        credentials_{std::move(credentials)},
        time_{time} {}

  s3_settings settings_;
  s3_addresses addresses_;
  std::unique_ptr<s3_credential_source> credentials_;
  const base::clock& time_;
  /// The offset that is added to this machine's time.
  std::atomic<std::int64_t> offset_ms_{0};
  s3_counters counters_;
};

} // namespace matchcloud::store
