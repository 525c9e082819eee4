#pragma once

#include "base/clock.hpp"
#include "base/events/log_source.hpp"

#include <spdlog/sinks/base_sink.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::base {

/// The time window in which the lines of an event are counted.
inline constexpr std::chrono::milliseconds log_window{10'000};

/// Limits the lines of one event to `lines_limit` per `log_window`, so that a failure of every
/// request neither fills the disk nor hides other lines. One thread at a time.
class log_limit {
public:
  /// `clock` must outlive this object.
  explicit log_limit(const clock& clock = machine_clock()) : clock_{&clock} {}

  /// Whether a line may be written; otherwise it is counted.
  bool admit(log_event event, log_level level, std::string_view line);

  /// The lines of an event that were left out in its window.
  struct left_out {
    log_event event{};
    /// The most severe of them.
    log_level level{};
    /// The first of them.
    std::string line;
    std::uint64_t count = 0;
  };
  /// Takes the lines left out in windows that are over, or in all windows, in the order of events.
  std::vector<left_out> take_over(bool all = false);

private:
  struct window {
    steady_time until;
    std::uint64_t written = 0;
    left_out rest;
  };

  const clock* clock_;
  std::array<window, log_events.size()> events_;
  /// Windows that are not known to be over.
  std::size_t open_ = 0;
};

/// `120 more lines of http.operation-failed within 10 s, such as: ..`
std::string describe(const log_limit::left_out& lines);

/// Passes the lines that `log_limit` admits to another sink. The next line or flush after the
/// window summarizes the lines that were left out. Any thread.
class bounded_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit bounded_sink(std::shared_ptr<spdlog::sinks::sink> to,
                        const clock& clock = machine_clock())
      : to_{std::move(to)}, limit_{clock} {}

  /// Summarizes all lines that were left out, even if their window is not over.
  void finish() {
    const std::lock_guard lock{mutex_};
    sum_up(/*all=*/true);
  }

protected:
  void sink_it_(const spdlog::details::log_msg& line) override {
    sum_up();
    if (limit_.admit(event_of(line), level_of(line), {line.payload.data(), line.payload.size()}))
      to_->log(line);
  }
  void flush_() override {
    sum_up();
    to_->flush();
  }
  void set_pattern_(const std::string& pattern) override { to_->set_pattern(pattern); }
  void set_formatter_(std::unique_ptr<spdlog::formatter> made) override {
    to_->set_formatter(std::move(made));
  }

private:
  void sum_up(bool all = false) {
    for (const auto& each : limit_.take_over(all)) {
      const auto text = describe(each);
      const auto count = std::to_string(each.count);
      to_->log(
          {source_of(each.event, count.c_str()), "matchcloud", spdlog_level(each.level), text});
    }
  }

  std::shared_ptr<spdlog::sinks::sink> to_;
  log_limit limit_;
};

} // namespace matchcloud::base
