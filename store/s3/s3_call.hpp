#pragma once

#include "base/expected.hpp"
#include "store/s3/s3_endpoint.hpp"
#include "store/s3/s3_transfer.hpp"
#include "store/s3/s3_verdict.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace matchcloud::store {

/// How a request is made, apart from what is sent.
struct s3_call_options {
  /// From the beginning of the call, including repetitions.
  std::chrono::milliseconds timeout{0};
  /// Whether the service may be silent until then.
  bool may_be_silent = false;
  /// Receives the body; empty: it is kept in the response.
  s3_body_taker taker;
  /// Changes the request before it is repeated.
  std::function<void(s3_request&)> before_repetition;
  /// Finds the error in a response; empty: statuses from 300 on are errors, read from their body.
  std::function<s3_error(const s3_answer&)> error_of;
};

/// The result of a call: a conclusive response, either a success or a refusal.
struct s3_result {
  s3_answer answer;
  /// The error of a refusal; its code is empty if there is none.
  s3_error error;
  /// Whether an earlier attempt may have taken effect.
  bool was_outcome_unknown = false;

  bool is_success() const noexcept { return answer.is_success() && error.code.empty(); }
};

/// A request with its repetitions: retried after temporary failures, with exponential backoff and
/// full jitter (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015), bounded
/// in number and time. Shares a lane with others; used on the lane's thread. The endpoint, the lane
/// and `stopped` must outlive it, and so must what the request refers to.
class s3_call {
public:
  s3_call(s3_endpoint& endpoint, s3_lane& lane, const std::atomic<bool>& stopped,
          s3_request request, s3_call_options options);
  s3_call(const s3_call&) = delete;
  s3_call& operator=(const s3_call&) = delete;
  ~s3_call();

  /// Begins an attempt that is due, and evaluates a finished one. Returns whether the call is over.
  bool advance();
  /// How long this call needs nothing unless the lane has progress: 0 to `s3_longest_wait`.
  std::chrono::milliseconds idle_for() const;

  /// The result of a call that is over. Fails with `store_failed` if no attempt got a conclusive
  /// response, or with `cancelled`.
  base::expected<s3_result>& result() noexcept { return *result_; }

private:
  void begin_attempt();
  void judge_attempt();
  /// Counts the bytes that the attempt moved, and ends it.
  void end_attempt();
  /// Plans the next attempt, after `least` and a random time; if none is left, the call is over.
  void repeat(const s3_verdict& verdict, std::chrono::milliseconds least);
  /// Whether the next attempt can use the time or the credentials that this one lacked.
  bool is_mended(s3_next next, const s3_answer& answer);
  void take(s3_result result);
  void fail(base::errc code, const std::string& reason);
  s3_error error_of(const s3_answer& answer) const;

  s3_endpoint& endpoint_;
  s3_lane& lane_;
  const std::atomic<bool>& stopped_;
  s3_request request_;
  s3_call_options options_;
  base::steady_time end_at_;
  /// When the next attempt is due, if none is in progress.
  base::steady_time next_at_;
  std::size_t attempts_ = 0;
  bool was_outcome_unknown_ = false;
  s3_signed_request signed_;
  std::optional<s3_transfer> transfer_;
  std::optional<base::expected<s3_result>> result_;
};

/// The longest wait of a call before it checks whether it must stop; stopping also wakes it.
inline constexpr std::chrono::milliseconds s3_longest_wait{1'000};

} // namespace matchcloud::store
