#pragma once

#include "base/expected.hpp"
#include "http/tls/tls_material.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::http {

/// The most bytes that a file of certificates or keys may have.
inline constexpr std::size_t tls_file_limit_bytes = 1024 * 1024;

/// Reads the files and checks that contexts can be made of them: each certificate parses, its key
/// belongs to it and needs no passphrase. Fails with `config_invalid`, naming the file and what to
/// do. Reads from the disk.
base::expected<tls_material> read_tls_files(const tls_files& files);

/// What an operator should know of certificates that are accepted all the same: those that are not
/// valid at `now_ts` (milliseconds since 1970), or end within `tls_warning_days`, and those that
/// not all browsers accept, where no other is for the same names. A line each.
std::vector<std::string> warnings_of(const tls_material& material, std::int64_t now_ts);
inline constexpr std::int64_t tls_warning_days = 14;

/// The earliest end of validity of the certificates, in seconds since 1970; 0 where there are none.
std::int64_t first_expiry_s(const tls_material& material);

} // namespace matchcloud::http
