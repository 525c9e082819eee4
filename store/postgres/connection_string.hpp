#pragma once

#include "base/expected.hpp"
#include "store/open_store.hpp"

#include <string>

namespace matchcloud::store {

/// The schema of the tables, which keeps them apart from the rest of the database.
inline constexpr const char* schema_name = "matchcloud";

/// The server and database of a connection string, for messages: `postgresql://HOST:PORT/DATABASE`,
/// without user, password and options.
std::string server_name_of(const std::string& url);

/// Checks that a server beyond loopback is verified, unless the settings allow otherwise. Takes
/// services and the environment into account. Fails with `config_invalid`.
base::expected<void> check_verification(const postgres_settings& settings);

} // namespace matchcloud::store
