#pragma once

#include "http/tls/tls_material.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace matchcloud::http {

/// The keys that encrypt and authenticate session tickets, derived from a root (HKDF with SHA-256).
struct ticket_key {
  std::array<std::uint8_t, 16> name{};
  std::array<std::uint8_t, 32> encryption{};
  std::array<std::uint8_t, 32> authentication{};
};

/// Identifies what a session belongs to: the plane, the certificate and the authorities of client
/// certificates. A ticket resumes only sessions with the same identity.
using session_identity = std::array<std::uint8_t, 32>;
/// Derived from the plane's name and the bytes of what the listener shows and trusts.
session_identity identify_session(std::string_view plane, std::span<const std::uint8_t> certificate,
                                  std::string_view client_ca);

/// A key for each root, in their order. Different identities have unrelated keys, and a key reveals
/// no root.
std::vector<ticket_key> derive_ticket_keys(std::span<const ticket_root> roots,
                                           const session_identity& identity);

} // namespace matchcloud::http
