#pragma once

namespace matchcloud::cli {

/// The environment variable that names the file of trusted authorities if there is no `--ca-file`.
inline constexpr const char* ca_file_variable = "MATCHCLOUD_CA_FILE";

} // namespace matchcloud::cli
