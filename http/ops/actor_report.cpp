#include "http/ops/actor_report.hpp"

#include "model/json/json_writer.hpp"

#include <cstddef>
#include <string_view>

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
  if (of.what != child_spec::kind::front && of.what != child_spec::kind::owner) return 0;
  if (of.loop < transports.size()) return waiting_in(*transports[of.loop], of);
  std::size_t sum = 0;
  for (const auto* each : transports)
    sum += waiting_in(*each, of);
  return sum;
}

/// The name of the owner's kind, or of the actor itself if it is no owner.
std::string_view kind_of(const child_report& what) {
  switch (what.what) {
  case child_spec::kind::catalog: return "catalog";
  case child_spec::kind::geoip_watch: return "geoip_watch";
  case child_spec::kind::bookkeeping: return "bookkeeping";
  case child_spec::kind::repeated_task: return what.name;
  case child_spec::kind::owner: return name_of(what.role);
  case child_spec::kind::front: return "front";
  }
  return {};
}

void write(model::json_writer& json, std::string_view kind, const child_report& of,
           std::size_t depth) {
  json.object().name("place").text(of.name).name("kind").text(kind).name("loop");
  if (of.loop == child_spec::every_loop)
    json.null();
  else
    json.number(of.loop);
  json.name("state").text(name_of(of.state)).name("depth").number(depth);
  json.name("restarts").number(of.restarts).name("handled").number(of.handled);
  json.name("last_error");
  if (of.last_error.empty())
    json.null();
  else
    json.text(of.last_error);
  json.end_object();
}

} // namespace

std::string actor_report(const status_sources& of) {
  model::json_writer json;
  json.object().name("actors").array();
  child_report supervisor;
  supervisor.name = "supervisor";
  supervisor.restarts = of.children->supervisor_restarts();
  write(json, supervisor.name, supervisor, 0);
  auto transports = of.transports;
  transports.push_back(of.ops);
  for (const auto& each : of.children->report())
    write(json, kind_of(each), each, depth_of(each, transports));
  json.end_array().end_object();
  return json.take();
}

} // namespace matchcloud::http
