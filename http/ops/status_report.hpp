#pragma once

#include "actors/region_ranking/region_ranking.hpp"
#include "base/clock.hpp"
#include "http/ops/service_history.hpp"
#include "model/json/record.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// A plane since the start.
struct plane_status {
  /// Sums of gauges that are read one after another: possibly below 0.
  std::int64_t connections = 0;
  std::uint64_t in_flight = 0;
  answers_by_class answers;

  void add(const transport_metrics& one);
  std::int64_t open_connections() const { return std::max<std::int64_t>(0, connections); }
  std::uint64_t answered() const;
};

constexpr auto describe(const plane_status*) {
  using of = plane_status;
  using namespace model::types;
  return record{"PlaneStatus",
                field{"connections", count, "Open connections.", &of::open_connections},
                field{"in_flight", count, "Requests that are not answered yet.", &of::in_flight},
                field{"answers", a("AnswerCounts"), "Answers since the start, by class of status.",
                      &of::answers}}
      .open();
}

struct loop_status {
  std::size_t loop = 0;
  std::int64_t connections = 0;
  double busy = 0;
  std::string_view plane = "data";
};

constexpr auto describe(const loop_status*) {
  using of = loop_status;
  using namespace model::types;
  return record{"LoopStatus", field{"loop", count, "Its number, from 0.", &of::loop},
                field{"plane", text, "The plane that it serves.", &of::plane},
                field{"connections", count, "Open connections that it serves.", &of::connections},
                field{"busy", share,
                      "The share of time in which it worked since the previous event.", &of::busy}}
      .open();
}

struct memory_status {
  std::uint64_t resident_bytes = 0;
  std::uint64_t leased_bytes = 0;
  std::uint64_t budget_bytes = 0;
};

constexpr auto describe(const memory_status*) {
  using of = memory_status;
  using namespace model::types;
  return record{
      "MemoryStatus",
      field{"resident_bytes", count, "The process's resident memory.", &of::resident_bytes},
      field{"leased_bytes", count, "The bytes of the budget that requests and responses hold.",
            &of::leased_bytes},
      field{"budget_bytes", count, "The byte budget.", &of::budget_bytes}}
      .open();
}

struct supervision_status {
  std::size_t running = 0;
  /// Of each actor that does not run, its name, its state and its last error.
  std::vector<std::array<std::pair<std::string_view, std::string>, 3>> problems = {};
};

constexpr auto describe(const supervision_status*) {
  using of = supervision_status;
  using namespace model::types;
  return record{"SupervisionStatus", field{"running", count, "Actors that run.", &of::running},
                field{"problems",
                      list_of({R"("type":"object","required":["place","state","last_error"],)"
                               R"("properties":{"place":{"type":"string",)"
                               R"("description":"The actor's name."},)"
                               R"("state":{"$ref":"#/components/schemas/ActorState",)"
                               R"("description":"Its state."},"last_error":{"type":"string",)"
                               R"("description":"The cause of its last death."}})"}),
                      "The first actors that do not run.", &of::problems}}
      .open();
}

/// The state of the service, as watchers see it.
struct service_status {
  bool is_ready = false;
  std::int64_t connections = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t answered = 0;
  std::uint64_t restarts = 0;
  std::int64_t uptime_s = 0;
  std::array<std::pair<std::string_view, plane_status>, 2> planes = {};
  latency_spread latency = {};
  std::vector<loop_status> loops = {};
  memory_status memory = {};
  supervision_status actors = {};
  std::optional<std::array<std::pair<std::string_view, std::uint64_t>, 2>> faults = {};
};

constexpr auto describe(const service_status*) {
  using of = service_status;
  using namespace model::types;
  return record{
      "Status",
      field{"ready", flag, "Whether the service accepts requests.", &of::is_ready},
      field{"connections", count, "Open connections of both planes.", &of::connections},
      field{"requests_in_flight", count, "Requests that are not answered yet.", &of::in_flight},
      field{"requests_total", count, "Requests answered since the start.", &of::answered},
      field{"actor_restarts_total", count, "Actors restarted since the start.", &of::restarts},
      field{"uptime_s", count, "Seconds since the start.", &of::uptime_s},
      field{"planes",
            {R"("type":"object","required":["data","ops"],)"
             R"("properties":{"data":{"$ref":"#/components/schemas/PlaneStatus",)"
             R"("description":"The data plane."},)"
             R"("ops":{"$ref":"#/components/schemas/PlaneStatus",)"
             R"("description":"The ops plane."}})"},
            "Each plane by itself.",
            &of::planes},
      field{"latency_us", a("LatencySummary"),
            "How long the data plane's requests took in the last second.", &of::latency},
      field{"loops", list_of(a("LoopStatus")), "The event loops of the data plane.", &of::loops},
      field{"memory", a("MemoryStatus"), "Memory in use.", &of::memory},
      field{"actors", a("SupervisionStatus"), "Actors under supervision.", &of::actors},
      field{"faults",
            {R"("type":["object","null"],"required":["armed","hits"],)"
             R"("properties":{"armed":{"type":"integer","minimum":0,)"
             R"("description":"Points with a rule."},"hits":{"type":"integer",)"
             R"("minimum":0,"description":"Faults injected since the start."}})"},
            "Injected faults; null: none can be injected.",
            &of::faults}}
      .about("The data of an event.")
      .open();
}

/// Reports the current state of the service, as one line of JSON for watchers: whether it is ready,
/// connections, requests and answers of both planes, loops, memory, actors that do not run and
/// faults. Any thread.
class status_meter {
public:
  explicit status_meter(const status_sources& of, const base::clock& clock = base::machine_clock());

  /// Takes latencies and the load of loops from `latest`.
  std::string report(bool is_ready, const history_interval& latest) const;

  /// Loops and actors beyond these numbers are left out of a report.
  static constexpr std::size_t loops_limit = 32;
  static constexpr std::size_t problems_limit = 16;

private:
  const status_sources& sources_;
  const base::clock& clock_;
  base::steady_time began_;
};

/// A cell that requests came from.
struct place_cell {
  double latitude = 0;
  double longitude = 0;
  std::uint64_t requests = 0;
};

constexpr auto describe(const place_cell*) {
  using of = place_cell;
  using namespace model::types;
  return record{
      "PlaceCell",
      field{"latitude", model::types::latitude, "Degrees, at the cell's center.", &of::latitude},
      field{"longitude", model::types::longitude, "Degrees, at the cell's center.", &of::longitude},
      field{"requests", positive, "How many requests came from the cell.", &of::requests}};
}

struct player_places {
  bool is_enabled = false;
  std::int64_t window_s = 0;
  std::uint64_t unknown = 0;
  std::vector<place_cell> cells = {};
};

constexpr auto describe(const player_places*) {
  using of = player_places;
  using namespace model::types;
  return record{
      "PlayerPlaces",
      field{"enabled", flag, "Whether places are counted.", &of::is_enabled},
      field{"window_s", count, "The age of the oldest requests that count, in seconds.",
            &of::window_s},
      field{"cell_degrees",
            {R"("type":"integer","minimum":1,"maximum":180)"},
            "The length of a cell's side, in degrees.",
            [](const of&) { return actors::place_counts::cell_degrees; }},
      field{"unknown", count, "Requests from unknown places.", &of::unknown},
      field{"cells", list_of(a("PlaceCell")), "The cells that requests came from.", &of::cells}};
}

/// Where recent clients of the data plane came from, as JSON for operators, by the cells of
/// `actors::place_counts`. The report says how far back it reaches: at least `window`, if there was
/// a report before. Any thread.
class place_report {
public:
  explicit place_report(std::vector<const actors::place_counts*> counted,
                        const base::clock& clock = base::machine_clock());

  std::string report();

  /// How long a moment is kept as the beginning of a report.
  static constexpr std::chrono::minutes window{10};

private:
  using cells = std::array<std::uint64_t, actors::place_counts::size>;
  struct moment {
    base::steady_time at;
    cells counts{};
  };

  cells count() const;

  std::vector<const actors::place_counts*> counted_;
  const base::clock& clock_;
  std::mutex mutex_;
  /// What the report compares with, and what later ones will.
  moment before_;
  std::optional<moment> next_;
};

/// An actor under supervision.
struct actor_status : actors::child_report {
  std::string kind;
  /// The number of requests that wait for it.
  std::size_t depth = 0;
};

constexpr auto describe(const actor_status*) {
  using of = actor_status;
  using namespace model::types;
  return record{
      "Actor",
      field{"place", text, "Its name, such as `avatar/1`.", &of::name},
      field{"kind", text, "What it does, such as `avatar`.", &of::kind},
      field{"loop", count_or_null, "The number of the event loop that it runs on; null: the pool.",
            [](const of& one) {
              return one.loop == actors::child_spec::every_loop ? std::nullopt
                                                                : std::optional{one.loop};
            }},
      field{"state", a("ActorState"), "Its state.", &of::state},
      field{"depth", count, "Requests waiting for it.", &of::depth},
      field{"restarts", count, "How often it was restarted.", &of::restarts},
      field{"handled", count, "Messages that it has handled.", &of::handled},
      field{"last_error", text_or_null, "The cause of its last death; null: it never died.",
            model::unless_empty(&of::last_error)}};
}

/// `GET /actors` of the ops plane: each actor's place, kind, event loop (null: it serves all),
/// state, depth (requests that wait for it), restarts, requests handled and last error (null:
/// none), the supervisor first. Any thread.
std::string actor_report(const status_sources& of);

} // namespace matchcloud::http
