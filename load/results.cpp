#include "load/results.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

namespace matchcloud::load {

std::string_view name_of(failure kind) noexcept {
  switch (kind) {
  case failure::connect: return "connect";
  case failure::local: return "local";
  case failure::reset: return "reset";
  case failure::closed: return "closed";
  case failure::timeout: return "timeout";
  case failure::malformed: return "malformed";
  case failure::status: return "status";
  case failure::unavailable: return "unavailable";
  case failure::content: return "content";
  case failure::unsent: return "unsent";
  case failure::abandoned: return "abandoned";
  }
  return "";
}

void late_sends::add(const late_sends& other) noexcept {
  delays.add(other.delays);
  for_connections += other.for_connections;
  by_generator += other.by_generator;
}

std::uint64_t tally::errors() const noexcept {
  return std::accumulate(failures.begin(), failures.end(), std::uint64_t{0});
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
  sent += other.sent;
  answered += other.answered;
  repeated += other.repeated;
  for (const auto& [status, count] : other.by_status)
    by_status[status] += count;
  for (std::size_t i = 0; i < failure_kinds; ++i) {
    failures[i] += other.failures[i];
    if (examples[i].empty()) examples[i] = other.examples[i];
  }
  latency.add(other.latency);
  late.add(other.late);
}

void interval::add(const interval& other) {
  latency.add(other.latency);
  if (parts.empty()) parts.resize(other.parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].sent += other.parts[i].sent;
    parts[i].answered += other.parts[i].answered;
    std::ranges::transform(parts[i].failures, other.parts[i].failures, parts[i].failures.begin(),
                           std::plus<>{});
    parts[i].latency.add(other.parts[i].latency);
  }
}

void interval::clear() {
  latency.clear();
  std::ranges::fill(parts, part{});
}

moment interval::summary() const {
  moment made;
  static_cast<latency_summary&>(made) = summary_of(latency);
  for (const auto& each : parts) {
    made.parts.push_back({each.sent, each.answered, each.failures, each.latency.counts()});
    made.sent += each.sent;
    made.answered += each.answered;
    made.errors += made.parts.back().errors();
  }
  return made;
}

} // namespace matchcloud::load
