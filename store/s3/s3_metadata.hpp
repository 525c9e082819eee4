#pragma once

#include "base/expected.hpp"
#include "store/s3/s3_lender_session.hpp"
#include "store/s3/s3_lent_credentials.hpp"

#include <string>
#include <string_view>

/// Credentials of the role of an EC2 instance, as described in the Amazon EC2 user guide under "Use
/// the Instance Metadata Service to access instance metadata" (version 2) and "Retrieve security
/// credentials from instance metadata". Any thread. All fail with `config_invalid`; details never
/// show secrets.
namespace matchcloud::store {

/// The service at an endpoint: `http://`, host and port, no path. Empty: its address on EC2.
base::expected<s3_lender_place> metadata_service_at(std::string_view endpoint);

/// Fetches a token, then with it the name of the role and the role's credentials. Waits for the
/// network.
base::expected<s3_loan> fetch_role_credentials(const s3_lender_place& from);

/// Reads the credentials of a role.
base::expected<s3_loan> read_metadata_credentials(std::string_view body);

} // namespace matchcloud::store
