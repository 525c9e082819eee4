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

/// What a request is made with, beside what is sent.
struct s3_call_options {
  /// From the beginning of the call, repetitions included.
  std::chrono::milliseconds timeout{0};
  /// Whether the service may be silent until then.
  bool may_be_silent = false;
  /// For whom the body is; empty: it is kept in the answer.
  s3_body_taker taker;
  /// Changes the request before it is repeated.
  std::function<void(s3_request&)> before_repetition;
  /// Finds the error in an answer; empty: statuses from 300 on are errors, with that of their body.
  std::function<s3_error(const s3_answer&)> error_of;
};

/// The result of a call: an answer that counts, whether it is a success or a refusal.
struct s3_result {
  s3_answer answer;
  /// Of a refusal; the code is empty if it has none.
  s3_error error;
  /// Whether an earlier attempt may have taken effect.
  bool was_outcome_unknown = false;

  bool is_success() const noexcept { return answer.is_success() && error.code.empty(); }
};

/// A request with its repetitions: again after what passes, with exponential backoff and full
/// jitter (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015), bounded in
/// number and time. On a lane beside others; the same thread as the lane. The endpoint, the lane
/// and `stopped` must outlive it, and so must what the request refers to.
class s3_call {
public:
  s3_call(s3_endpoint& endpoint, s3_lane& lane, const std::atomic<bool>& stopped,
          s3_request request, s3_call_options options);
  s3_call(const s3_call&) = delete;
  s3_call& operator=(const s3_call&) = delete;
  ~s3_call();

  /// Begins what is due, and judges what is done. Returns whether the call is over.
  bool advance();
  /// How long nothing is to be done here unless the lane moves: 0 to `s3_longest_wait`.
  std::chrono::milliseconds idle_for() const;

  /// The result of a call that is over. Fails with `store_failed` if no attempt got an answer that
  /// counts, or with `cancelled`.
  base::expected<s3_result>& result() noexcept { return *result_; }

private:
  void begin_attempt();
  void judge_attempt();
  /// Counts what the attempt has moved, and lets it go.
  void end_attempt();
  /// Plans the next attempt, after `least` and a random time; if there can be none, the call is
  /// over.
  void repeat(const s3_verdict& verdict, std::chrono::milliseconds least);
  /// Whether the next attempt is made with what this one was refused for the lack of.
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

/// How long a call waits at most before it looks whether it is to stop; it is woken for that.
inline constexpr std::chrono::milliseconds s3_longest_wait{1'000};

} // namespace matchcloud::store
