#include "http/ops/status_report.hpp"

#include "model/json/json_writer.hpp"

namespace matchcloud::http {

std::string status_report(const metric_sources& of, bool is_ready) {
  std::int64_t connections = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t answered = 0;
  for (const auto* part : of.all_transports()) {
    connections += part->connections.get();
    in_flight += part->in_flight.load(std::memory_order_relaxed);
    for (const auto& statuses : part->answers)
      for (const auto& count : statuses)
        answered += count.get();
  }
  model::json_writer json;
  json.object().name("ready").boolean(is_ready);
  json.name("connections").number(static_cast<std::uint64_t>(connections));
  json.name("requests_in_flight").number(in_flight).name("requests_total").number(answered);
  json.name("actor_restarts_total").number(of.children->restarts()).end_object();
  return json.take();
}

} // namespace matchcloud::http
