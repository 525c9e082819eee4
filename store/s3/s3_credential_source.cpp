#include "store/s3/s3_credential_source.hpp"

#include "base/file_descriptor.hpp"
#include "base/read_bounded.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr mode_t permissions_of_others = S_IRWXG | S_IRWXO;

tl::unexpected<base::error> refuse(std::string why) {
  return base::fail(base::errc::config_invalid, std::move(why));
}

std::string or_empty(const environment& from, const char* name) {
  return from(name).value_or("");
}

/// The path of the credentials file; empty if there is none to guess.
std::string file_of(const environment& from) {
  if (auto named = or_empty(from, "AWS_SHARED_CREDENTIALS_FILE"); !named.empty()) return named;
  const auto home = or_empty(from, "HOME");
  return home.empty() ? std::string{} : home + "/.aws/credentials";
}

void warn_of_readers(const std::string& path, int file) {
  struct stat found {};
  if (::fstat(file, &found) != 0 || (found.st_mode & permissions_of_others) == 0) return;
  spdlog::warn("{}: other users may read these credentials: chmod 600 mends it", path);
}

} // namespace

environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const auto* const value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

base::expected<std::unique_ptr<s3_credential_source>>
s3_credential_source::open(const environment& from, const base::clock& time) {
  auto profile = or_empty(from, "AWS_PROFILE");
  if (profile.empty()) profile = "default";
  // Not make_unique: the constructor is private.
  std::unique_ptr<s3_credential_source> made{
      new s3_credential_source{time, file_of(from), std::move(profile)}};
  if (auto id = or_empty(from, "AWS_ACCESS_KEY_ID"); !id.empty()) {
    auto given = make_credentials(std::move(id), or_empty(from, "AWS_SECRET_ACCESS_KEY"),
                                  or_empty(from, "AWS_SESSION_TOKEN"));
    if (!given)
      return refuse("AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of the "
                    "environment: " +
                    given.error().detail);
    made->file_.clear();
    made->last_ = *std::move(given);
    return made;
  }
  if (made->file_.empty())
    return refuse("there are no credentials for S3: set AWS_ACCESS_KEY_ID and "
                  "AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE to the path of a file");
  if (auto read = made->read(); !read) return tl::unexpected(read.error());
  return made;
}

base::expected<void> s3_credential_source::read() {
  state_ = file_state::of(file_);
  looked_ = time_.now();
  const base::file_descriptor file{::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  auto text = file ? base::read_bounded(file.get(), credentials_limit_bytes) : std::nullopt;
  if (!text)
    return refuse(
        file_ + ": cannot read the credentials for S3: " + std::generic_category().message(errno) +
        "; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
        "AWS_SHARED_CREDENTIALS_FILE to the path of a file");
  if (text->size() > credentials_limit_bytes)
    return refuse(file_ + ": has more than " + std::to_string(credentials_limit_bytes) + " bytes");
  auto credentials = read_credentials(*text, profile_);
  OPENSSL_cleanse(text->data(), text->size());
  if (!credentials) return refuse(file_ + ": " + credentials.error().detail);
  warn_of_readers(file_, file.get());
  last_ = *std::move(credentials);
  return {};
}

void s3_credential_source::look() {
  looked_ = time_.now();
  if (file_state::of(file_) == state_ && !state_.is_fresh()) return;
  if (auto again = read(); !again)
    spdlog::warn("{}; the credentials that were read last stay in use", again.error().detail);
}

s3_credentials_ptr s3_credential_source::current() {
  const std::lock_guard lock{mutex_};
  if (!file_.empty() && time_.now() - looked_ >= credentials_look_interval) look();
  return last_;
}

bool s3_credential_source::renew() {
  const std::lock_guard lock{mutex_};
  if (file_.empty()) return false;
  const auto before = last_;
  look();
  return !are_equal(*before, *last_);
}

} // namespace matchcloud::store
