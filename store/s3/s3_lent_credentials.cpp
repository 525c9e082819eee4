#include "store/s3/s3_lent_credentials.hpp"

#include "base/events/log.hpp"
#include "model/text/timestamp.hpp"

#include <exception>
#include <utility>

namespace matchcloud::store {

base::expected<s3_loan> make_loan(std::string id, std::string secret, std::string token,
                                  std::string_view expiration) {
  const auto expires_ts = model::parse_timestamp(expiration);
  if (!expires_ts) return refuse_s3("it does not say when they expire");
  if (token.empty()) return refuse_s3("the session token is missing");
  auto made = make_credentials(std::move(id), std::move(secret), std::move(token));
  if (!made) return tl::unexpected(made.error());
  return s3_loan{*std::move(made), *expires_ts};
}

base::expected<s3_loan> make_loan(const model::json_document& answer) {
  const auto text = [&](std::string_view name) { return std::string{answer.member_text(name)}; };
  return make_loan(text("AccessKeyId"), text("SecretAccessKey"), text("Token"), text("Expiration"));
}

base::expected<std::unique_ptr<s3_lent_credentials>>
s3_lent_credentials::open(s3_lender lender, const base::clock& time) {
  auto first = lender();
  if (!first) return tl::unexpected(first.error());
  // Not make_unique: the constructor is private.
  return std::unique_ptr<s3_lent_credentials>{
      new s3_lent_credentials{std::move(lender), time, *std::move(first)}};
}

s3_credentials_ptr s3_lent_credentials::current() {
  std::unique_lock lock{mutex_};
  if (!holds_for(loan_renewal_lead) && may_ask()) ask(lock);
  if (!holds_for(std::chrono::milliseconds{0}))
    answered_.wait(lock, [this] { return !is_asking_; });
  return loan_.credentials;
}

bool s3_lent_credentials::renew() {
  std::unique_lock lock{mutex_};
  const auto before = loan_.credentials;
  if (may_ask()) ask(lock);
  answered_.wait(lock, [this] { return !is_asking_; });
  return !are_equal(*before, *loan_.credentials);
}

void s3_lent_credentials::ask(std::unique_lock<std::mutex>& lock) {
  is_asking_ = true;
  lock.unlock();
  auto lent = asked_lender();
  lock.lock();
  is_asking_ = false;
  asked_ = time_.now();
  if (lent)
    loan_ = *std::move(lent);
  else
    warn(lent.error());
  answered_.notify_all();
}

base::expected<s3_loan> s3_lent_credentials::asked_lender() const {
  try {
    return lender_();
  } catch (const std::exception& failure) {
    // Others wait for the end of this.
    return base::fail(base::errc::config_invalid, failure.what());
  }
}

void s3_lent_credentials::warn(const base::error& of) {
  if (warned_ && time_.now() - *warned_ < loan_warning_interval) return;
  warned_ = time_.now();
  base::log(base::log_event::bucket_key_kept,
            "{}; the last credentials stay in use until they expire at {}", of.detail,
            model::format_timestamp(loan_.expires_ts));
}

} // namespace matchcloud::store
