#include "store/s3/s3_roles.hpp"

#include "base/characters.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/files/read_bounded.hpp"
#include "base/files/working_identity.hpp"
#include "model/net/http_url.hpp"
#include "store/s3/s3_answers.hpp"
#include "store/s3/s3_settings.hpp"
#include "store/s3/s3_verdict.hpp"
#include "store/s3/xml_element.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr std::string_view relative_uri = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
constexpr std::string_view full_uri = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
constexpr std::string_view sts_endpoint = "AWS_ENDPOINT_URL_STS";
/// The address of the ECS agent.
constexpr std::string_view ecs_agent = "http://169.254.170.2";
/// Tokens have one or two kilobytes.
constexpr std::size_t token_limit_bytes = 16UL * 1024;
constexpr std::size_t name_limit_bytes = 2'048;

/// The characters of a header's value, which may have a scheme before the token.
constexpr base::character_set header_characters{
    [](unsigned char c) { return c >= 0x20 && c < 0x7f; }};

base::expected<model::http_url> lender_url(std::string_view variable, const std::string& text) {
  const auto named = std::string{variable} + ", ";
  auto url = model::parse_http_url(text);
  // The text may have a password.
  if (!url) return refuse_s3(named + "is not a URL: " + url.error().detail);
  if (!may_lend(*url))
    return refuse_s3(
        named + url->shown() +
        ", uses plain http beyond this machine, which would reveal credentials to "
        "everyone in between. Use https, or an address of loopback, ECS (169.254.170.2) "
        "or EKS (169.254.170.23, fd00:ec2::23).");
  return url;
}

std::string origin_of(const model::http_url& url) {
  return (url.secure ? "https://" : "http://") + url.authority();
}

/// Reads a secret that another program replaces, without its line end.
base::expected<std::string> read_token(std::string_view variable, const std::string& path,
                                       const base::character_set& of) {
  const auto named = std::string{variable} + ", " + path;
  const base::as_invoker self;
  const base::file_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  auto text = file ? base::read_bounded(file.get(), token_limit_bytes) : std::nullopt;
  if (!text)
    return refuse_s3(named + ": cannot be read: " + std::generic_category().message(errno));
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r'))
    text->pop_back();
  if (text->empty() || text->size() > token_limit_bytes || !of.contains_all(*text))
    return refuse_s3(named + ": has no token: 1 to " + std::to_string(token_limit_bytes) +
                     " characters in one line");
  return *std::move(text);
}

/// The error in a refusal by STS, where it is one element deeper than in S3's responses.
s3_error sts_error(const s3_answer& answer) {
  const auto document = parse_xml(answer.body);
  if (!document) return {};
  const auto* error = document->name == "Error" ? &*document : document->child("Error");
  return error == nullptr ? s3_error{} : s3_error_of(*error);
}

} // namespace

base::expected<std::optional<s3_container_agent>> container_agent_of(const environment& from) {
  const auto relative = or_empty(from, relative_uri);
  const auto full = or_empty(from, full_uri);
  if (relative.empty() && full.empty()) return std::nullopt;
  const auto variable = relative.empty() ? full_uri : relative_uri;
  if (!relative.empty() && !relative.starts_with('/'))
    return refuse_s3(std::string{variable} +
                     " is not a path. Use one that begins with a slash, as ECS does.");
  auto url = lender_url(variable, relative.empty() ? full : std::string{ecs_agent} + relative);
  if (!url) return tl::unexpected(url.error());
  s3_container_agent made;
  made.place.url = origin_of(*url);
  made.place.name = "the container's credentials";
  made.target = std::move(url->target);
  made.token_file = or_empty(from, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  if (made.token_file.empty()) made.token = or_empty(from, "AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (!header_characters.contains_all(made.token) || made.token.size() > token_limit_bytes)
    return refuse_s3(
        "AWS_CONTAINER_AUTHORIZATION_TOKEN has a character that no token has, or is too "
        "long");
  return made;
}

base::expected<s3_loan> fetch_container_credentials(const s3_container_agent& from) {
  constexpr std::string_view what = "them";
  auto token = from.token;
  if (!from.token_file.empty()) {
    auto read =
        read_token("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", from.token_file, header_characters);
    if (!read) return tl::unexpected(read.error());
    token = *std::move(read);
  }
  s3_pairs headers;
  if (!token.empty()) headers.emplace_back("authorization", std::move(token));
  s3_lender_session with{from.place};
  auto got = with.ask("GET", from.target, std::move(headers), what);
  if (!got) return tl::unexpected(got.error());
  if (got->status != 200)
    return with.failed(what, "HTTP status " + std::to_string(got->status) +
                                 "; give the task, or the pod's service account, a role");
  auto loan = read_container_credentials(got->body);
  OPENSSL_cleanse(got->body.data(), got->body.size());
  if (!loan) return with.failed(what, loan.error().detail);
  return loan;
}

base::expected<s3_loan> read_container_credentials(std::string_view body) {
  const auto document = model::json_document::parse_object(body, loan_depth_limit);
  if (!document) return refuse_s3("the answer is not a JSON object");
  return make_loan(*document);
}

base::expected<std::optional<s3_web_identity>> web_identity_of(const environment& from) {
  s3_web_identity made;
  made.token_file = or_empty(from, "AWS_WEB_IDENTITY_TOKEN_FILE");
  if (made.token_file.empty()) return std::nullopt;
  made.role_arn = or_empty(from, "AWS_ROLE_ARN");
  if (made.role_arn.empty())
    return refuse_s3(
        "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not: set AWS_ROLE_ARN "
        "to the role that the token is for, or unset both");
  made.session_name = or_empty(from, "AWS_ROLE_SESSION_NAME");
  if (made.session_name.empty()) made.session_name = "matchcloud";
  if (made.role_arn.size() > name_limit_bytes || made.session_name.size() > name_limit_bytes)
    return refuse_s3("AWS_ROLE_ARN or AWS_ROLE_SESSION_NAME is too long");
  made.place.name = "AWS STS";
  auto endpoint = or_empty(from, sts_endpoint);
  if (endpoint.empty()) endpoint = amazon_url("sts", given_region(from));
  auto url = lender_url(sts_endpoint, endpoint);
  if (!url) return tl::unexpected(url.error());
  made.place.url = origin_of(*url);
  made.target = std::move(url->target);
  // STS is not on this machine.
  made.place.connect_timeout = std::chrono::milliseconds{3'000};
  return made;
}

base::expected<s3_loan> fetch_web_identity_credentials(const s3_web_identity& from) {
  const auto what = "the credentials of the role " + from.role_arn;
  auto token = read_token("AWS_WEB_IDENTITY_TOKEN_FILE", from.token_file, base::visible_characters);
  if (!token) return tl::unexpected(token.error());
  auto form =
      "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + s3_encoded(from.role_arn) +
      "&RoleSessionName=" + s3_encoded(from.session_name) +
      "&WebIdentityToken=" + s3_encoded(*token);
  s3_lender_session with{from.place};
  auto got = with.ask("POST", from.target, {{"content-type", "application/x-www-form-urlencoded"}},
                      what, form);
  if (!got) return tl::unexpected(got.error());
  if (got->status != 200) {
    const auto told = sts_error(*got);
    auto reason = s3_reason(*got, told);
    if (told.code == "AccessDenied")
      reason += "; let the role's trust policy name this cluster's OIDC provider and this service "
                "account";
    auto refused = with.failed(what, reason).value();
    // STS also reports throttling with status 400.
    if (judge(s3_transfer_end::answered, {}, *got, told).next == s3_next::again)
      refused.code = base::errc::store_failed;
    return tl::unexpected(std::move(refused));
  }
  auto loan = read_web_identity_credentials(got->body);
  OPENSSL_cleanse(got->body.data(), got->body.size());
  if (!loan) return with.failed(what, loan.error().detail);
  return loan;
}

base::expected<s3_loan> read_web_identity_credentials(std::string_view body) {
  const auto document = parse_xml(body);
  if (!document) return refuse_s3("the answer is not XML");
  const auto* result = document->child("AssumeRoleWithWebIdentityResult");
  const auto* found = result == nullptr ? nullptr : result->child("Credentials");
  if (found == nullptr) return refuse_s3("the answer has no credentials");
  const auto text = [&](std::string_view name) { return std::string{found->text_of(name)}; };
  return make_loan(text("AccessKeyId"), text("SecretAccessKey"), text("SessionToken"),
                   text("Expiration"));
}

} // namespace matchcloud::store
