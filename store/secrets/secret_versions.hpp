#pragma once

#include "base/crypto/signing.hpp"
#include "base/expected.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

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

/// The expiry of the newest version, which is accepted until it is replaced.
inline constexpr std::int64_t until_replaced_ts = std::numeric_limits<std::int64_t>::max();

/// How much longer than its lifetime a replaced version is accepted. Allows for clock differences
/// between machines and for the seconds that a process still uses a replaced version.
inline constexpr std::chrono::minutes secret_grace{1};

/// A version of a named secret. Times are milliseconds since 1970.
struct secret_version {
  base::secret_bytes secret{};
  /// When it was created.
  std::int64_t created_ts = 0;
  /// `until_replaced_ts` for the newest version and for no other.
  std::int64_t accepted_until_ts = until_replaced_ts;

  bool is_accepted(std::int64_t now_ts) const noexcept { return now_ts < accepted_until_ts; }

  friend bool operator==(const secret_version&, const secret_version&) = default;
};

/// The versions of a named secret, newest first; never empty. The newest makes signatures;
/// all accepted ones check them.
using secret_versions = std::vector<secret_version>;

/// What happens to the versions that a rotation replaces.
enum class replaced_secrets : std::uint8_t {
  /// They are accepted until everything made with them has expired.
  keep,
  /// They are no longer accepted, so everything made with them becomes invalid now.
  revoke,
};

// The rules of rotation, which all engines share. Pure except for the random bytes; any thread.

/// A new newest version, of random bytes.
secret_version new_secret_version(std::int64_t now_ts);

/// The versions after a rotation: a new one, and the earlier ones that are still accepted. Fails
/// with `store_failed` if they would exceed the limit of `name`.
base::expected<secret_versions> rotated(secret_name name, const secret_versions& before,
                                        std::int64_t now_ts, replaced_secrets replaced);

} // namespace matchcloud::store
