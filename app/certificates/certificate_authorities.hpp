#pragma once

#include "base/expected.hpp"

#include <openssl/x509.h>

#include <cstddef>
#include <memory>
#include <string>

namespace matchcloud::app {

/// Bundles of all public authorities have about 220 kB.
inline constexpr std::size_t authorities_limit_bytes = 16UL * 1024 * 1024;

/// The authorities that a client trusts to identify servers: only the ones in a file, or the
/// system's. Copies share what was read. Any thread.
class certificate_authorities {
public:
  /// The system's.
  certificate_authorities() = default;
  /// Reads one certificate or more in PEM; they need not be self-signed. The file is read once, so
  /// it may be a pipe. Fails with `config_invalid` if it cannot be read, has no certificate or a
  /// damaged one.
  static base::expected<certificate_authorities> read(const std::string& file);

  /// The file's name; empty: the system's.
  const std::string& file() const noexcept { return file_; }
  /// Null: the system's.
  X509_STORE* store() const noexcept { return store_.get(); }

private:
  std::string file_;
  std::shared_ptr<X509_STORE> store_;
};

} // namespace matchcloud::app
