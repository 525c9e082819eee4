#include "base/log/log_limit.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::base {

bool log_limit::admit(log_event event, log_level level, std::string_view line) {
  auto& of = events_[static_cast<std::size_t>(event)];
  if (of.written == 0) {
    of.until = clock_->now() + log_window;
    ++open_;
  }
  if (of.written < lines_limit(event)) {
    ++of.written;
    return true;
  }
  if (of.rest.count++ == 0) of.rest.line = line;
  of.rest.event = event;
  of.rest.level = std::max(of.rest.level, level);
  return false;
}

std::vector<log_limit::left_out> log_limit::take_over(bool all) {
  std::vector<left_out> taken;
  if (open_ == 0) return taken;
  const auto now = clock_->now();
  for (auto& each : events_) {
    if (each.written == 0 || (!all && each.until > now)) continue;
    if (each.rest.count > 0) taken.push_back(std::move(each.rest));
    each = {};
    --open_;
  }
  return taken;
}

std::string describe(const log_limit::left_out& lines) {
  return std::to_string(lines.count) + " more lines of " + std::string{row_of(lines.event).name} +
         " within " + std::to_string(log_window.count() / 1'000) + " s, such as: " + lines.line;
}

} // namespace matchcloud::base
