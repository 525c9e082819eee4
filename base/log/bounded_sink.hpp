#pragma once

#include "base/events/log_source.hpp"
#include "base/log/log_limit.hpp"

#include <spdlog/sinks/base_sink.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace matchcloud::base {

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
