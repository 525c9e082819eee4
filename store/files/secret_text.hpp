#pragma once

#include "base/expected.hpp"
#include "store/secrets/secret_name.hpp"
#include "store/secrets/secret_versions.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// The size limit of a file of secrets; as many versions as there may be take a fraction of it.
inline constexpr std::size_t secret_file_limit_bytes = 16UL * 1024;

/// Makes the text of a file of secrets. A line each, newest first: `current` or the time up to
/// which the version is accepted, its secret in hexadecimal digits and, where it is known, when it
/// was made; times are milliseconds since 1970. Comments begin with `#`.
std::string render_secrets(secret_name name, const secret_versions& versions);

/// Parses such a text, read from `path`. Fails with `store_failed`: the detail says in which line
/// the file is damaged and what was expected, but not what was found, which may be secret.
base::expected<secret_versions> parse_secrets(secret_name name, const std::string& path,
                                              std::string_view text);

/// A file of secrets that is damaged in a line; `expected` says what should be there.
tl::unexpected<base::error> damaged_secrets(secret_name name, const std::string& path,
                                            std::size_t line, std::string_view expected);

} // namespace matchcloud::store
