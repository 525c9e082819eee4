#pragma once

#include <array>
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
  /// Of several for the name that a client asks for, the first that it can check is shown. To a
  /// client that asks for a name that none has, or for none, those with all names of the first
  /// are.
  std::vector<pair> pairs;
  /// PEM file of the authorities whose client certificates the ops plane takes; empty: it asks for
  /// none.
  std::string client_ca;

  friend bool operator==(const tls_files&, const tls_files&) = default;
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
  /// PEM text, empty where no client certificates are asked for, and the name of its file.
  std::string client_ca;
  std::string client_ca_file;
  /// Newest first; the newest makes tickets, the others only open theirs. Empty: there are no
  /// tickets.
  std::vector<ticket_root> ticket_roots;

  friend bool operator==(const tls_material&, const tls_material&) = default;
};

} // namespace matchcloud::http
