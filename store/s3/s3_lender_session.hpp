#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "model/net/http_url.hpp"
#include "store/s3/s3_transfer.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// The longest answer of a service that lends credentials.
inline constexpr std::size_t lender_answer_limit_bytes = 64UL * 1024;

/// A service that lends credentials, and how long it is waited for.
struct s3_lender_place {
  /// `http://HOST:PORT` or `https://HOST:PORT`, without a slash at the end.
  std::string url;
  /// For people: "the metadata service of EC2".
  std::string name;
  /// Ends the error where it cannot be reached; may be empty.
  std::string hint{};
  std::chrono::milliseconds connect_timeout{1'000};
  /// From the first request to the last answer.
  std::chrono::milliseconds timeout{5'000};
};

/// Whether a URL may be asked for credentials: by https, or by http on this machine alone (its
/// loopback addresses, those that ECS and EKS give their agents), as the SDKs of AWS have it.
bool may_lend(const model::http_url& url);

/// Requests to such a service, one after the other, within one deadline. Errors are
/// `store_failed` where the service is away or busy, else `config_invalid`, and have nothing of
/// what is secret. One thread at a time.
class s3_lender_session {
public:
  /// `with` must outlive this.
  explicit s3_lender_session(const s3_lender_place& with)
      : with_{with}, end_at_{base::machine_clock().now() + with.timeout} {}

  /// The answer to a request. `target` is a path and a query, encoded; `what` is for errors:
  /// "cannot get ..". A `body` must outlive the call.
  base::expected<s3_answer> ask(std::string_view method, std::string_view target, s3_pairs headers,
                                std::string_view what, std::string_view body = {});

  tl::unexpected<base::error> failed(std::string_view what, const std::string& why) const;

private:
  s3_transfer_limits limits() const;

  const s3_lender_place& with_;
  base::steady_time end_at_;
  s3_lane lane_{1};
};

} // namespace matchcloud::store
