#include "store/s3/s3_credential_source.hpp"

#include "base/events/log.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/files/read_bounded.hpp"
#include "base/files/secret_access.hpp"
#include "base/files/working_identity.hpp"
#include "store/files/file_state.hpp"
#include "store/s3/s3_lent_credentials.hpp"
#include "store/s3/s3_metadata.hpp"
#include "store/s3/s3_roles.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

/// The path of the credentials file; empty if there is none to guess.
std::string file_of(const environment& from) {
  if (auto named = or_empty(from, "AWS_SHARED_CREDENTIALS_FILE"); !named.empty()) return named;
  const auto home = or_empty(from, "HOME");
  return home.empty() ? std::string{} : home + "/.aws/credentials";
}

void warn_of_readers(const std::string& path, int file) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return;
  if (const auto exposed = base::secret_exposure(path, found); !exposed.empty())
    base::log(base::log_event::bucket_key_exposed, "{}: these are credentials, and {}", path,
              exposed);
}

using opened_source = base::expected<std::unique_ptr<s3_credential_source>>;

/// Credentials that never change.
class given_credentials final : public s3_credential_source {
public:
  explicit given_credentials(s3_credentials_ptr given) noexcept : given_{std::move(given)} {}

  s3_credentials_ptr current() override { return given_; }
  bool renew() override { return false; }

private:
  s3_credentials_ptr given_;
};

/// Credentials of a file.
class credentials_file final : public s3_credential_source {
public:
  static opened_source open(std::string path, std::string profile, const base::clock& time) {
    auto made = std::make_unique<credentials_file>(std::move(path), std::move(profile), time);
    if (auto read = made->read(); !read) return tl::unexpected(read.error());
    return made;
  }
  credentials_file(std::string path, std::string profile, const base::clock& time)
      : time_{time}, path_{std::move(path)}, profile_{std::move(profile)} {}

  s3_credentials_ptr current() override;
  bool renew() override;

private:
  /// Reads the file.
  base::expected<void> read();
  /// Reads the file if it has changed. `mutex_` must be held.
  void look();

  const base::clock& time_;
  std::string path_;
  std::string profile_;
  std::mutex mutex_;
  s3_credentials_ptr last_;
  file_state state_;
  base::steady_time looked_{};
};

base::expected<void> credentials_file::read() {
  const base::as_invoker self;
  state_ = file_state::of(path_);
  looked_ = time_.now();
  const base::file_descriptor file{::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  auto text = file ? base::read_bounded(file.get(), credentials_limit_bytes) : std::nullopt;
  if (!text)
    return refuse_s3(
        path_ + ": cannot read the credentials for S3: " + std::generic_category().message(errno) +
        "; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
        "AWS_SHARED_CREDENTIALS_FILE to the path of a file");
  if (text->size() > credentials_limit_bytes)
    return refuse_s3(path_ + ": has more than " + std::to_string(credentials_limit_bytes) +
                     " bytes");
  auto credentials = read_credentials(*text, profile_);
  OPENSSL_cleanse(text->data(), text->size());
  if (!credentials) return refuse_s3(path_ + ": " + credentials.error().detail);
  warn_of_readers(path_, file.get());
  last_ = *std::move(credentials);
  return {};
}

void credentials_file::look() {
  const base::as_invoker self;
  looked_ = time_.now();
  if (file_state::of(path_) == state_ && !state_.is_fresh()) return;
  if (auto again = read(); !again)
    base::log(base::log_event::bucket_key_kept, "{}; the last credentials read stay in use",
              again.error().detail);
}

s3_credentials_ptr credentials_file::current() {
  const std::lock_guard lock{mutex_};
  if (time_.now() - looked_ >= credentials_look_interval) look();
  return last_;
}

bool credentials_file::renew() {
  const std::lock_guard lock{mutex_};
  const auto before = last_;
  look();
  return !are_equal(*before, *last_);
}

/// Credentials of the role of this instance or container.
class role_credentials final : public s3_credential_source {
public:
  explicit role_credentials(std::unique_ptr<s3_lent_credentials> lent) noexcept
      : lent_{std::move(lent)} {}

  s3_credentials_ptr current() override { return lent_->current(); }
  bool renew() override { return lent_->renew(); }

private:
  std::unique_ptr<s3_lent_credentials> lent_;
};

opened_source open_given(const environment& from, std::string id) {
  auto given = make_credentials(std::move(id), or_empty(from, "AWS_SECRET_ACCESS_KEY"),
                                or_empty(from, "AWS_SESSION_TOKEN"));
  if (!given)
    return refuse_s3("AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of the "
                     "environment: " +
                     given.error().detail);
  return std::make_unique<given_credentials>(*std::move(given));
}

opened_source open_file(const environment& from, const base::clock& time) {
  auto path = file_of(from);
  if (path.empty())
    return refuse_s3(
        "there are no credentials for S3: set AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE to the path of a file; on "
        "EC2 use objects-metadata-credentials, on ECS and EKS give the task or the "
        "service account a role");
  auto profile = or_empty(from, "AWS_PROFILE");
  if (profile.empty()) profile = "default";
  return credentials_file::open(std::move(path), std::move(profile), time);
}

opened_source open_lent(s3_lender lender, const base::clock& time) {
  auto lent = s3_lent_credentials::open(std::move(lender), time);
  if (!lent) return tl::unexpected(lent.error());
  return std::make_unique<role_credentials>(*std::move(lent));
}

opened_source open_metadata(const environment& from, const base::clock& time) {
  auto service = metadata_service_at(or_empty(from, "AWS_EC2_METADATA_SERVICE_ENDPOINT"));
  if (!service) return tl::unexpected(service.error());
  return open_lent([service = *std::move(service)] { return fetch_role_credentials(service); },
                   time);
}

/// Whether the environment names the credentials file or a profile of it.
bool names_file(const environment& from) {
  return !or_empty(from, "AWS_SHARED_CREDENTIALS_FILE").empty() ||
         !or_empty(from, "AWS_PROFILE").empty();
}

/// Opens the usual file, or else the container's credentials, if it has any.
opened_source open_file_or_container(const environment& from, const base::clock& time) {
  auto opened = open_file(from, time);
  if (opened || names_file(from)) return opened;
  auto agent = container_agent_of(from);
  if (!agent) return tl::unexpected(agent.error());
  if (!*agent) return opened;
  if (const auto path = file_of(from); !path.empty() && ::access(path.c_str(), F_OK) == 0)
    base::log(base::log_event::bucket_role_used,
              "{}; the credentials of the container's role are used", opened.error().detail);
  return open_lent([by = **std::move(agent)] { return fetch_container_credentials(by); }, time);
}

} // namespace

base::expected<std::unique_ptr<s3_credential_source>>
s3_credential_source::open(const environment& from, const base::clock& time,
                           credential_origin origin) {
  if (origin == credential_origin::metadata) return open_metadata(from, time);
  if (auto id = or_empty(from, "AWS_ACCESS_KEY_ID"); !id.empty())
    return open_given(from, std::move(id));
  auto identity = web_identity_of(from);
  if (!identity) return tl::unexpected(identity.error());
  if (*identity)
    return open_lent([by = **std::move(identity)] { return fetch_web_identity_credentials(by); },
                     time);
  return open_file_or_container(from, time);
}

} // namespace matchcloud::store
