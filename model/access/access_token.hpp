#pragma once

#include "base/expected.hpp"
#include "base/rate_limit.hpp"
#include "model/access/token_text.hpp"
#include "model/text/uuid.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// The most tokens that a store keeps, in any state.
inline constexpr std::size_t token_limit = 10'000;
/// The longest name of a token, in code points.
inline constexpr std::size_t token_name_limit = 64;
/// The longest time that a rotated token's former text keeps working.
inline constexpr std::int64_t rotation_grace_limit_ms = 30LL * 24 * 3'600 * 1'000;
inline constexpr std::int64_t rotation_grace_ms = 24LL * 3'600 * 1'000;

/// Rate limits in place of the configured ones; empty: the configured one.
struct token_limits {
  std::optional<base::rate_policy> cheap;
  std::optional<base::rate_policy> expensive;
};

/// What the creator of a token chooses.
struct new_token {
  token_kind kind = token_kind::viewer;
  std::string name;
  /// The game or namespace that it is limited to; zero if its kind has no scope.
  uuid scope;
  /// Milliseconds since 1970; empty: never.
  std::optional<std::int64_t> expires_ms;
  token_limits limits;
};

enum class token_state : std::uint8_t { active, expired, revoked };
inline constexpr std::array<std::string_view, 3> token_state_names{"active", "expired", "revoked"};

constexpr std::string_view name_of(token_state state) noexcept {
  return token_state_names[static_cast<std::size_t>(state)];
}

/// A token as stored: everything but its text.
struct access_token {
  uuid token_id;
  new_token what;
  token_digest digest{};
  /// The text before the last rotation, which works until `former_until_ms`.
  std::optional<token_digest> former_digest;
  std::int64_t former_until_ms = 0;
  /// Times are milliseconds since 1970.
  std::int64_t created_ms = 0;
  std::string created_by;
  std::optional<std::int64_t> revoked_ms;
  std::optional<std::int64_t> last_use_ms;

  token_state state(std::int64_t now_ms) const noexcept;
};

/// The tokens of a store at one revision. Immutable except for the marks of use; any thread.
class token_list {
public:
  token_list() = default;
  token_list(std::int64_t revision, std::vector<access_token> tokens);

  struct match {
    /// Null: no token has this digest.
    const access_token* token = nullptr;
    /// Whether it is the digest of the text before the last rotation.
    bool is_former = false;
  };

  std::int64_t revision() const noexcept { return revision_; }
  /// In ascending order of their ids.
  const std::vector<access_token>& tokens() const noexcept { return tokens_; }
  /// O(1), as digests are spread evenly.
  match find(const token_digest& digest) const noexcept;
  /// The token with that id; null if there is none. O(log n).
  const access_token* find(const uuid& token_id) const noexcept;

  /// Notes that a token of this list was used, to the second.
  void note_use(const access_token& which, std::int64_t now_ms) const noexcept;
  /// When a token of this list was last seen used; 0: not since the list was loaded.
  std::int64_t used_ms(std::size_t position) const noexcept;
  /// Takes over the marks of use of an earlier list, by id.
  void take_uses(const token_list& before) const noexcept;

private:
  struct entry {
    token_digest digest;
    std::uint32_t position;
    bool is_former;
  };

  std::int64_t revision_ = 0;
  std::vector<access_token> tokens_;
  /// The bucket of a digest: its first bits.
  std::size_t bucket_of(const token_digest& digest) const noexcept {
    return (std::size_t{digest[0]} << 8U | digest[1]) >> bucket_shift_;
  }

  /// By digest.
  std::vector<entry> by_digest_;
  /// Where each bucket begins in `by_digest_`, and where the last one ends.
  std::vector<std::uint32_t> buckets_{0, 0};
  std::uint32_t bucket_shift_ = 16;
  /// Per token, seconds since 1970.
  mutable std::vector<std::atomic<std::int64_t>> uses_s_;
};

/// A `token_not_found` error.
base::error no_such_token(const uuid& token_id);

using token_snapshot = std::shared_ptr<const token_list>;

/// Checks what no type can: the name, that the token has a scope exactly if its kind has one, and
/// that it expires after `now_ms`. Fails with `query_invalid`.
base::expected<void> check_new_token(const new_token& wanted, std::int64_t now_ms);

/// Reads the body of a `POST /v1/tokens`: `kind`, `name`, `game_id` or `namespace_id`,
/// `expires` (RFC 3339) or `expires_in_s`, `limits` with `cheap` and `expensive` (`QUOTA/SECONDS`).
/// Fails as `check_new_token` does, or as `json_document::parse_object`.
base::expected<new_token> parse_new_token(std::string_view json, std::int64_t now_ms);

/// Reads the body of a `POST /v1/tokens/{token_id}/rotate`: empty, or with `grace_s`, the time that
/// the former text keeps working. Returns it in milliseconds. Fails with `query_invalid`.
base::expected<std::int64_t> parse_rotation(std::string_view json);

/// Reads `QUOTA/SECONDS`, such as `100/10`, or `off`. Empty: it is neither, or out of range.
std::optional<base::rate_policy> parse_rate_policy(std::string_view text) noexcept;
std::string to_string(const base::rate_policy& policy);
inline constexpr std::string_view rate_policy_allowed =
    "QUOTA/SECONDS, as in 100/10 (1 to 1000000000 per 1 to 86400), or off";

/// A token as JSON, without its text. `used_ms`: when it was last seen used, in place of
/// `last_use_ms` where that is older.
std::string render_token(const access_token& one, std::int64_t now_ms);
/// A token and its text, which is shown only this once.
std::string render_new_token(const access_token& one, std::string_view text, std::int64_t now_ms);
/// `{"tokens":[..],"revision":7}`
std::string render_tokens(const token_list& all, std::int64_t now_ms);

} // namespace matchcloud::model
