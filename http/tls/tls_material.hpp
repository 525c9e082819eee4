#pragma once

#include "base/expected.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::http {

/// The files that a TLS listener is made of, as the configuration names them.
struct tls_files {
  /// A certificate and its key: PEM files. The certificate's has the chain behind it, without the
  /// root.
  struct pair {
    std::string certificate;
    std::string key;
    friend bool operator==(const pair&, const pair&) = default;
  };
  /// The first is shown to whoever asks for a name that none has, or for none.
  std::vector<pair> pairs;
  /// PEM file of the authorities whose client certificates the ops plane takes; empty: it asks for
  /// none.
  std::string client_ca;
};

/// A secret that all processes of a store derive the keys of session tickets from.
using ticket_root = std::array<std::uint8_t, 32>;

/// What is in the files of TLS listeners, with the roots of tickets. Immutable, shared by threads:
/// each makes contexts of its own from it.
struct tls_material {
  /// PEM texts, and the names of the files that they were read from.
  struct pair {
    tls_files::pair files;
    std::string certificate;
    std::string key;
    friend bool operator==(const pair&, const pair&) = default;
  };
  std::vector<pair> pairs;
  std::string client_ca;
  /// Newest first; the newest makes tickets, the others only open theirs. Empty: there are no
  /// tickets.
  std::vector<ticket_root> ticket_roots;

  friend bool operator==(const tls_material&, const tls_material&) = default;
};

/// The most bytes that a file of certificates or keys may have.
inline constexpr std::size_t tls_file_limit_bytes = 1024 * 1024;

/// Reads the files and checks that contexts can be made of them: each certificate parses, its key
/// belongs to it and needs no passphrase. Fails with `config_invalid`, naming the file and what to
/// do. Reads from the disk.
base::expected<tls_material> read_tls_files(const tls_files& files);

/// What an operator should know of certificates that are accepted all the same: those that are not
/// valid at `now_ts` (milliseconds since 1970), or end within `tls_warning_days`. A line each.
std::vector<std::string> warnings_of(const tls_material& material, std::int64_t now_ts);
inline constexpr std::int64_t tls_warning_days = 14;

/// The earliest end of validity of the certificates, in seconds since 1970; 0 where there are none.
std::int64_t first_expiry_s(const tls_material& material);

} // namespace matchcloud::http
