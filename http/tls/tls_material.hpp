#pragma once

#include "base/config_row.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::http {

/// The files of a TLS listener, as the configuration names them.
struct tls_files {
  /// A certificate and its key: PEM files. The certificate is followed by its chain, without the
  /// root.
  struct pair {
    std::string certificate;
    std::string key;
    friend bool operator==(const pair&, const pair&) = default;
  };
  /// If several are for the name that a client requests, one of each kind of key is offered, of EC
  /// keys the one whose curve most clients know, and OpenSSL chooses what the client can check. If
  /// none is, or the client requests no name, the choice is among those with all names of the
  /// first.
  std::vector<pair> pairs;
  /// PEM file of the authorities whose client certificates the ops plane accepts; empty: it
  /// requests none.
  std::string client_ca;

  friend bool operator==(const tls_files&, const tls_files&) = default;
};

/// What encrypts and authenticates session tickets: random bytes of one process, only in memory.
struct ticket_key {
  std::array<std::uint8_t, 16> name{};
  std::array<std::uint8_t, 32> encryption{};
  std::array<std::uint8_t, 32> authentication{};
  friend bool operator==(const ticket_key&, const ticket_key&) = default;
};

/// The content of the files of TLS listeners, with the keys of tickets. Immutable, shared by
/// threads: each makes contexts of its own from it.
struct tls_material {
  /// PEM texts, and the names of the files that they were read from.
  struct pair {
    tls_files::pair files;
    std::string certificate;
    std::string key;
    friend bool operator==(const pair&, const pair&) = default;
  };
  std::vector<pair> pairs;
  /// PEM text, empty if no client certificates are requested, and the name of its file.
  std::string client_ca;
  std::string client_ca_file;
  /// Newest first; the newest makes tickets, the others only open their own. Empty: there are no
  /// tickets.
  std::vector<ticket_key> ticket_keys;

  friend bool operator==(const tls_material&, const tls_material&) = default;
};

/// Keys for the files of TLS listeners.
base::config_rows<tls_files> tls_keys();

} // namespace matchcloud::http
