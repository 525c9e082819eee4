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

/// Reads the files and checks that contexts can be made from them: each certificate parses, its key
/// belongs to it and needs no passphrase. Fails with `config_invalid`, naming the file and what to
/// do. Reads from the disk.
base::expected<tls_material> read_tls_files(const tls_files& files);

/// A warning to the operator about a certificate that is accepted anyway.
struct tls_warning {
  std::string text;
  /// Whether all clients refuse the certificate.
  bool is_useless = false;
};

/// Warns of certificates that are not valid at `now_ts` (milliseconds since 1970) or end within
/// `tls_warning_days`.
std::vector<tls_warning> warnings_of(const tls_material& material, std::int64_t now_ts);
inline constexpr std::int64_t tls_warning_days = 14;

/// What is wrong with the modes of key files, a line each. The files are used anyway: Kubernetes
/// mounts Secrets with mode 0644 by default. Reads from the disk.
std::vector<std::string> exposed_keys(const tls_files& files);

/// The earliest end of validity of the certificates, in seconds since 1970; 0 if there are none.
std::int64_t first_expiry_s(const tls_material& material);

} // namespace matchcloud::http
