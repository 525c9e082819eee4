#pragma once

#include "base/expected.hpp"
#include "store/s3/s3_answers.hpp"
#include "store/s3/s3_transfer.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// What to do after an attempt.
enum class s3_next : std::uint8_t {
  /// The response is conclusive, whether a success or a refusal.
  take,
  /// Retry after a while.
  again,
  /// Retry at once, if the service's time or other credentials are known by then.
  again_with_time,
  again_with_credentials,
  /// A retry would not help.
  give_up,
};

/// The evaluation of an attempt.
struct s3_verdict {
  s3_next next = s3_next::give_up;
  /// Whether the request may have taken effect although there is no success.
  bool is_outcome_unknown = false;
  /// For people: what happened.
  std::string reason;
  /// What they can do if the failure persists; may be empty.
  std::string_view todo{};
};

/// Evaluates an attempt. `error` is from the response's body, with an empty code if there is none.
s3_verdict judge(s3_transfer_end end, const std::string& reason, const s3_answer& answer,
                 const s3_error& error);

/// The longest time to wait before the n-th repetition (from 1): `first`, doubled with each
/// repetition, up to `limit`.
std::chrono::milliseconds backoff_bound(std::size_t repetition, std::chrono::milliseconds first,
                                        std::chrono::milliseconds limit) noexcept;

/// What a response says, for people: its status, S3's code and message, and the bucket's region if
/// it has them.
std::string s3_reason(const s3_answer& answer, const s3_error& error);

/// The error for a refusal: `store_full` if there is no space, or else `store_failed`; "`where`:
/// cannot `operation`: ..", and what to do.
tl::unexpected<base::error> refusal(std::string where, std::string_view operation,
                                    const s3_answer& answer, const s3_error& error);

} // namespace matchcloud::store
