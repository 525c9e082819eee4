#include "load/results.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

namespace matchcloud::load {

std::string_view name_of(failure kind) noexcept {
  constexpr std::array<std::string_view, failure_kinds> names{
      "connect", "local",       "reset",   "closed", "timeout",  "malformed",
      "status",  "unavailable", "content", "unsent", "abandoned"};
  return names[static_cast<std::size_t>(kind)];
}

void late_sends::add(const late_sends& other) noexcept {
  delays.add(other.delays);
  for_connections += other.for_connections;
  by_generator += other.by_generator;
}

void outcomes::add(const outcomes& other) noexcept {
  sent += other.sent;
  answered += other.answered;
  std::ranges::transform(failures, other.failures, failures.begin(), std::plus<>{});
}

void tally::fail(failure kind, std::string_view example) {
  const auto at = static_cast<std::size_t>(kind);
  if (failures[at]++ > 0) return;
  examples[at] = example;
  // Nothing from a server may control the terminal.
  std::ranges::replace_if(
      examples[at], [](unsigned char byte) { return byte < 0x20 || byte > 0x7e; }, '?');
}

void tally::add(const tally& other) {
  outcomes::add(other);
  repeated += other.repeated;
  for (const auto& [status, count] : other.by_status)
    by_status[status] += count;
  for (std::size_t i = 0; i < failure_kinds; ++i)
    if (examples[i].empty()) examples[i] = other.examples[i];
  latency.add(other.latency);
  late.add(other.late);
}

namespace {

template <class Each>
void add_all(std::vector<Each>& to, const std::vector<Each>& more) {
  to.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i)
    to[i].add(more[i]);
}

} // namespace

void results::add(const results& other) {
  for (const auto& part : other.parts)
    all.add(part);
  add_all(parts, other.parts);
  add_all(flows, other.flows);
  stages.resize(other.stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i)
    stages[i].all.add(other.stages[i].all);
  on_time.add(other.on_time);
  seconds = std::max(seconds, other.seconds);
  busiest_thread_percent = std::max(busiest_thread_percent, other.busiest_thread_percent);
  unconnected += other.unconnected;
  resent_segments += other.resent_segments;
}

void interval::add(const interval& other) {
  latency.add(other.latency);
  parts.resize(other.parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].add(other.parts[i]);
    parts[i].latency.add(other.parts[i].latency);
  }
}

void interval::clear() {
  latency.clear();
  std::ranges::fill(parts, part_of_interval<latency_bands>{});
}

moment interval::summary() const {
  moment made;
  made.ns = summary_of(latency).ns;
  for (const auto& each : parts) {
    made.add(each);
    made.parts.push_back({each, each.latency.counts()});
  }
  return made;
}

} // namespace matchcloud::load
