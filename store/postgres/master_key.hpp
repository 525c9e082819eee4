#pragma once

#include "base/crypto/secret_bytes.hpp"
#include "base/expected.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// The size limit of a file with a master key.
inline constexpr std::size_t master_key_file_limit_bytes = 4UL * 1024;

/// Reads the key that secrets are encrypted under: a file with 64 hexadecimal digits, and nothing
/// else but white space and comments (#). Only its owner may be able to read it. Fails with
/// `config_invalid`; the detail says what to do, and never what was found.
base::expected<base::secret_bytes> read_master_key(const std::string& path);

/// Encrypts with AES-256-GCM (NIST SP 800-38D) and a random nonce. `name` is authenticated, so that
/// one secret cannot replace another.
std::string seal(const base::secret_bytes& key, std::string_view name, std::string_view text);
/// Decrypts what `seal` made. Fails with `store_failed` if the key is different, or if the bytes or
/// the name were changed.
base::expected<std::string> unseal(const base::secret_bytes& key, std::string_view name,
                                   std::string_view sealed);

} // namespace matchcloud::store
