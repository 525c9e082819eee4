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

/// What an operator should know of certificates that are accepted all the same.
struct tls_warning {
  std::string text;
  /// Whether all clients refuse the certificate.
  bool is_useless = false;
};

/// Certificates that are not valid at `now_ts` (milliseconds since 1970), or end within
/// `tls_warning_days`, and those that not all browsers accept, where no other is for the same
/// names.
std::vector<tls_warning> warnings_of(const tls_material& material, std::int64_t now_ts);
inline constexpr std::int64_t tls_warning_days = 14;

/// What is wrong with the modes of the files of keys, a line each. They are used all the same: what
/// Kubernetes mounts as a Secret has mode 0644 unless told otherwise. Looks at the disk.
std::vector<std::string> exposed_keys(const tls_files& files);

/// The earliest end of validity of the certificates, in seconds since 1970; 0 where there are none.
std::int64_t first_expiry_s(const tls_material& material);

} // namespace matchcloud::http
