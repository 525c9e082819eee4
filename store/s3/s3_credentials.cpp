#include "store/s3/s3_credentials.hpp"

#include "base/characters.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/files/read_bounded.hpp"
#include "base/files/secret_access.hpp"
#include "base/files/working_identity.hpp"
#include "model/text/timestamp.hpp"
#include "store/files/stable_file.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

/// A key has 16 to 128 of them in AWS, a token some hundreds.
constexpr std::size_t credential_limit_bytes = 8UL * 1024;

/// An id is part of a signature's scope, where slashes and commas are separators.
constexpr base::character_set id_characters{
    [](unsigned char c) { return c > 0x20 && c < 0x7f && c != '/' && c != ','; }};

bool can_be_sent(std::string_view text, const base::character_set& of) noexcept {
  return text.size() <= credential_limit_bytes && of.contains_all(text);
}

/// The names of a profile, in the order of `make_credentials`.
constexpr std::array<std::string_view, 3> part_names{"aws_access_key_id", "aws_secret_access_key",
                                                     "aws_session_token"};

void warn_of_readers(const std::string& path, int file) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return;
  if (const auto exposed = base::secret_exposure(path, found); !exposed.empty())
    base::log(base::log_event::bucket_key_exposed, "{}: these are credentials, and {}", path,
              exposed);
}

s3_credentials_ptr read_file(const std::string& path, const std::string& profile) {
  const base::file_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  auto text = file ? base::read_bounded(file.get(), credentials_limit_bytes) : std::nullopt;
  if (!text)
    refuse_s3("{}: cannot read the credentials for S3: {}; set AWS_ACCESS_KEY_ID and "
              "AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE to the path of a file",
              path, std::generic_category().message(errno));
  if (text->size() > credentials_limit_bytes)
    refuse_s3("{}: has more than {} bytes", path, credentials_limit_bytes);
  auto credentials = base::attempt([&] { return read_credentials(*text, profile); });
  OPENSSL_cleanse(text->data(), text->size());
  if (!credentials) refuse_s3("{}: {}", path, credentials.error().detail);
  warn_of_readers(path, file.get());
  return *std::move(credentials);
}

} // namespace

environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const auto* const value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

std::string given_region(const environment& from) {
  const auto region = or_empty(from, "AWS_REGION");
  return region.empty() ? or_empty(from, "AWS_DEFAULT_REGION") : region;
}

std::string or_empty(const environment& from, std::string_view name) {
  return from(std::string{name}.c_str()).value_or("");
}

s3_secret::~s3_secret() {
  OPENSSL_cleanse(text_.data(), text_.size());
}

bool are_equal(const s3_credentials& a, const s3_credentials& b) noexcept {
  return a.access_key_id == b.access_key_id &&
         a.secret_access_key.revealed() == b.secret_access_key.revealed() &&
         a.session_token.revealed() == b.session_token.revealed();
}

s3_credentials_ptr make_credentials(std::string id, std::string secret, std::string token) {
  if (id.empty()) refuse_s3("the access key id is missing");
  if (secret.empty()) refuse_s3("the secret access key is missing");
  if (!can_be_sent(id, id_characters))
    refuse_s3("the access key id has a character that no id has");
  if (!can_be_sent(secret, base::visible_characters))
    refuse_s3("the secret access key has a character that no key has");
  if (!can_be_sent(token, base::visible_characters))
    refuse_s3("the session token has a character that no token has, or is too long");
  return std::make_shared<const s3_credentials>(std::move(id), std::move(secret), std::move(token));
}

s3_credentials_ptr read_credentials(std::string_view text, std::string_view profile) {
  std::array<std::string_view, part_names.size()> parts;
  bool is_found = false;
  bool is_wanted = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = base::trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.size() > 2 && line.front() == '[' && line.back() == ']') {
      is_wanted = base::trimmed(line.substr(1, line.size() - 2)) == profile;
      is_found = is_found || is_wanted;
      continue;
    }
    const auto equals = line.find('=');
    if (line.front() == '[' || equals == line.npos)
      refuse_s3("line {} is neither [PROFILE] nor NAME = VALUE", number);
    const auto* const part = std::ranges::find(part_names, base::trimmed(line.substr(0, equals)));
    if (is_wanted && part != part_names.end())
      parts[static_cast<std::size_t>(part - part_names.begin())] =
          base::trimmed(line.substr(equals + 1));
  }
  const auto named = "profile '" + std::string{profile} + "'";
  if (!is_found) refuse_s3("it has no {}", named);
  try {
    return make_credentials(std::string{parts[0]}, std::string{parts[1]}, std::string{parts[2]});
  } catch (const base::failure& why) {
    refuse_s3("{}: {}", named, why.what());
  }
}

lend_credentials file_lender(std::string path, std::string profile) {
  return [path = std::move(path), profile = std::move(profile), last = s3_credentials_ptr{},
          state = file_state{}]() mutable -> s3_loan {
    const base::as_invoker self;
    const auto before = std::exchange(state, file_state::of(path));
    if (!last || state != before || state.is_fresh()) last = read_file(path, profile);
    return {last, s3_loan::may_change};
  };
}

s3_credentials_ptr s3_credential_source::current() {
  std::unique_lock lock{mutex_};
  if (!holds_for(loan_renewal_lead) && may_ask()) ask(lock);
  if (!holds_for(std::chrono::milliseconds{0}))
    answered_.wait(lock, [this] { return !is_asking_; });
  return loan_.credentials;
}

bool s3_credential_source::renew() {
  std::unique_lock lock{mutex_};
  const auto before = loan_.credentials;
  // A look at a file costs little.
  if (may_ask() || (!is_asking_ && loan_.expires_ts == s3_loan::may_change)) ask(lock);
  answered_.wait(lock, [this] { return !is_asking_; });
  return !are_equal(*before, *loan_.credentials);
}

void s3_credential_source::ask(std::unique_lock<std::mutex>& lock) {
  is_asking_ = true;
  lock.unlock();
  std::optional<s3_loan> lent;
  std::string why;
  try {
    lent = lend_();
  } catch (const std::exception& failure) {
    why = failure.what(); // others wait for the end of this
  }
  lock.lock();
  is_asking_ = false;
  asked_ = time_.now();
  if (lent)
    loan_ = *std::move(lent);
  else
    warn(why.c_str());
  answered_.notify_all();
}

void s3_credential_source::warn(const char* why) {
  if (warned_ && time_.now() - *warned_ < loan_warning_interval) return;
  warned_ = time_.now();
  base::log(base::log_event::bucket_key_kept, "{}; the last credentials stay in use{}", why,
            loan_.expires_ts == s3_loan::may_change
                ? ""
                : " until they expire at " + model::format_timestamp(loan_.expires_ts));
}

} // namespace matchcloud::store
