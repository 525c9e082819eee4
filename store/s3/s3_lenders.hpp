#pragma once

#include "base/clock.hpp"
#include "store/s3/s3_request.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// Services that lend the credentials of a role. Details of errors name the variable or the service
/// and never show secrets.
namespace matchcloud::store {

/// The longest response of such a service.
inline constexpr std::size_t lender_answer_limit_bytes = 64UL * 1024;

class lender_session;

/// A service, and how its credentials are requested. Any thread.
struct s3_lender {
  /// For people: "the metadata service of EC2".
  std::string name;
  /// `http://HOST:PORT` or `https://HOST:PORT`, without a slash at the end.
  std::string url;
  /// Path and query of the first request.
  std::string target;
  /// Appended to the error if it cannot be reached; may be empty.
  std::string hint;
  /// Makes the requests, and reads the last answer.
  std::function<s3_loan(lender_session&)> ask;
  std::chrono::milliseconds connect_timeout{1'000};
  /// From the first request to the last response.
  std::chrono::milliseconds timeout{5'000};

  /// Waits for the disk and the network. Throws `store_failed` if the service is unreachable or
  /// busy, or else `config_invalid`.
  s3_loan fetch() const;
};

// These throw `config_invalid` for a variable that cannot be used.

/// The role of an EC2 instance, as described in the Amazon EC2 user guide under "Use the Instance
/// Metadata Service to access instance metadata" (version 2) and "Retrieve security credentials
/// from instance metadata": at `AWS_EC2_METADATA_SERVICE_ENDPOINT` (`http://`, host and port) or
/// its address on EC2. Fetches a token, then with it the name of the role and its credentials.
s3_lender metadata_lender(const environment& from);

/// The role of a container or a pod, from the agent (ECS, EKS Pod Identity) that
/// `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or `AWS_CONTAINER_CREDENTIALS_FULL_URI` names, or
/// nothing if neither is set: the AWS SDKs and tools reference guide, "Container credential
/// provider".
std::optional<s3_lender> container_lender(const environment& from);

/// A role that is assumed with the token in `AWS_WEB_IDENTITY_TOKEN_FILE` (EKS IRSA), which is read
/// each time because Kubernetes replaces it; nothing if that is not set: the same guide, "Assume
/// role with web identity". Uses the STS of the region, or the one at `AWS_ENDPOINT_URL_STS`.
std::optional<s3_lender> web_identity_lender(const environment& from);

// Read the last answer of each. Throw `config_invalid`.

s3_loan read_metadata_credentials(std::string_view body);
s3_loan read_container_credentials(std::string_view body);
s3_loan read_web_identity_credentials(std::string_view body);

} // namespace matchcloud::store
