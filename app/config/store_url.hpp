#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <string>

namespace matchcloud::app {

/// The environment variable that names the store if there is no `--store`.
inline constexpr const char* store_variable = "MATCHCLOUD_STORE";

enum class url_source : std::uint8_t {
  /// The command line, which every user of the machine can read.
  flag,
  /// The environment or a file.
  private_source,
};

/// Checks the URL of a store. Fails with `config_invalid` if it is not a PostgreSQL URL or
/// connection string, or if the command line has a password. The detail never contains the
/// password.
base::expected<void> check_store_url(const std::string& url, url_source from);

/// The URL in the environment; empty if there is none.
std::string store_url_of_environment();

} // namespace matchcloud::app
