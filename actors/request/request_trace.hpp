#pragma once

#include "base/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::actors {

/// The walk of one request through actors: when each began and ended to handle a message about it.
/// Any thread.
class request_trace {
public:
  /// Later steps are left out.
  static constexpr std::size_t steps_limit = 16;

  struct step {
    /// The actor's kind; has static storage duration.
    std::string_view place;
    base::steady_time began;
    base::steady_time ended;
  };

  explicit request_trace(const base::clock& clock)
      : clock_{&clock}, began_{clock.now()}, began_ms_{clock.unix_ms()} {}

  void enter(std::string_view place);
  /// Ends the last step of that place.
  void leave(std::string_view place);

  base::steady_time began() const noexcept { return began_; }
  /// Milliseconds since 1970.
  std::int64_t began_ms() const noexcept { return began_ms_; }
  std::vector<step> steps() const;

private:
  const base::clock* clock_;
  base::steady_time began_;
  std::int64_t began_ms_;
  mutable std::mutex mutex_;
  std::vector<step> steps_;
};

/// The last traced requests of a process. Any thread.
class trace_log {
public:
  static constexpr std::size_t kept_limit = 50;

  /// Of so many requests one is traced; 0: none is.
  explicit trace_log(std::uint64_t one_in, const base::clock& clock = base::machine_clock())
      : one_in_{one_in}, clock_{&clock} {}

  std::uint64_t one_in() const noexcept { return one_in_; }
  /// A trace for a request that begins now.
  std::shared_ptr<request_trace> begin() const { return std::make_shared<request_trace>(*clock_); }
  /// Keeps a trace whose request is answered. `operation` has static storage duration.
  void keep(std::shared_ptr<const request_trace> trace, std::string_view operation, int status,
            std::string request_id);
  /// The newest first, as JSON.
  std::string report() const;

private:
  struct entry {
    std::shared_ptr<const request_trace> trace;
    std::string_view operation;
    int status;
    std::string request_id;
    base::steady_time ended;
  };

  std::uint64_t one_in_;
  const base::clock* clock_;
  mutable std::mutex mutex_;
  std::deque<entry> entries_;
};

/// Chooses the requests of one front that are traced: the first, and then one in so many. One
/// thread, so that loops share nothing at each request.
class trace_sampler {
public:
  /// Null: none is traced.
  explicit trace_sampler(std::shared_ptr<const trace_log> log)
      : log_{std::move(log)}, one_in_{log_ ? log_->one_in() : 0} {}

  /// A trace for the next request; null for most.
  std::shared_ptr<request_trace> next() {
    if (one_in_ == 0) return nullptr;
    if (left_ > 0) {
      --left_;
      return nullptr;
    }
    left_ = one_in_ - 1;
    return log_->begin();
  }

private:
  std::shared_ptr<const trace_log> log_;
  std::uint64_t one_in_;
  /// Requests until the next one that is traced.
  std::uint64_t left_ = 0;
};

/// Notes in the trace of a request, if it has one, that an actor handles a message about it for as
/// long as this lives.
class traced_step {
public:
  traced_step(std::shared_ptr<request_trace> trace, std::string_view place)
      : trace_{std::move(trace)}, place_{place} {
    if (trace_) trace_->enter(place_);
  }
  ~traced_step() {
    if (trace_) trace_->leave(place_);
  }
  traced_step(const traced_step&) = delete;
  traced_step& operator=(const traced_step&) = delete;
  traced_step(traced_step&&) = delete;
  traced_step& operator=(traced_step&&) = delete;

private:
  std::shared_ptr<request_trace> trace_;
  std::string_view place_;
};

} // namespace matchcloud::actors
