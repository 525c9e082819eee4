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

/// The longest response of a service that lends credentials.
inline constexpr std::size_t lender_answer_limit_bytes = 64UL * 1024;

/// A service that lends credentials, and how long to wait for it.
struct s3_lender_place {
  /// `http://HOST:PORT` or `https://HOST:PORT`, without a slash at the end.
  std::string url;
  /// For people: "the metadata service of EC2".
  std::string name;
  /// Appended to the error if it cannot be reached; may be empty.
  std::string hint{};
  std::chrono::milliseconds connect_timeout{1'000};
  /// From the first request to the last response.
  std::chrono::milliseconds timeout{5'000};
};

/// Whether credentials may be requested from a URL: over https, or over http only from this machine
/// (loopback addresses and those of the ECS and EKS agents), as in the AWS SDKs.
bool may_lend(const model::http_url& url);

/// Requests to such a service, one after the other, within one deadline. Errors are `store_failed`
/// if the service is unreachable or busy, or else `config_invalid`, and never show secrets. One
/// thread at a time.
class s3_lender_session {
public:
  /// `with` must outlive this.
  explicit s3_lender_session(const s3_lender_place& with)
      : with_{with}, end_at_{base::machine_clock().now() + with.timeout} {}

  /// Sends a request and returns the response. `target` is a path and a query, encoded; `what` is
  /// for errors: "cannot get ..". A `body` must outlive the call.
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
