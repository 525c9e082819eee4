#include "http/ops/actor_report.hpp"

#include <vector>

namespace matchcloud::http {

namespace {

using actors::child_report;
using actors::child_spec;

std::size_t waiting_in(const transport_metrics& transport, const child_report& of) {
  const auto& count = of.what == child_spec::kind::front ? transport.in_flight
                                                         : transport.at_owner[index_of(of.role)];
  return count.load(std::memory_order_relaxed);
}

/// How many requests wait for the actor; 0 for actors that get no requests.
std::size_t depth_of(const child_report& of,
                     const std::vector<const transport_metrics*>& transports) {
  if (of.what == child_spec::kind::worker) return 0;
  if (of.loop < transports.size()) return waiting_in(*transports[of.loop], of);
  std::size_t sum = 0;
  for (const auto* each : transports)
    sum += waiting_in(*each, of);
  return sum;
}

/// The name of the owner's kind, or of the actor itself if it is no owner.
std::string_view kind_of(const child_report& what) {
  if (what.what == child_spec::kind::front) return "front";
  return what.what == child_spec::kind::owner ? name_of(what.role) : what.name;
}

} // namespace

std::string actor_report(const status_sources& of) {
  child_report supervisor;
  supervisor.name = "supervisor";
  supervisor.restarts = of.children->supervisor_restarts();
  std::vector<actor_status> all{{supervisor, supervisor.name}};
  auto transports = of.transports;
  transports.push_back(of.ops);
  for (const auto& each : of.children->report())
    all.push_back({each, std::string{kind_of(each)}, depth_of(each, transports)});
  return model::to_json("actors", all);
}

} // namespace matchcloud::http
