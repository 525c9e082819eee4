#pragma once

#include "base/expected.hpp"
#include "store/s3/s3_credentials.hpp"
#include "store/s3/s3_lender_session.hpp"
#include "store/s3/s3_lent_credentials.hpp"

#include <optional>
#include <string>
#include <string_view>

/// Credentials of the role of a container or a pod: from an agent on its machine (ECS, EKS Pod
/// Identity), described in the AWS SDKs and tools reference guide under "Container credential
/// provider", or from AWS STS for a token of Kubernetes (EKS IRSA), described there under "Assume
/// role with web identity". Any thread. All fail with `config_invalid`, or with `store_failed` if
/// the service is unreachable; details name the variable or the service and never show secrets.
namespace matchcloud::store {

/// An agent that lends the credentials of a container's role.
struct s3_container_agent {
  s3_lender_place place;
  /// Path and query.
  std::string target;
  /// The value of `Authorization`, or a file with it that is read each time; both may be empty.
  std::string token;
  std::string token_file;
};
/// The agent that `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or `AWS_CONTAINER_CREDENTIALS_FULL_URI`
/// names, or nothing if neither is set.
base::expected<std::optional<s3_container_agent>> container_agent_of(const environment& from);
/// Fetches credentials from the agent. Waits for the disk and the network.
base::expected<s3_loan> fetch_container_credentials(const s3_container_agent& from);
/// Reads the agent's response.
base::expected<s3_loan> read_container_credentials(std::string_view body);

/// A role that is assumed with a token from a file.
struct s3_web_identity {
  s3_lender_place place;
  /// Path and query.
  std::string target;
  std::string role_arn;
  std::string session_name;
  /// Read each time: Kubernetes replaces it.
  std::string token_file;
};
/// The web identity of `AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN` and `AWS_ROLE_SESSION_NAME`,
/// or nothing if the first is not set. Uses the STS of the region, or the one at
/// `AWS_ENDPOINT_URL_STS`.
base::expected<std::optional<s3_web_identity>> web_identity_of(const environment& from);
/// Fetches credentials from STS. Waits for the disk and the network.
base::expected<s3_loan> fetch_web_identity_credentials(const s3_web_identity& from);
/// Reads the response of STS.
base::expected<s3_loan> read_web_identity_credentials(std::string_view body);

} // namespace matchcloud::store
