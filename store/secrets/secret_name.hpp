#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace matchcloud::store {

/// The named secrets of a store. `named_secrets` describes each. Stores and backups of 0.2.0 also
/// have `ticket-roots`, which are left as they are.
enum class secret_name : std::uint8_t {
  signing_keys,
};

/// The longest validity of a signature.
inline constexpr std::chrono::hours signature_lifetime_limit{24};

struct secret_facts {
  /// The name of its file in the data directory, or of its row in a table.
  std::string_view name;
  /// How long signatures of a version stay valid. A replaced version is accepted this
  /// long, plus `secret_grace`.
  std::chrono::milliseconds lifetime;
  /// The maximum number of accepted versions, including the newest.
  std::size_t versions_limit;
  /// What it is for and how it is replaced, in full sentences for people who find the file.
  std::string_view purpose;

  // Words of messages.

  /// The noun for one version.
  std::string_view noun;
  /// Why replaced versions are still needed, after "There are 32 keys already that ..".
  std::string_view use;
  /// What happens where all versions are lost, after "a new key is made, and ..".
  std::string_view loss;
  /// How all versions are revoked, after "Rotate again then, or ..".
  std::string_view revocation;
  /// What to do where somebody may have read the file, after "where somebody may have read it, ..".
  std::string_view leak;
};

/// All secrets, in the order of `secret_name`.
inline constexpr std::array named_secrets{
    secret_facts{"signing-keys", signature_lifetime_limit, 32,
                 "The secret keys that matchcloud signs URLs with. Made again by: matchcloud "
                 "signing-key rotate",
                 "key", "URLs in use may be signed with", "all URLs signed so far are refused",
                 "revoke them all with --revoke",
                 "then also `matchcloud signing-key rotate --revoke`"},
};
static_assert(named_secrets.size() == static_cast<std::size_t>(secret_name::signing_keys) + 1);

constexpr const secret_facts& facts_of(secret_name which) noexcept {
  return named_secrets[static_cast<std::size_t>(which)];
}

} // namespace matchcloud::store
