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

/// The facts of a refused request, for the advice.
struct s3_refused_request {
  /// From `s3_endpoint::shown`.
  std::string where;
  /// "cannot ..".
  std::string_view operation;
  /// The region that it was signed for.
  std::string_view region{};
  /// The permission that it needs, as Amazon's policies name it: `s3:GetObject`; empty: unknown.
  std::string right{};
  /// When this machine received the response, in milliseconds since 1970; 0: unknown.
  std::int64_t at_ts = 0;
};

/// The error for a refusal: `store_full` if there is no space, or else `store_failed`; says what
/// was found and what to do. Considers the response's headers as well as its body.
tl::unexpected<base::error> refusal(const s3_refused_request& request, const s3_answer& answer,
                                    const s3_error& error);

} // namespace matchcloud::store
