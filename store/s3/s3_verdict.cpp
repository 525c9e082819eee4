#include "store/s3/s3_verdict.hpp"

#include "model/net/http_url.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

/// Codes whose requests may be repeated unchanged, in addition to statuses that say so.
constexpr std::array<std::string_view, 11> passing{
    "InternalError",        "SlowDown",
    "ServiceUnavailable",   "RequestTimeout",
    "OperationAborted",     "ConditionalRequestConflict",
    "Throttling",           "ThrottlingException",
    "TooManyRequests",      "RequestLimitExceeded",
    "IDPCommunicationError"};

/// Codes for bodies that changed on the way.
constexpr std::array<std::string_view, 4> mangled{"BadDigest", "XAmzContentSHA256Mismatch",
                                                  "InvalidDigest", "IncompleteBody"};

constexpr std::array<std::string_view, 4> stale{"ExpiredToken", "InvalidAccessKeyId",
                                                "TokenRefreshRequired", "InvalidToken"};

constexpr std::array<std::string_view, 4> full{"QuotaExceeded", "InsufficientCapacity",
                                               "StorageFull", "XMinioStorageFull"};

struct piece_of_advice {
  std::string_view code;
  std::string_view todo;
};

constexpr std::array<piece_of_advice, 10> all_advice{{
    {"NoSuchBucket", "create the bucket, or use another"},
    {"InvalidAccessKeyId", "use credentials that this service knows"},
    {"SignatureDoesNotMatch", "use the secret key that belongs to the access key, and make sure "
                              "that no proxy changes requests"},
    {"ExpiredToken",
     "the temporary credentials have expired: get new ones, including AWS_SESSION_TOKEN"},
    {"InvalidToken", "the session token does not belong to the access key: get new credentials, "
                     "including AWS_SESSION_TOKEN"},
    {"TokenRefreshRequired", "get new credentials"},
    {"PermanentRedirect", "set the endpoint and the region of the bucket"},
    {"TemporaryRedirect", "set the endpoint and the region of the bucket"},
    {"AuthorizationHeaderMalformed", "set the region of the bucket"},
    {"QuotaExceeded", "remove something, or raise the quota"},
}};

template <class List>
bool has(const List& list, std::string_view code) {
  return std::ranges::find(list, code) != list.end();
}

std::string shown(const s3_answer& answer, const s3_error& error) {
  auto text = "HTTP status " + std::to_string(answer.status);
  if (!error.code.empty()) text += ", " + error.code;
  if (!error.message.empty()) text += ": " + error.message;
  return text;
}

std::string region_advice(const s3_refused_request& request, const s3_answer& answer,
                          const s3_error& error) {
  auto found = error.region;
  if (const auto told = answer.header("x-amz-bucket-region"); found.empty() && is_s3_word(told))
    found = told;
  if (found.empty() || request.region.empty() || found == request.region) return {};
  return "the bucket is in the region " + found + ", but the request was signed for " +
         std::string{request.region} + ": set objects-region (or AWS_REGION) to " + found;
}

std::string clock_advice(const s3_refused_request& request, const s3_answer& answer) {
  const std::string date{answer.header("date")};
  const auto theirs_s = date.empty() ? -1 : curl_getdate(date.c_str(), nullptr);
  if (theirs_s < 0 || request.at_ts == 0) return "set this machine's clock";
  const auto ahead_s = request.at_ts / 1'000 - static_cast<std::int64_t>(theirs_s);
  constexpr std::int64_t least_skew_s = 60; // services allow minutes
  if (std::abs(ahead_s) < least_skew_s)
    return "this machine's clock agrees with the service's: make sure that no proxy changes or "
           "delays requests";
  return "this machine's clock is " + std::to_string(std::abs(ahead_s)) + " s " +
         (ahead_s < 0 ? "behind" : "ahead of") + " the service's: set it";
}

/// The address to which a service redirects requests that it does not accept, such as those without
/// TLS.
std::string redirect_advice(const s3_answer& answer) {
  const auto to = model::parse_http_url(answer.header("location"));
  if (!to) return {};
  return "it redirects to " + std::string{to->secure ? "https://" : "http://"} + to->authority() +
         ": set objects-endpoint to that";
}

std::string advice_for(const s3_refused_request& request, const s3_answer& answer,
                       const s3_error& error) {
  if (auto region = region_advice(request, answer, error); !region.empty()) return region;
  if (answer.status >= 300 && answer.status < 400)
    if (auto redirect = redirect_advice(answer); !redirect.empty()) return redirect;
  if (error.code == "RequestTimeTooSkewed") return clock_advice(request, answer);
  if (error.code == "AccessDenied" && !request.right.empty())
    return "allow " + request.right + " for the user or role of these credentials";
  const auto* const known = std::ranges::find(all_advice, error.code, &piece_of_advice::code);
  if (known != all_advice.end()) return std::string{known->todo};
  if (!error.code.empty()) return {};
  return answer.status < 500 ? "the answer does not say why: check that objects-endpoint is an S3 "
                               "service and that no proxy is in between"
                             : std::string{};
}

s3_verdict judge_answer(const s3_answer& answer, const s3_error& error) {
  const auto reason = shown(answer, error);
  if (error.code == "RequestTimeTooSkewed") return {s3_next::again_with_time, false, reason};
  if (has(stale, error.code)) return {s3_next::again_with_credentials, false, reason};
  if (has(mangled, error.code)) return {s3_next::again, false, reason};
  switch (answer.status) {
  case 500:
  case 502:
  case 504: return {s3_next::again, true, reason};
  case 429:
  case 503: return {s3_next::again, false, reason};
  default: break;
  }
  if (has(passing, error.code)) return {s3_next::again, error.code == "InternalError", reason};
  return {s3_next::take, false, reason};
}

} // namespace

s3_verdict judge(s3_transfer_end end, const std::string& reason, const s3_answer& answer,
                 const s3_error& error) {
  switch (end) {
  case s3_transfer_end::answered: return judge_answer(answer, error);
  case s3_transfer_end::not_connected:
    return {s3_next::again, false, reason, "; check the endpoint, and that the service is running"};
  case s3_transfer_end::not_trusted:
    return {s3_next::give_up, false,
            reason + "; set objects-ca-file to the authority that signed its certificate"};
  case s3_transfer_end::cut: return {s3_next::again, true, reason};
  case s3_transfer_end::refused: return {s3_next::give_up, false, "not wanted"};
  case s3_transfer_end::too_long: return {s3_next::give_up, true, "the answer is too long"};
  }
  return {};
}

std::chrono::milliseconds backoff_bound(std::size_t repetition, std::chrono::milliseconds first,
                                        std::chrono::milliseconds limit) noexcept {
  constexpr std::size_t most_doublings = 30;
  const auto doublings = std::min(std::max<std::size_t>(repetition, 1) - 1, most_doublings);
  return std::min(first * (std::int64_t{1} << doublings), limit);
}

tl::unexpected<base::error> refusal(const s3_refused_request& request, const s3_answer& answer,
                                    const s3_error& error) {
  auto detail = request.where;
  detail.append(": cannot ").append(request.operation).append(": ").append(shown(answer, error));
  if (const auto advice = advice_for(request, answer, error); !advice.empty())
    detail.append("; ").append(advice);
  const bool is_full = has(full, error.code) || answer.status == 507;
  return base::fail(is_full ? base::errc::store_full : base::errc::store_failed, std::move(detail));
}

} // namespace matchcloud::store
