#pragma once

#include "base/crypto/secret_bytes.hpp"
#include "base/expected.hpp"
#include "store/secrets/secret_name.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

namespace matchcloud::store {

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
