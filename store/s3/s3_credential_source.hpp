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

/// How long the file is not looked at again, so that requests do not wait for it.
inline constexpr std::chrono::seconds credentials_look_interval{5};

/// Where credentials come from.
enum class credential_origin : std::uint8_t {
  /// The first that there is of these, in the order of the SDKs of AWS. Variables that are empty
  /// count as absent.
  /// 1. `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, which then stay.
  /// 2. The role `AWS_ROLE_ARN`, for the token in `AWS_WEB_IDENTITY_TOKEN_FILE` (EKS IRSA).
  /// 3. The profile `AWS_PROFILE` (`default`) of the file `AWS_SHARED_CREDENTIALS_FILE`
  ///    (`~/.aws/credentials`), which is read again when it has changed.
  /// 4. The container's, from `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or
  ///    `AWS_CONTAINER_CREDENTIALS_FULL_URI` (ECS, EKS Pod Identity).
  /// Those of roles are fetched again before they expire.
  usual,
  /// The role of the EC2 instance that this process runs on. Its metadata service (version 2) is
  /// asked for them, again before they expire; `AWS_EC2_METADATA_SERVICE_ENDPOINT` may say where
  /// it is. Links end with the credentials that they were signed with, however long they are for.
  metadata,
};

/// Gives credentials. Any thread; may wait for the disk, or up to 5 s for a service that lends
/// them.
class s3_credential_source {
public:
  /// Gets credentials. Fails with `config_invalid` if there are none or they are broken; the detail
  /// names the variable, the file or the service and what to do, and has nothing of the
  /// credentials. A file that others can read is taken, with a warning in the log. `time` must
  /// outlive the source.
  static base::expected<std::unique_ptr<s3_credential_source>>
  open(const environment& from, const base::clock& time,
       credential_origin origin = credential_origin::usual);

  virtual ~s3_credential_source() = default;

  /// The present credentials. If they cannot be read or fetched any more, those that were last,
  /// with a warning in the log.
  virtual s3_credentials_ptr current() = 0;
  /// Looks for others now: the service refuses what `current` gave. Returns whether there are any.
  virtual bool renew() = 0;
};

} // namespace matchcloud::store
