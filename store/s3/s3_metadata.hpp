#pragma once

#include "base/expected.hpp"
#include "store/s3/s3_lender_session.hpp"
#include "store/s3/s3_lent_credentials.hpp"

#include <string>
#include <string_view>

/// Credentials of the role of an EC2 instance, as the Amazon EC2 user guide has it under "Use the
/// Instance Metadata Service to access instance metadata" (version 2) and "Retrieve security
/// credentials from instance metadata". Any thread. All fail with `config_invalid`; details have
/// nothing of what is secret.
namespace matchcloud::store {

/// The service at an endpoint: `http://`, host and port, no path. Empty: where it is on EC2.
base::expected<s3_lender_place> metadata_service_at(std::string_view endpoint);

/// Asks for credentials: for a token, by it for the name of the role, and for the role's
/// credentials. Waits for the network.
base::expected<s3_loan> fetch_role_credentials(const s3_lender_place& from);

/// Reads the credentials of a role.
base::expected<s3_loan> read_metadata_credentials(std::string_view body);

} // namespace matchcloud::store
