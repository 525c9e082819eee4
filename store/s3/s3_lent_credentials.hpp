#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "model/json/json_document.hpp"
#include "store/s3/s3_credentials.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// Credentials that are lent for some time.
struct s3_loan {
  s3_credentials_ptr credentials;
  /// Milliseconds since 1970.
  std::int64_t expires_ts = 0;
};

/// Reads what a lender answered. Fails with `config_invalid` and a reason.
base::expected<s3_loan> make_loan(std::string id, std::string secret, std::string token,
                                  std::string_view expiration);
/// The same for the members of a JSON object.
base::expected<s3_loan> make_loan(const model::json_document& answer);
/// Limit for the nesting of that JSON.
inline constexpr std::size_t loan_depth_limit = 8;

/// Lends credentials. May wait, within its own bounds; called by one thread at a time.
using s3_lender = std::function<base::expected<s3_loan>()>;

/// How long before they expire lent credentials are renewed. Amazon has new ones by then.
inline constexpr std::chrono::minutes loan_renewal_lead{5};
/// From the end of an attempt to renew them to the next, whether it succeeded or not.
inline constexpr std::chrono::seconds loan_ask_interval{5};
/// The least time between two warnings in the log while they cannot be renewed.
inline constexpr std::chrono::minutes loan_warning_interval{1};

/// Credentials that are renewed before they expire, by the first caller that needs them then. Other
/// callers continue with the current ones, and wait for the renewal only if these have expired or
/// are refused. Any thread.
class s3_lent_credentials {
public:
  /// Gets the first credentials; fails as `lender` does. `time` must outlive what is made.
  static base::expected<std::unique_ptr<s3_lent_credentials>> open(s3_lender lender,
                                                                   const base::clock& time);
  s3_lent_credentials(const s3_lent_credentials&) = delete;
  s3_lent_credentials& operator=(const s3_lent_credentials&) = delete;

  /// The current credentials. If they cannot be renewed, the last ones, with a warning in the log.
  s3_credentials_ptr current();
  /// Renews them now, unless that was just done. Returns whether there are new ones.
  bool renew();

private:
  s3_lent_credentials(s3_lender lender, const base::clock& time, s3_loan first)
      : lender_{std::move(lender)}, time_{time}, loan_{std::move(first)}, asked_{time.now()} {}

  bool holds_for(std::chrono::milliseconds more) const {
    return time_.unix_ms() + more.count() < loan_.expires_ts;
  }
  bool may_ask() const { return !is_asking_ && time_.now() - asked_ >= loan_ask_interval; }
  /// Releases `lock` while the lender is called.
  void ask(std::unique_lock<std::mutex>& lock);
  base::expected<s3_loan> asked_lender() const;
  void warn(const base::error& of);

  s3_lender lender_;
  const base::clock& time_;
  std::mutex mutex_;
  std::condition_variable answered_;
  s3_loan loan_;
  bool is_asking_ = false;
  base::steady_time asked_;
  std::optional<base::steady_time> warned_;
};

} // namespace matchcloud::store
