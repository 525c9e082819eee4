#pragma once

#include "base/clock.hpp"
#include "base/failure.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// Gives the value of an environment variable, or nothing if it is not set.
using environment = std::function<std::optional<std::string>(const char* name)>;

/// The environment of this process. Any thread, as long as it does not change.
environment process_environment();

/// The region that `AWS_REGION` names, or else `AWS_DEFAULT_REGION`; empty if neither does.
std::string given_region(const environment& from);

/// The value of a variable; empty if it is not set.
std::string or_empty(const environment& from, std::string_view name);

/// Throws `config_invalid`, as all do about settings and credentials.
template <class... Arguments>
[[noreturn]] void refuse_s3(fmt::format_string<Arguments...> why, Arguments&&... arguments) {
  throw base::failure{base::errc::config_invalid,
                      fmt::format(why, std::forward<Arguments>(arguments)...)};
}

/// A text that must not get into logs, errors or output: it must be accessed explicitly by name,
/// and is overwritten on destruction. Immutable.
class s3_secret {
public:
  explicit s3_secret(std::string text) noexcept : text_{std::move(text)} {}
  s3_secret(const s3_secret&) = delete;
  s3_secret& operator=(const s3_secret&) = delete;
  ~s3_secret();

  const std::string& revealed() const noexcept { return text_; }

private:
  std::string text_;
};

/// The credentials for an object storage. Immutable; any thread.
struct s3_credentials {
  std::string access_key_id;
  s3_secret secret_access_key;
  /// The token of temporary credentials; empty otherwise.
  s3_secret session_token;

  s3_credentials(std::string id, std::string secret, std::string token) noexcept
      : access_key_id{std::move(id)},
        secret_access_key{std::move(secret)},
        session_token{std::move(token)} {}
};

using s3_credentials_ptr = std::shared_ptr<const s3_credentials>;

/// Whether two credentials are equal in all parts.
bool are_equal(const s3_credentials& a, const s3_credentials& b) noexcept;

/// Makes credentials from their parts. Throws `config_invalid` with a reason that shows none of
/// them if one is missing or cannot be in a header. `token` may be empty.
s3_credentials_ptr make_credentials(std::string id, std::string secret, std::string token);

/// Reads the credentials of a profile from the text of a credentials file: sections in brackets,
/// `name = value` in lines, comments behind `#` or `;` at the start of a line. Ignores unknown
/// names and the sections of other profiles; the last value of a name counts. Throws
/// `config_invalid` for a line of another form, and for a profile that is missing or incomplete;
/// the detail has the line's number, but not its content.
s3_credentials_ptr read_credentials(std::string_view text, std::string_view profile);

/// The longest credentials file.
inline constexpr std::size_t credentials_limit_bytes = 256UL * 1024;

/// The source of credentials.
enum class credential_origin : std::uint8_t {
  /// The first of these that exists, in the order of the AWS SDKs. Empty variables count as
  /// absent.
  /// 1. `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, which then stay.
  /// 2. The role `AWS_ROLE_ARN`, for the token in `AWS_WEB_IDENTITY_TOKEN_FILE` (EKS IRSA).
  /// 3. The profile `AWS_PROFILE` (`default`) of the file `AWS_SHARED_CREDENTIALS_FILE`
  ///    (`~/.aws/credentials`), which is read again when it has changed.
  /// 4. The container's, from `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or
  ///    `AWS_CONTAINER_CREDENTIALS_FULL_URI` (ECS, EKS Pod Identity).
  /// Those of roles are fetched again before they expire.
  usual,
  /// The role of the EC2 instance that this process runs on. They are fetched from its metadata
  /// service (version 2), and again before they expire; `AWS_EC2_METADATA_SERVICE_ENDPOINT` can set
  /// its address. Links expire with the credentials that signed them, regardless of their lifetime.
  metadata,
};

/// Credentials that are lent for some time.
struct s3_loan {
  /// Instead of a time.
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t may_change = 0;

  s3_credentials_ptr credentials;
  /// Milliseconds since 1970.
  std::int64_t expires_ts = never;
};

/// Lends credentials, or throws `base::failure`. May wait, within its own bounds; called by one
/// thread at a time.
using lend_credentials = std::function<s3_loan()>;

/// Lends the credentials of a file, which is read again when it has changed. Throws
/// `config_invalid`.
lend_credentials file_lender(std::string path, std::string profile);

/// How long before they expire lent credentials are renewed. Amazon has new ones by then.
inline constexpr std::chrono::minutes loan_renewal_lead{5};
/// From the end of an attempt to renew them, or of a look at the file, to the next, whether it
/// succeeded or not.
inline constexpr std::chrono::seconds loan_ask_interval{5};
/// The least time between two warnings in the log while they cannot be renewed.
inline constexpr std::chrono::minutes loan_warning_interval{1};

/// Supplies credentials, which are renewed before they expire, by the first caller that needs them
/// then. Other callers continue with the current ones, and wait for the renewal only if these have
/// expired or are refused. Any thread; may wait for the disk, or up to 5 s for a service that lends
/// them.
class s3_credential_source {
public:
  /// Gets credentials. Fails with `config_invalid` if there are none or they are broken; the detail
  /// names the variable, the file or the service and what to do, and has no part of the
  /// credentials. A file that others can read is accepted, with a warning in the log. `time` must
  /// outlive the source.
  static base::expected<std::unique_ptr<s3_credential_source>>
  open(const environment& from, const base::clock& time,
       credential_origin origin = credential_origin::usual);

  /// Gets the first credentials; throws what `lend` does. `time` must outlive this.
  s3_credential_source(lend_credentials lend, const base::clock& time)
      : lend_{std::move(lend)}, time_{time}, loan_{lend_()}, asked_{time.now()} {}

  /// If they cannot be renewed, the last ones, with a warning in the log.
  s3_credentials_ptr current();
  /// Renews them now, unless that was just done: the service refuses the current ones. Returns
  /// whether there are others.
  bool renew();

private:
  bool holds_for(std::chrono::milliseconds more) const {
    return time_.unix_ms() + more.count() < loan_.expires_ts;
  }
  bool may_ask() const { return !is_asking_ && time_.now() - asked_ >= loan_ask_interval; }
  /// Releases `lock` while the lender is called.
  void ask(std::unique_lock<std::mutex>& lock);
  void warn(const char* why);

  lend_credentials lend_;
  const base::clock& time_;
  std::mutex mutex_;
  std::condition_variable answered_;
  s3_loan loan_;
  bool is_asking_ = false;
  base::steady_time asked_;
  std::optional<base::steady_time> warned_;
};

} // namespace matchcloud::store
