#include "store/s3/s3_verdict.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

/// Codes whose requests may be repeated as they are, beside statuses that say so.
constexpr std::array<std::string_view, 10> passing{
    "InternalError",      "SlowDown",
    "ServiceUnavailable", "RequestTimeout",
    "OperationAborted",   "ConditionalRequestConflict",
    "Throttling",         "ThrottlingException",
    "TooManyRequests",    "RequestLimitExceeded"};

/// Of bodies that changed on the way.
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

constexpr std::array<piece_of_advice, 11> all_advice{{
    {"NoSuchBucket", "create the bucket, or name another"},
    {"AccessDenied", "give whom these credentials are of the right to do so"},
    {"InvalidAccessKeyId", "give credentials that this service knows"},
    {"SignatureDoesNotMatch", "give the secret key that belongs to the access key, and let no "
                              "proxy change requests"},
    {"ExpiredToken", "renew the credentials"},
    {"InvalidToken", "renew the credentials"},
    {"RequestTimeTooSkewed", "set this machine's clock"},
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
    return {s3_next::again, false, reason, "; is the endpoint right, and does the service run?"};
  case s3_transfer_end::not_trusted:
    return {s3_next::give_up, false,
            reason + "; name the file of the authority that has signed its certificate"};
  case s3_transfer_end::cut: return {s3_next::again, true, reason};
  case s3_transfer_end::refused: return {s3_next::give_up, false, "not wanted"};
  case s3_transfer_end::too_long:
    return {s3_next::give_up, true, "the answer is longer than any that is of use"};
  }
  return {};
}

std::chrono::milliseconds backoff_bound(std::size_t repetition, std::chrono::milliseconds first,
                                        std::chrono::milliseconds limit) noexcept {
  constexpr std::size_t most_doublings = 30;
  const auto doublings = std::min(std::max<std::size_t>(repetition, 1) - 1, most_doublings);
  return std::min(first * (std::int64_t{1} << doublings), limit);
}

tl::unexpected<base::error> refusal(const std::string& where, std::string_view operation,
                                    const s3_answer& answer, const s3_error& error) {
  std::string detail = where;
  detail.append(": cannot ").append(operation).append(": ").append(shown(answer, error));
  const auto* const advice = std::ranges::find(all_advice, error.code, &piece_of_advice::code);
  if (advice != all_advice.end()) detail.append("; ").append(advice->todo);
  const bool is_full = has(full, error.code) || answer.status == 507;
  return base::fail(is_full ? base::errc::store_full : base::errc::store_failed, std::move(detail));
}

} // namespace matchcloud::store
