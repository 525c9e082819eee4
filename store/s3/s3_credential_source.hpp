#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "store/s3/s3_credentials.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace matchcloud::store {

/// The longest credentials file.
inline constexpr std::size_t credentials_limit_bytes = 256UL * 1024;

/// The least time between two checks of the file, so that requests do not wait for it.
inline constexpr std::chrono::seconds credentials_look_interval{5};

/// The source of credentials.
enum class credential_origin : std::uint8_t {
  /// The first of these that exists, in the order of the AWS SDKs. Empty variables count as
  /// absent.
  /// 1. `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, which then stay.
  /// 2. The role `AWS_ROLE_ARN`, for the token in `AWS_WEB_IDENTITY_TOKEN_FILE` (EKS IRSA).
  /// 3. The profile `AWS_PROFILE` (`default`) of the file `AWS_SHARED_CREDENTIALS_FILE`
  ///    (`~/.aws/credentials`), which is read again when it has changed.
  /// 4. The container's, from `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or
  ///    `AWS_CONTAINER_CREDENTIALS_FULL_URI` (ECS, EKS Pod Identity).
  /// Those of roles are fetched again before they expire.
  usual,
  /// The role of the EC2 instance that this process runs on. They are fetched from its metadata
  /// service (version 2), and again before they expire; `AWS_EC2_METADATA_SERVICE_ENDPOINT` can set
  /// its address. Links expire with the credentials that signed them, regardless of their lifetime.
  metadata,
};

/// Supplies credentials. Any thread; may wait for the disk, or up to 5 s for a service that lends
/// them.
class s3_credential_source {
public:
  /// Gets credentials. Fails with `config_invalid` if there are none or they are broken; the detail
  /// names the variable, the file or the service and what to do, and has no part of the
  /// credentials. A file that others can read is accepted, with a warning in the log. `time` must
  /// outlive the source.
  static base::expected<std::unique_ptr<s3_credential_source>>
  open(const environment& from, const base::clock& time,
       credential_origin origin = credential_origin::usual);

  virtual ~s3_credential_source() = default;

  /// The current credentials. If they can no longer be read or fetched, the last ones, with a
  /// warning in the log.
  virtual s3_credentials_ptr current() = 0;
  /// Looks for new ones: the service refuses the current. Returns whether there are any.
  virtual bool renew() = 0;
};

} // namespace matchcloud::store
