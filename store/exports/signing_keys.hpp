#pragma once

#include "base/expected.hpp"
#include "base/signing.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// The longest that anything signed may be valid: a replaced key is accepted for so long.
inline constexpr std::chrono::hours signature_lifetime_limit{24};

/// Keys that are accepted at once, the one that signs included.
inline constexpr std::size_t signing_keys_limit = 32;

/// The keys of a data directory, as its file had them: `DATA_DIR/signing-keys`, mode 0600. Shared
/// by all processes on it. Immutable; any thread.
class signing_keys {
public:
  struct key {
    base::signing_secret secret{};
    /// Milliseconds since 1970; the newest key's is the end of time.
    std::int64_t accepted_until_ts = 0;

    friend bool operator==(const key&, const key&) = default;
  };

  /// Reads the file; the first who asks creates it (aside with O_EXCL, synced, then `link`: of two
  /// processes one wins and both use its key). Fails with `store_failed` or `store_full`, also
  /// where others may read the file or it is damaged; then it says what to do.
  static base::expected<signing_keys> load(const std::string& data_dir);

  /// The newest key signs.
  std::string sign(std::string_view text) const;
  /// Whether any key that is accepted at `now_ts` (milliseconds since 1970) signed `text` so.
  bool accepts(std::string_view text, std::string_view signature, std::int64_t now_ts) const;

  /// Newest first, never empty.
  const std::vector<key>& keys() const noexcept { return keys_; }

private:
  explicit signing_keys(std::vector<key> keys) : keys_{std::move(keys)} {}

  std::vector<key> keys_;
};

/// What becomes of the keys that are replaced.
enum class replaced_keys : std::uint8_t {
  /// Accepted until whatever they signed has expired.
  keep,
  /// What they signed is worth nothing from now on.
  revoke,
};

/// Makes a new key the one that signs, on disk when this returns. Running services follow within
/// seconds. Fails with `store_failed` or `store_full`; then the keys are as before (but where the
/// last step fails, which makes the new ones survive a power cut). Also fails where
/// `signing_keys_limit` keys are accepted: none is dropped before its time, but by `revoke`.
base::expected<void> rotate_signing_keys(const std::string& data_dir, std::int64_t now_ts,
                                         replaced_keys replaced);

} // namespace matchcloud::store
