#pragma once

#include "base/expected.hpp"
#include "store/s3/s3_lent_credentials.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

/// Credentials of the role of an EC2 instance, as the Amazon EC2 user guide has it under "Use the
/// Instance Metadata Service to access instance metadata" (version 2) and "Retrieve security
/// credentials from instance metadata". Any thread. All fail with `config_invalid`; details have
/// nothing of what is secret.
namespace matchcloud::store {

/// The longest answer of the metadata service.
inline constexpr std::size_t metadata_limit_bytes = 64UL * 1024;

/// Where the metadata service is, and how long it is waited for.
struct s3_metadata_service {
  /// `http://HOST:PORT`, without a slash at the end.
  std::string url = "http://169.254.169.254";
  std::chrono::milliseconds connect_timeout{1'000};
  /// From the first request to the last answer.
  std::chrono::milliseconds timeout{5'000};
};

/// The service at an endpoint: `http://`, host and port, no path. Empty: where it is on EC2.
base::expected<s3_metadata_service> metadata_service_at(std::string_view endpoint);

/// Asks for credentials: for a token, by it for the name of the role, and for the role's
/// credentials. Waits for the network.
base::expected<s3_loan> fetch_credentials(const s3_metadata_service& from);

/// Reads the credentials of a role.
base::expected<s3_loan> read_metadata_credentials(std::string_view body);

} // namespace matchcloud::store
