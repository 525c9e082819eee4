#include "store/s3/s3_metadata.hpp"

#include "base/characters.hpp"
#include "model/net/http_url.hpp"

#include <openssl/crypto.h>

#include <utility>

namespace matchcloud::store {

namespace {

constexpr std::string_view token_path = "/latest/api/token";
constexpr std::string_view roles_path = "/latest/meta-data/iam/security-credentials/";
constexpr const char* token_header = "x-aws-ec2-metadata-token";
constexpr const char* token_lifetime_header = "x-aws-ec2-metadata-token-ttl-seconds";
/// The lifetime of a token, which is used at once.
constexpr const char* token_lifetime_s = "60";

constexpr std::size_t metadata_token_limit_bytes = 1'024;
constexpr std::size_t role_limit_bytes = 64;
constexpr std::size_t shown_code_limit_bytes = 64;

/// Of the name of a role (the IAM user guide, "IAM and AWS STS quotas").
constexpr base::character_set role_characters{[](unsigned char c) {
  constexpr std::string_view marks = "_+=,.@-";
  return base::is_alphanumeric(c) || marks.find(static_cast<char>(c)) != marks.npos;
}};

/// Whether `text` has 1 to `limit` bytes, all of `set`.
bool consists_of(std::string_view text, const base::character_set& set, std::size_t limit) {
  return !text.empty() && text.size() <= limit && set.contains_all(text);
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

base::expected<std::string> fetch_token(s3_lender_session& with) {
  constexpr std::string_view what = "a token";
  const auto got = with.ask("PUT", token_path, {{token_lifetime_header, token_lifetime_s}}, what);
  if (!got) return tl::unexpected(got.error());
  if (got->status != 200)
    return with.failed(what, "HTTP status " + std::to_string(got->status) +
                                 "; enable the service on the instance");
  if (!consists_of(got->body, base::visible_characters, metadata_token_limit_bytes))
    return with.failed(what, "the answer is none");
  return got->body;
}

base::expected<std::string> fetch_role(s3_lender_session& with, const s3_pairs& by) {
  constexpr std::string_view what = "the name of the instance's role";
  const auto got = with.ask("GET", roles_path, by, what);
  if (!got) return tl::unexpected(got.error());
  const bool is_missing = got->status == 404 || (got->status == 200 && got->body.empty());
  if (is_missing) return with.failed(what, "it has none; attach a role to the instance");
  if (got->status != 200) return with.failed(what, "HTTP status " + std::to_string(got->status));
  const auto role = first_line(got->body);
  if (!consists_of(role, role_characters, role_limit_bytes))
    return with.failed(what, "the answer is none");
  return std::string{role};
}

base::expected<s3_loan> fetch_loan(s3_lender_session& with, const s3_pairs& by,
                                   const std::string& role) {
  const auto what = "the credentials of the role " + role;
  auto got = with.ask("GET", std::string{roles_path} + s3_encoded(role), by, what);
  if (!got) return tl::unexpected(got.error());
  if (got->status != 200) return with.failed(what, "HTTP status " + std::to_string(got->status));
  auto loan = read_metadata_credentials(got->body);
  OPENSSL_cleanse(got->body.data(), got->body.size());
  if (!loan) return with.failed(what, loan.error().detail);
  return loan;
}

} // namespace

base::expected<s3_lender_place> metadata_service_at(std::string_view endpoint) {
  s3_lender_place found{"http://169.254.169.254", "the metadata service of EC2",
                        "; it exists only on EC2, and containers reach it only if the instance has "
                        "a hop limit of at least 2"};
  if (endpoint.empty()) return found;
  const auto url = model::parse_http_url(endpoint);
  if (!url)
    return refuse_s3("AWS_EC2_METADATA_SERVICE_ENDPOINT, '" + std::string{endpoint} +
                     "': " + url.error().detail + ". Give http://, a host and a port.");
  if (url->secure || url->target != "/")
    return refuse_s3("AWS_EC2_METADATA_SERVICE_ENDPOINT, '" + url->shown() +
                     "', has another form. Give http://, a host and a port.");
  found.url = "http://" + url->authority();
  return found;
}

base::expected<s3_loan> fetch_role_credentials(const s3_lender_place& from) {
  s3_lender_session with{from};
  auto token = fetch_token(with);
  if (!token) return tl::unexpected(token.error());
  const s3_pairs by{{token_header, *std::move(token)}};
  const auto role = fetch_role(with, by);
  if (!role) return tl::unexpected(role.error());
  return fetch_loan(with, by, *role);
}

base::expected<s3_loan> read_metadata_credentials(std::string_view body) {
  // Its error may show some of what it found.
  const auto document = model::json_document::parse_object(body, loan_depth_limit);
  if (!document) return refuse_s3("the answer is not a JSON object");
  if (const std::string code{document->member_text("Code")}; code != "Success") {
    const bool can_be_shown = consists_of(code, role_characters, shown_code_limit_bytes);
    return refuse_s3("its code is " + (can_be_shown ? "'" + code + "'" : "another") +
                     " and not 'Success'");
  }
  return make_loan(*document);
}

} // namespace matchcloud::store
