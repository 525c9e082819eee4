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

/// The longest validity of any signature, and so how long a replaced key is accepted.
inline constexpr std::chrono::hours signature_lifetime_limit{24};

/// The maximum number of accepted keys, including the one that signs.
inline constexpr std::size_t signing_keys_limit = 32;

/// The keys of a data directory as read from its file, `DATA_DIR/signing-keys` (mode 0600), which
/// all processes on the directory share. Immutable; any thread.
class signing_keys {
public:
  struct key {
    base::signing_secret secret{};
    /// Milliseconds since 1970; the maximum value for the newest key.
    std::int64_t accepted_until_ts = 0;

    friend bool operator==(const key&, const key&) = default;
  };

  /// Reads the file, or creates it if it is missing: written aside with O_EXCL, synced, then
  /// linked, so that of two processes one wins and both use its key. Fails with `store_failed` or
  /// `store_full`, also if other users may read the file or if it is damaged; the detail then says
  /// what to do.
  static base::expected<signing_keys> load(const std::string& data_dir);

  /// Signs with the newest key.
  std::string sign(std::string_view text) const;
  /// Whether `signature` was made for `text` with any key that is accepted at `now_ts`
  /// (milliseconds since 1970).
  bool accepts(std::string_view text, std::string_view signature, std::int64_t now_ts) const;

  /// All keys, newest first; never empty.
  const std::vector<key>& keys() const noexcept { return keys_; }

private:
  explicit signing_keys(std::vector<key> keys) : keys_{std::move(keys)} {}

  std::vector<key> keys_;
};

/// What happens to the keys that a rotation replaces.
enum class replaced_keys : std::uint8_t {
  /// They are accepted until whatever they signed has expired.
  keep,
  /// They are no longer accepted, so everything they signed becomes invalid now.
  revoke,
};

/// Makes a new key the one that signs; it is on disk when this returns. Running services pick it up
/// within seconds. Fails with `store_failed` or `store_full` and then leaves the keys unchanged,
/// unless the last step fails, which makes the new file survive a power failure. Also fails if
/// `signing_keys_limit` keys are accepted already: only `revoke` drops a key early.
base::expected<void> rotate_signing_keys(const std::string& data_dir, std::int64_t now_ts,
                                         replaced_keys replaced);

} // namespace matchcloud::store
