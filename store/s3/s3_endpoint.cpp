#include "store/s3/s3_endpoint.hpp"

#include "base/events/about_request.hpp"
#include "base/events/log.hpp"
#include "base/randomness.hpp"
#include "model/text/trace_context.hpp"

#include <cstdlib>
#include <utility>

namespace matchcloud::store {

namespace {

std::string path_of(const s3_address& at, const std::string& key) {
  auto path = at.path_start + s3_encoded_path(key);
  // The path of the bucket itself.
  if (key.empty() && path.size() > 1) path.pop_back();
  return path;
}

} // namespace

base::expected<std::unique_ptr<s3_endpoint>>
s3_endpoint::make(s3_settings settings, std::unique_ptr<s3_credential_source> credentials,
                  const base::clock& time) {
  auto addresses = check(settings);
  if (!addresses) return tl::unexpected(addresses.error());
  // Not make_unique: the constructor is private.
  return std::unique_ptr<s3_endpoint>{
      new s3_endpoint{std::move(settings), *std::move(addresses), std::move(credentials), time}};
}

s3_signed_request s3_endpoint::sign(const s3_request& request, const s3_body_taker* taker) {
  auto by = credentials_->current();
  const auto offset_ms = offset_ms_.load();
  const s3_signing_scope scope{addresses_.region, time_.unix_ms() + offset_ms};
  const auto& at = addresses_.direct;
  const auto path = path_of(at, request.key);
  s3_http_request made{request.method, at.url_of(path, s3_query(request.query)), request.headers,
                       request.body, taker};
  made.headers.emplace_back("x-amz-date", s3_time(scope.at_ts));
  made.headers.emplace_back("x-amz-content-sha256", request.body_sha256);
  if (const auto& token = by->session_token.revealed(); !token.empty())
    made.headers.emplace_back("x-amz-security-token", token);
  s3_signed_parts parts{request.method, path, request.query, made.headers, request.body_sha256};
  parts.headers.emplace_back("host", at.host);
  made.headers.emplace_back("authorization", s3_authorization(parts, *by, scope));
  // Not signed: proxies may replace it.
  if (const auto parent = base::about_request::current().trace_parent; !parent.empty())
    made.headers.emplace_back("traceparent", model::next_trace_parent(parent, base::random_seed()));
  return {std::move(made), std::move(by), offset_ms};
}

std::string s3_endpoint::presign(const std::string& key, const object_link& what) {
  const auto& at = addresses_.links;
  const auto path = path_of(at, key);
  s3_pairs query;
  if (!what.content_type.empty()) query.emplace_back("response-content-type", what.content_type);
  if (!what.disposition.empty())
    query.emplace_back("response-content-disposition", what.disposition);
  const auto* const method = what.allows == object_link::method::head ? "HEAD" : "GET";
  const s3_signed_parts parts{method, path, std::move(query), {{"host", at.host}}, {}};
  const auto by = credentials_->current();
  return at.url_of(path,
                   s3_presigned_query(parts, *by, {addresses_.region, unix_ms()}, what.lifetime));
}

bool s3_endpoint::learn_time(const s3_signed_request& request, const s3_answer& answer) {
  const std::string date{answer.header("date")};
  const auto there_s = date.empty() ? -1 : curl_getdate(date.c_str(), nullptr);
  if (there_s < 0) return false;
  const auto offset_ms = static_cast<std::int64_t>(there_s) * 1'000 - time_.unix_ms();
  if (std::abs(offset_ms) > s3_clock_offset_limit.count()) return false;
  if (std::abs(offset_ms - request.offset_ms) <= s3_clock_tolerance.count()) return false;
  const auto before_ms = offset_ms_.exchange(offset_ms);
  if (std::abs(offset_ms - before_ms) > s3_clock_tolerance.count())
    base::log(base::log_event::bucket_clock,
              "{}: the service's clock differs from this machine's by {} s; requests are signed "
              "with the service's time. Synchronize this machine's clock (NTP).",
              shown({}), offset_ms / 1'000);
  return true;
}

bool s3_endpoint::renew_credentials(const s3_signed_request& request) {
  credentials_->renew();
  return !are_equal(*credentials_->current(), *request.by);
}

std::string s3_endpoint::shown(const std::string& key) const {
  return "s3://" + settings_.location.bucket + "/" + key + " at " +
         addresses_.direct.url.authority();
}

} // namespace matchcloud::store
