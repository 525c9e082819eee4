#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::app {

enum class finding_level : std::uint8_t {
  ok,
  /// The service starts, but does less than it could, or does not last.
  warning,
  /// The service does not start, or its clients refuse it.
  error,
};

/// `ok`, `warning` or `error`.
constexpr std::string_view name_of(finding_level level) noexcept {
  constexpr std::string_view names[] = {"ok", "warning", "error"};
  return names[static_cast<std::size_t>(level)];
}

/// What a check has found.
struct health_finding {
  finding_level level = finding_level::ok;
  /// A sentence without its full stop; several lines if a configuration has several errors.
  std::string message;
  /// What to do; empty if there is nothing to do, or if the message says it.
  std::string advice = {};
  /// The name of the check.
  std::string_view check = {};
};

using health_findings = std::vector<health_finding>;

inline health_finding fine(std::string message) {
  return {finding_level::ok, std::move(message)};
}
inline health_finding warned(std::string message, std::string advice = {}) {
  return {finding_level::warning, std::move(message), std::move(advice)};
}
inline health_finding refused(std::string message, std::string advice = {}) {
  return {finding_level::error, std::move(message), std::move(advice)};
}

} // namespace matchcloud::app
