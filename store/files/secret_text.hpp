#pragma once

#include "base/failure.hpp"
#include "store/secrets/secret_versions.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// The size limit of a file of secrets; the maximum number of versions takes a fraction of it.
inline constexpr std::size_t secret_file_limit_bytes = 16UL * 1024;

/// Renders a file of secrets. One line for each, newest first: `current` or the time until which
/// the version is accepted, its secret in hexadecimal digits and, if known, its creation time;
/// times are milliseconds since 1970. Comments begin with `#`.
std::string render_secrets(secret_name name, const secret_versions& versions);

/// Parses such a text, read from `path`. Throws `store_failed`: the detail has the damaged
/// line's number and what was expected, but not what was found, which may be secret.
secret_versions parse_secrets(secret_name name, const std::string& path, std::string_view text);

/// The failure of a file of secrets with a damaged line; `expected` says what should be there.
base::failure damaged_secrets(secret_name name, const std::string& path, std::size_t line,
                              std::string_view expected);

} // namespace matchcloud::store
