#include "app/plans/plan_target.hpp"

#include "app/faults/fault_listing.hpp"
#include "app/faults/rule_options.hpp"
#include "base/decimal.hpp"
#include "cli/bounded_input.hpp"

#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

namespace matchcloud::app {

namespace {

std::string target_of(base::fault_point at) {
  return "/faults/" + std::string{facts_of(at).name};
}

/// The sum of a counter over its labels, in Prometheus' text.
std::uint64_t sum_of(std::string_view metrics, std::string_view name) {
  double sum = 0;
  while (!metrics.empty()) {
    const auto end = std::min(metrics.find('\n'), metrics.size());
    const auto line = metrics.substr(0, end);
    metrics.remove_prefix(std::min(end + 1, metrics.size()));
    if (!line.starts_with(name) || line.size() == name.size()) continue;
    const char next = line[name.size()];
    if (next == '{' || next == ' ')
      sum += std::strtod(std::string{line.substr(line.rfind(' ') + 1)}.c_str(), nullptr);
  }
  return static_cast<std::uint64_t>(sum);
}

} // namespace

base::expected<void> plan_target::inject(base::fault_point at, const base::fault_rule& rule,
                                         const cli::interrupt& until) const {
  return ask_ops_plane(plane, {"PUT", target_of(at), rule_json(rule)}, until)
      .map([](const std::string&) {});
}

base::expected<std::uint64_t> plan_target::heal(base::fault_point at,
                                                const cli::interrupt& until) const {
  const auto before =
      ask_ops_plane(plane, {"GET", target_of(at), {}}, until).and_then(read_fault_point);
  const auto ended = ask_ops_plane(plane, {"DELETE", target_of(at), {}}, until);
  if (!ended) return tl::unexpected(ended.error());
  return before ? before->hits : 0;
}

base::expected<target_counters> plan_target::counters(const cli::interrupt& until) const {
  return ask_ops_plane(plane, {"GET", "/metrics", {}}, until).map([](const std::string& text) {
    return target_counters{sum_of(text, "matchcloud_faults_hit_total"),
                           sum_of(text, "matchcloud_actor_restarts_total")};
  });
}

base::expected<void> plan_target::send(int signal) const {
  auto text = pid;
  if (!base::parse_decimal<pid_t>(text)) {
    auto content = cli::read_bounded_file(pid, 64);
    if (!content) return base::fail(base::errc::io_failed, pid + ": " + content.error().detail);
    text = content->substr(0, content->find_first_of("\r\n "));
  }
  const auto process = base::parse_decimal<pid_t>(text);
  if (!process || *process <= 1)
    return base::fail(base::errc::io_failed, pid + " has no process id");
  if (::kill(*process, signal) == 0) return {};
  return base::fail(base::errc::io_failed,
                    "process " + text + ": " +
                        std::strerror(errno)); // NOLINT(concurrency-mt-unsafe)
}

} // namespace matchcloud::app
