#include "store/s3/s3_verdict.hpp"

#include <algorithm>
#include <array>
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

constexpr std::array<piece_of_advice, 13> all_advice{{
    {"NoSuchBucket", "create the bucket, or use another"},
    {"InvalidAccessKeyId", "use credentials that this service knows"},
    {"SignatureDoesNotMatch", "use the secret key that belongs to the access key, and make sure "
                              "that no proxy changes requests"},
    {"ExpiredToken", "get new credentials, including AWS_SESSION_TOKEN"},
    {"InvalidToken", "get new credentials, including AWS_SESSION_TOKEN"},
    {"TokenRefreshRequired", "get new credentials"},
    {"AccessDenied", "allow s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket, "
                     "s3:ListBucketMultipartUploads and s3:AbortMultipartUpload for the user or "
                     "role of these credentials"},
    {"RequestTimeTooSkewed", "set this machine's clock"},
    {"PermanentRedirect", "set objects-endpoint and objects-region to the bucket's"},
    {"TemporaryRedirect", "set objects-endpoint and objects-region to the bucket's"},
    {"AuthorizationHeaderMalformed", "set objects-region (or AWS_REGION) to the bucket's"},
    {"QuotaExceeded", "remove something, or raise the quota"},
    {"", "it gives no reason: check objects-endpoint, the credentials and their rights"},
}};

template <class List>
bool has(const List& list, std::string_view code) {
  return std::ranges::find(list, code) != list.end();
}

s3_verdict judge_answer(const s3_answer& answer, const s3_error& error) {
  const auto reason = s3_reason(answer, error);
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

std::string s3_reason(const s3_answer& answer, const s3_error& error) {
  auto text = "HTTP status " + std::to_string(answer.status);
  if (!error.code.empty()) text += ", " + error.code;
  if (!error.message.empty()) text += ": " + error.message;
  const auto region = answer.header("x-amz-bucket-region");
  if (!region.empty() && is_s3_word(region))
    text.append(" (the bucket is in ").append(region).append(")");
  return text;
}

tl::unexpected<base::error> refusal(std::string where, std::string_view operation,
                                    const s3_answer& answer, const s3_error& error) {
  where.append(": cannot ").append(operation).append(": ").append(s3_reason(answer, error));
  const auto* const known = std::ranges::find(all_advice, error.code, &piece_of_advice::code);
  if (known != all_advice.end()) where.append("; ").append(known->todo);
  const bool is_full = has(full, error.code) || answer.status == 507;
  return base::fail(is_full ? base::errc::store_full : base::errc::store_failed, std::move(where));
}

} // namespace matchcloud::store
