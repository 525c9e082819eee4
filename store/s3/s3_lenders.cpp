#include "store/s3/s3_lenders.hpp"

#include "base/characters.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/files/read_bounded.hpp"
#include "base/files/working_identity.hpp"
#include "model/json/json_document.hpp"
#include "model/net/http_url.hpp"
#include "model/net/ip_address.hpp"
#include "model/text/timestamp.hpp"
#include "store/s3/s3_answers.hpp"
#include "store/s3/s3_settings.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <pugixml.hpp>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

std::string status_text(const s3_answer& answer) {
  return fmt::format("HTTP status {}", answer.status);
}

} // namespace

/// Requests to a lender, one after the other, within one deadline. One thread.
class lender_session {
public:
  explicit lender_session(const s3_lender& with)
      : with_{with}, end_at_{base::machine_clock().now() + with.timeout} {}

  /// Sends a request. `what` is for errors: "cannot get ..".
  s3_answer ask(std::string_view method, const std::string& target, s3_pairs headers,
                std::string_view what, std::string_view body = {});

  void require_success(const s3_answer& answer, std::string_view what,
                       std::string_view hint = {}) const {
    if (answer.status != 200) fail(what, status_text(answer).append(hint));
  }

  /// Reads credentials from a success, which is overwritten.
  s3_loan take(s3_answer answer, std::string_view what, s3_loan (*read)(std::string_view),
               std::string_view hint = {}) const {
    require_success(answer, what, hint);
    const auto loan = base::attempt([&] { return read(answer.body); });
    OPENSSL_cleanse(answer.body.data(), answer.body.size());
    if (!loan) fail(what, loan.error().detail);
    return *loan;
  }

  [[noreturn]] void fail(std::string_view what, const std::string& why,
                         bool may_pass = false) const {
    throw base::failure{
        base::error{may_pass ? base::errc::store_failed : base::errc::config_invalid,
                    fmt::format("{} at {}: cannot get {}: {}", with_.name, with_.url, what, why),
                    /*for_clients=*/false, may_pass}};
  }

private:
  const s3_lender& with_;
  base::steady_time end_at_;
  s3_connection connection_;
};

s3_answer lender_session::ask(std::string_view method, const std::string& target, s3_pairs headers,
                              std::string_view what, std::string_view body) {
  const s3_http_request request{std::string{method}, with_.url + target, std::move(headers), body};
  s3_transfer_limits limits;
  limits.timeout =
      std::chrono::floor<std::chrono::milliseconds>(end_at_ - base::machine_clock().now());
  limits.connect_timeout = with_.connect_timeout;
  limits.silence_timeout = std::chrono::ceil<std::chrono::seconds>(with_.timeout);
  limits.least_rate = 1;
  limits.body_limit_bytes = lender_answer_limit_bytes;
  auto done = connection_.perform(request, limits);
  switch (done.end) {
  case s3_transfer_end::answered: break;
  case s3_transfer_end::too_long:
    fail(what, fmt::format("the answer has more than {} bytes", lender_answer_limit_bytes));
  case s3_transfer_end::not_trusted: fail(what, done.reason);
  default: fail(what, done.reason + with_.hint, true);
  }
  const auto status = done.answer.status;
  if (status >= 500 || status == 429) fail(what, status_text(done.answer), true);
  return std::move(done.answer);
}

s3_loan s3_lender::fetch() const {
  lender_session with{*this};
  return ask(with);
}

namespace {

constexpr std::string_view relative_uri = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
constexpr std::string_view full_uri = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
constexpr std::string_view sts_endpoint = "AWS_ENDPOINT_URL_STS";
constexpr std::string_view roles_path = "/latest/meta-data/iam/security-credentials/";

/// Limit for the nesting of a lender's JSON.
constexpr std::size_t loan_depth_limit = 8;
constexpr std::size_t metadata_token_limit_bytes = 1'024;
constexpr std::size_t role_limit_bytes = 64;
/// Tokens have one or two kilobytes.
constexpr std::size_t token_limit_bytes = 16UL * 1024;
constexpr std::size_t name_limit_bytes = 2'048;

/// Of the name of a role (the IAM user guide, "IAM and AWS STS quotas").
constexpr base::character_set role_characters{[](unsigned char c) {
  constexpr std::string_view marks = "_+=,.@-";
  return base::is_alphanumeric(c) || marks.find(static_cast<char>(c)) != marks.npos;
}};

/// The characters of a header's value, which may have a scheme before the token.
constexpr base::character_set header_characters{
    [](unsigned char c) { return c >= 0x20 && c < 0x7f; }};

/// Whether `text` has 1 to `limit` bytes, all of `set`.
bool consists_of(std::string_view text, const base::character_set& set, std::size_t limit) {
  return !text.empty() && text.size() <= limit && set.contains_all(text);
}

s3_loan make_loan(std::string id, std::string secret, std::string token,
                  std::string_view expiration) {
  const auto expires_ts = model::parse_timestamp(expiration);
  if (!expires_ts) refuse_s3("it does not say when they expire");
  if (token.empty()) refuse_s3("the session token is missing");
  return {make_credentials(std::move(id), std::move(secret), std::move(token)), *expires_ts};
}

model::json_document json_of(std::string_view body) {
  auto document = model::json_document::parse_object(body, loan_depth_limit);
  // Its error may show some of what it found.
  if (!document) refuse_s3("the answer is not a JSON object");
  return *std::move(document);
}

s3_loan loan_in(const model::json_document& answer) {
  const auto text = [&](std::string_view name) { return std::string{answer.member_text(name)}; };
  return make_loan(text("AccessKeyId"), text("SecretAccessKey"), text("Token"), text("Expiration"));
}

/// Whether credentials may be requested from a URL: over https, or over http only from this machine
/// (loopback addresses and those of the ECS and EKS agents), as in the AWS SDKs.
bool may_lend(const model::http_url& url) {
  // ECS; EKS Pod Identity over IPv4 and IPv6.
  static constexpr std::array<std::string_view, 3> agents{"169.254.170.2", "169.254.170.23",
                                                          "fd00:ec2::23"};
  if (url.secure || url.host == "localhost") return true;
  const auto address = model::parse_ip_address(url.host);
  if (!address) return false;
  return address->is_loopback() || std::ranges::any_of(agents, [&](std::string_view agent) {
           return *address == *model::parse_ip_address(agent);
         });
}

/// A lender at the URL of a variable.
s3_lender lender_at(std::string_view variable, const std::string& text, std::string name) {
  const auto named = std::string{variable} + ", ";
  auto url = model::parse_http_url(text);
  // The text may have a password.
  if (!url) refuse_s3("{}is not a URL: {}", named, url.error().detail);
  if (!may_lend(*url))
    refuse_s3("{}{}, uses plain http beyond this machine, which would reveal credentials to "
              "everyone in between. Use https, or an address of loopback, ECS (169.254.170.2) or "
              "EKS (169.254.170.23, fd00:ec2::23).",
              named, url->shown());
  s3_lender made;
  made.name = std::move(name);
  made.url = (url->secure ? "https://" : "http://") + url->authority();
  made.target = std::move(url->target);
  return made;
}

/// Reads a secret that another program replaces, without its line end.
std::string read_token(std::string_view variable, const std::string& path,
                       const base::character_set& of) {
  const auto named = std::string{variable} + ", " + path;
  const base::as_invoker self;
  const base::file_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  auto text = file ? base::read_bounded(file.get(), token_limit_bytes) : std::nullopt;
  if (!text) refuse_s3("{}: cannot be read: {}", named, std::generic_category().message(errno));
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r'))
    text->pop_back();
  if (!consists_of(*text, of, token_limit_bytes))
    refuse_s3("{}: has no token: 1 to {} characters in one line", named, token_limit_bytes);
  return *std::move(text);
}

s3_loan ask_metadata_service(lender_session& with) {
  auto what = std::string{"a token"};
  const auto token =
      with.ask("PUT", "/latest/api/token", {{"x-aws-ec2-metadata-token-ttl-seconds", "60"}}, what);
  with.require_success(token, what, "; enable the service on the instance");
  if (!consists_of(token.body, base::visible_characters, metadata_token_limit_bytes))
    with.fail(what, "the answer is none");
  const s3_pairs by{{"x-aws-ec2-metadata-token", token.body}};
  what = "the name of the instance's role";
  const auto named = with.ask("GET", std::string{roles_path}, by, what);
  if (named.status == 404 || (named.status == 200 && named.body.empty()))
    with.fail(what, "it has none; attach a role to the instance");
  with.require_success(named, what);
  const auto role = named.body.substr(0, named.body.find_first_of("\r\n"));
  if (!consists_of(role, role_characters, role_limit_bytes)) with.fail(what, "the answer is none");
  what = "the credentials of the role " + role;
  return with.take(with.ask("GET", std::string{roles_path} + s3_encoded(role), by, what), what,
                   read_metadata_credentials);
}

/// The error in a refusal by STS, where it is one element deeper than in S3's responses.
s3_error sts_error(const s3_answer& answer) {
  pugi::xml_document document;
  const auto root = parse_xml(document, answer.body);
  return s3_error_of(std::string_view{root.name()} == "Error" ? root : root.child("Error"));
}

s3_loan ask_sts(lender_session& with, const s3_lender& at, const std::string& role_arn,
                const std::string& session_name, const std::string& token_file) {
  const auto what = "the credentials of the role " + role_arn;
  const auto token =
      read_token("AWS_WEB_IDENTITY_TOKEN_FILE", token_file, base::visible_characters);
  const auto form = s3_query({{"Action", "AssumeRoleWithWebIdentity"},
                              {"Version", "2011-06-15"},
                              {"RoleArn", role_arn},
                              {"RoleSessionName", session_name},
                              {"WebIdentityToken", token}});
  auto answer = with.ask("POST", at.target, {{"content-type", "application/x-www-form-urlencoded"}},
                         what, form);
  if (answer.status == 200)
    return with.take(std::move(answer), what, read_web_identity_credentials);
  const auto told = sts_error(answer);
  auto reason = s3_reason(answer, told);
  if (told.code == "AccessDenied")
    reason += "; let the role's trust policy name this cluster's OIDC provider and this service "
              "account";
  // STS also reports throttling with status 400.
  with.fail(what, reason, judge(answer, told) == s3_next::again);
}

} // namespace

s3_lender metadata_lender(const environment& from) {
  s3_lender made{"the metadata service of EC2",
                 "http://169.254.169.254",
                 {},
                 "; it exists only on EC2, and containers reach it only if the instance has "
                 "a hop limit of at least 2",
                 ask_metadata_service};
  const auto endpoint = or_empty(from, "AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (endpoint.empty()) return made;
  const auto named = "AWS_EC2_METADATA_SERVICE_ENDPOINT, '";
  const auto url = model::parse_http_url(endpoint);
  if (!url)
    refuse_s3("{}{}': {}. Give http://, a host and a port.", named, endpoint, url.error().detail);
  if (url->secure || url->target != "/")
    refuse_s3("{}{}', has another form. Give http://, a host and a port.", named, url->shown());
  made.url = "http://" + url->authority();
  return made;
}

std::optional<s3_lender> container_lender(const environment& from) {
  const auto relative = or_empty(from, relative_uri);
  const auto full = or_empty(from, full_uri);
  if (relative.empty() && full.empty()) return std::nullopt;
  if (!relative.empty() && !relative.starts_with('/'))
    refuse_s3("{} is not a path. Use one that begins with a slash, as ECS does.", relative_uri);
  constexpr auto name = "the container's credentials";
  auto made = relative.empty() ? lender_at(full_uri, full, name)
                               : lender_at(relative_uri, "http://169.254.170.2" + relative, name);
  // The value of `Authorization`, or a file with it that is read each time.
  const auto token_file = or_empty(from, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const auto given = or_empty(from, "AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (token_file.empty() && !given.empty() &&
      !consists_of(given, header_characters, token_limit_bytes))
    refuse_s3("AWS_CONTAINER_AUTHORIZATION_TOKEN has a character that no token has, or is too "
              "long");
  made.ask = [token_file, given, target = made.target](lender_session& with) {
    constexpr std::string_view what = "them";
    const auto token = token_file.empty() ? given
                                          : read_token("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
                                                       token_file, header_characters);
    s3_pairs headers;
    if (!token.empty()) headers.emplace_back("authorization", token);
    return with.take(with.ask("GET", target, std::move(headers), what), what,
                     read_container_credentials,
                     "; give the task, or the pod's service account, a role");
  };
  return made;
}

std::optional<s3_lender> web_identity_lender(const environment& from) {
  const auto token_file = or_empty(from, "AWS_WEB_IDENTITY_TOKEN_FILE");
  if (token_file.empty()) return std::nullopt;
  const auto role_arn = or_empty(from, "AWS_ROLE_ARN");
  if (role_arn.empty())
    refuse_s3("AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not: set AWS_ROLE_ARN "
              "to the role that the token is for, or unset both");
  auto session_name = or_empty(from, "AWS_ROLE_SESSION_NAME");
  if (session_name.empty()) session_name = "matchcloud";
  if (role_arn.size() > name_limit_bytes || session_name.size() > name_limit_bytes)
    refuse_s3("AWS_ROLE_ARN or AWS_ROLE_SESSION_NAME is too long");
  auto endpoint = or_empty(from, sts_endpoint);
  if (endpoint.empty()) endpoint = amazon_url("sts", given_region(from));
  auto made = lender_at(sts_endpoint, endpoint, "AWS STS");
  // STS is not on this machine.
  made.connect_timeout = std::chrono::milliseconds{3'000};
  made.ask = [at = made, role_arn, session_name, token_file](lender_session& with) {
    return ask_sts(with, at, role_arn, session_name, token_file);
  };
  return made;
}

s3_loan read_metadata_credentials(std::string_view body) {
  const auto document = json_of(body);
  if (const std::string code{document.member_text("Code")}; code != "Success") {
    const bool can_be_shown = consists_of(code, role_characters, role_limit_bytes);
    refuse_s3("its code is {} and not 'Success'", (can_be_shown ? "'" + code + "'" : "another"));
  }
  return loan_in(document);
}

s3_loan read_container_credentials(std::string_view body) {
  return loan_in(json_of(body));
}

s3_loan read_web_identity_credentials(std::string_view body) {
  pugi::xml_document document;
  const auto found =
      parse_xml(document, body).child("AssumeRoleWithWebIdentityResult").child("Credentials");
  if (!found) refuse_s3("the answer has no credentials");
  return make_loan(found.child_value("AccessKeyId"), found.child_value("SecretAccessKey"),
                   found.child_value("SessionToken"), found.child_value("Expiration"));
}

namespace {

/// The path of the credentials file; empty if there is none to guess.
std::string file_of(const environment& from) {
  if (auto named = or_empty(from, "AWS_SHARED_CREDENTIALS_FILE"); !named.empty()) return named;
  const auto home = or_empty(from, "HOME");
  return home.empty() ? std::string{} : home + "/.aws/credentials";
}

lend_credentials given_lender(const environment& from, std::string id) {
  try {
    const s3_loan given{make_credentials(std::move(id), or_empty(from, "AWS_SECRET_ACCESS_KEY"),
                                         or_empty(from, "AWS_SESSION_TOKEN"))};
    return [given] { return given; };
  } catch (const base::failure& why) {
    refuse_s3(
        "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of the environment: {}",
        why.what());
  }
}

lend_credentials lent_by(s3_lender lender) {
  return [lender = std::move(lender)] { return lender.fetch(); };
}

/// Those of the usual file, or else the container's, if it has any.
lend_credentials file_or_container_lender(const environment& from) {
  const auto path = file_of(from);
  const auto profile = or_empty(from, "AWS_PROFILE");
  const auto read = file_lender(path, profile.empty() ? "default" : profile);
  const auto first = base::attempt([&] {
    if (path.empty())
      refuse_s3("there are no credentials for S3: set AWS_ACCESS_KEY_ID and "
                "AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE to the path of a file; on "
                "EC2 use objects-metadata-credentials, on ECS and EKS give the task or the "
                "service account a role");
    read();
  });
  if (first) return read;
  // Unless the environment names the file or a profile of it.
  auto agent = profile.empty() && or_empty(from, "AWS_SHARED_CREDENTIALS_FILE").empty()
                   ? container_lender(from)
                   : std::nullopt;
  if (!agent) throw base::failure{first.error()};
  if (!path.empty() && ::access(path.c_str(), F_OK) == 0)
    base::log(base::log_event::bucket_role_used,
              "{}; the credentials of the container's role are used", first.error().detail);
  return lent_by(*std::move(agent));
}

lend_credentials choose_lender(const environment& from, credential_origin origin) {
  if (origin == credential_origin::metadata) return lent_by(metadata_lender(from));
  if (auto id = or_empty(from, "AWS_ACCESS_KEY_ID"); !id.empty())
    return given_lender(from, std::move(id));
  if (auto identity = web_identity_lender(from)) return lent_by(*std::move(identity));
  return file_or_container_lender(from);
}

} // namespace

base::expected<std::unique_ptr<s3_credential_source>>
s3_credential_source::open(const environment& from, const base::clock& time,
                           credential_origin origin) {
  return base::attempt(
      [&] { return std::make_unique<s3_credential_source>(choose_lender(from, origin), time); });
}

} // namespace matchcloud::store
