#pragma once

#include "base/expected.hpp"
#include "store/s3/s3_answers.hpp"
#include "store/s3/s3_transfer.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// What is to be done after an attempt.
enum class s3_next : std::uint8_t {
  /// The answer counts, whether it is a success or a refusal.
  take,
  /// The same again, after a while.
  again,
  /// The same again at once, if the service's time or other credentials are known by then.
  again_with_time,
  again_with_credentials,
  /// It will not get better.
  give_up,
};

/// What an attempt came to.
struct s3_verdict {
  s3_next next = s3_next::give_up;
  /// Whether the request may have taken effect although there is no success.
  bool is_outcome_unknown = false;
  /// For people: what happened.
  std::string reason;
  /// What they can do if it stays so; may be empty.
  std::string_view todo{};
};

/// Judges an attempt. `error` is that of the answer's body, with an empty code if there is none.
s3_verdict judge(s3_transfer_end end, const std::string& reason, const s3_answer& answer,
                 const s3_error& error);

/// The longest time to wait before the n-th repetition (from 1): `first` doubled with each, up to
/// `limit`.
std::chrono::milliseconds backoff_bound(std::size_t repetition, std::chrono::milliseconds first,
                                        std::chrono::milliseconds limit) noexcept;

/// What a request was made with that was refused, for the advice.
struct s3_refused_request {
  /// As `s3_endpoint::shown` has it.
  std::string where;
  /// "cannot ..".
  std::string_view operation;
  /// What it was signed for.
  std::string_view region{};
  /// The right that it needs, as policies of Amazon name it: `s3:GetObject`; empty: unknown.
  std::string right{};
  /// When this machine got the answer, in milliseconds since 1970; 0: unknown.
  std::int64_t at_ts = 0;
};

/// The error for a refusal: `store_full` if there is no room, else `store_failed`; says what was
/// found and what to do. The answer's headers count as well as its body.
tl::unexpected<base::error> refusal(const s3_refused_request& request, const s3_answer& answer,
                                    const s3_error& error);

} // namespace matchcloud::store
