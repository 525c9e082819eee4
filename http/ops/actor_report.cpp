#include "http/ops/actor_report.hpp"

#include "model/json/json_text.hpp"

#include <cstddef>
#include <string_view>

namespace matchcloud::http {

namespace {

using actors::place;
using actors::place_report;

std::size_t waiting_in(const transport_metrics& transport, const place_report& of) {
  const auto& count =
      of.what == place::kind::front ? transport.in_flight : transport.at_owner[index_of(of.role)];
  return count.load(std::memory_order_relaxed);
}

/// Of what gets no requests: 0.
std::size_t depth_of(const place_report& of,
                     const std::vector<const transport_metrics*>& transports) {
  if (of.what != place::kind::front && of.what != place::kind::owner) return 0;
  if (of.loop < transports.size()) return waiting_in(*transports[of.loop], of);
  std::size_t sum = 0;
  for (const auto* each : transports)
    sum += waiting_in(*each, of);
  return sum;
}

/// The kind of owner; of what owns nothing, what it is.
std::string_view kind_of(const place_report& what) {
  switch (what.what) {
  case place::kind::catalog: return "catalog";
  case place::kind::geoip_watch: return "geoip_watch";
  case place::kind::owner: return row_of(what.role.kind).name;
  case place::kind::front: return "front";
  }
  return {};
}

void append(std::string& json, std::string_view kind, const place_report& of, std::size_t depth) {
  json += "{\"place\":";
  model::append_json_string(json, of.name);
  json += ",\"kind\":";
  model::append_json_string(json, kind);
  json += ",\"loop\":" + (of.loop == place::every_loop ? "null" : std::to_string(of.loop));
  json += ",\"state\":";
  model::append_json_string(json, name_of(of.state));
  json += ",\"depth\":" + std::to_string(depth) + ",\"restarts\":" + std::to_string(of.restarts) +
          ",\"handled\":" + std::to_string(of.handled) + ",\"last_error\":";
  if (of.last_error.empty())
    json += "null";
  else
    model::append_json_string(json, of.last_error);
  json += '}';
}

} // namespace

std::string actor_report(const actors::roster& of,
                         const std::vector<const transport_metrics*>& transports) {
  std::string json = "{\"actors\":[";
  place_report supervisor;
  supervisor.name = "supervisor";
  supervisor.restarts = of.supervisor_restarts();
  append(json, supervisor.name, supervisor, 0);
  for (const auto& each : of.report()) {
    json += ',';
    append(json, kind_of(each), each, depth_of(each, transports));
  }
  return json + "]}";
}

} // namespace matchcloud::http
