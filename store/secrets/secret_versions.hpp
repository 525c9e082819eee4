#pragma once

#include "base/crypto/signing.hpp"
#include "base/failure.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {

/// The name of the secret: of its file in the data directory, or of its row in a table. Stores and
/// backups of 0.2.0 also have `ticket-roots`, which are left as they are.
inline constexpr std::string_view signing_keys_name = "signing-keys";

/// The longest validity of a signature.
inline constexpr std::chrono::hours signature_lifetime_limit{24};

/// The maximum number of accepted versions, including the newest.
inline constexpr std::size_t secret_versions_limit = 32;

/// The expiry of the newest version, which is accepted until it is replaced.
inline constexpr std::int64_t until_replaced_ts = std::numeric_limits<std::int64_t>::max();

/// How much longer than its lifetime a replaced version is accepted. Allows for clock differences
/// between machines and for the seconds that a process still uses a replaced version.
inline constexpr std::chrono::minutes secret_grace{1};

/// A version of the secret that signs URLs. Times are milliseconds since 1970.
struct secret_version {
  base::secret_bytes secret{};
  /// When it was created.
  std::int64_t created_ts = 0;
  /// `until_replaced_ts` for the newest version and for no other.
  std::int64_t accepted_until_ts = until_replaced_ts;

  bool is_accepted(std::int64_t now_ts) const noexcept { return now_ts < accepted_until_ts; }

  friend bool operator==(const secret_version&, const secret_version&) = default;
};

/// The versions of the secret, newest first; never empty. The newest makes signatures;
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
/// with `store_failed` if they would be more than `secret_versions_limit`.
base::expected<secret_versions> rotated(const secret_versions& before, std::int64_t now_ts,
                                        replaced_secrets replaced);

// The text of versions, in a file or encrypted in a table.

/// The size limit of the text; the maximum number of versions takes a fraction of it.
inline constexpr std::size_t secret_file_limit_bytes = 16UL * 1024;

/// Renders versions. One line for each, newest first: `current` or the time until which the version
/// is accepted, its secret in hexadecimal digits and, if known, its creation time; times are
/// milliseconds since 1970. Comments begin with `#`.
std::string render_secrets(const secret_versions& versions);

/// Parses such a text, read from `path`. Throws `store_failed`: the detail has the damaged
/// line's number and what was expected, but not what was found, which may be secret.
secret_versions parse_secrets(const std::string& path, std::string_view text);

/// The failure of a text with a damaged line; `expected` says what should be there.
base::failure damaged_secrets(const std::string& path, std::size_t line, std::string_view expected);

} // namespace matchcloud::store
