#pragma once

#include "base/fault_point.hpp"
#include "model/json/record.hpp"

#include <array>
#include <string>
#include <string_view>

namespace matchcloud::actors {

/// A fault, described by its effect.
struct fault_preset {
  std::string_view name;
  /// What clients and operators will see.
  std::string_view effect;
  base::fault_point point{};
  /// In the form that `read_fault_rule` reads.
  std::string_view rule;
};

constexpr auto describe(const fault_preset*) {
  using of = fault_preset;
  using namespace model::types;
  return record{"FaultPreset", field{"name", text, "Such as `slow-disk`.", &of::name},
                field{"effect", text, "The effect that can be observed.", &of::effect},
                field{"point", text, "Where to put the rule.",
                      [](const of& one) { return facts_of(one.point).name; }},
                field{"rule", a("FaultRule"), "The rule.",
                      [](const of& one) { return model::raw_json{std::string{one.rule}}; }}};
}

/// All presets: in `GET /faults`, and for `matchcloud fault set --preset`.
inline constexpr std::array fault_presets{
    fault_preset{"lossy-clients",
                 "The network loses packets of a tenth of the connections: their requests arrive "
                 "late.",
                 base::fault_point::read,
                 R"({"kind":"delay","delay_ms":[50,300],"probability":0.5,"connections":0.1})"},
    fault_preset{"breaking-connections",
                 "A tenth of the connections break off repeatedly, in the middle of requests.",
                 base::fault_point::read,
                 R"({"kind":"error","probability":0.1,"connections":0.1})"},
    fault_preset{"slow-clients", "A tenth of the clients receive responses slowly.",
                 base::fault_point::write,
                 R"({"kind":"delay","delay_ms":[20,200],"connections":0.1})"},
    fault_preset{"lost-replies",
                 "One response in a thousand is lost inside the service: 504 at the deadline.",
                 base::fault_point::front_reply, R"({"kind":"drop","probability":0.001})"},
    fault_preset{"dying-actors",
                 "Actors that rank regions die at one request in a hundred and are replaced; "
                 "clients notice nothing.",
                 base::fault_point::region_ranking_receive,
                 R"({"kind":"crash","probability":0.01})"},
    fault_preset{"slow-actors", "Listings of regions take 5 to 50 ms longer.",
                 base::fault_point::region_ranking_reply, R"({"kind":"delay","delay_ms":[5,50]})"},
    fault_preset{"slow-disk",
                 "Each commit takes 50 to 200 ms longer, as on a slow or busy disk: ingests and "
                 "changes wait.",
                 base::fault_point::store_commit, R"({"kind":"delay","delay_ms":[50,200]})"},
    fault_preset{"slow-store",
                 "Each read of the store takes 20 to 100 ms longer: lists that are not in memory, "
                 "such as avatar lists, are delayed.",
                 base::fault_point::store_read, R"({"kind":"delay","delay_ms":[20,100]})"},
    fault_preset{"stuck-disk",
                 "A commit never ends: ingests and changes get 504, reads still work.",
                 base::fault_point::store_commit, R"({"kind":"stall"})"},
    fault_preset{"failing-store",
                 "Nothing can be written to the store: ingests and changes get 503, reads still "
                 "work.",
                 base::fault_point::store_write, R"({"kind":"error"})"},
    fault_preset{"full-disk",
                 "The store's disk is full: ingests and changes get 507, reads still work.",
                 base::fault_point::store_write, R"({"kind":"full"})"},
    fault_preset{"failing-exports",
                 "Exports cannot be written to their files: requests for them get 503.",
                 base::fault_point::export_write, R"({"kind":"error"})"},
    fault_preset{"failing-bucket",
                 "Half of the requests to the bucket fail: images and exports sometimes get 503.",
                 base::fault_point::bucket_request, R"({"kind":"error","probability":0.5})"},
    fault_preset{"slow-bucket",
                 "Each request to the bucket takes 200 ms to a second longer: exports and images "
                 "that are not in memory are delayed.",
                 base::fault_point::bucket_request, R"({"kind":"delay","delay_ms":[200,1000]})"},
    fault_preset{"unknown-places",
                 "No client's address is located: all clients get the regions in the order for "
                 "unknown places.",
                 base::fault_point::geoip_lookup, R"({"kind":"error"})"},
    fault_preset{"wrong-clock",
                 "The time of day is wrong by up to an hour: tokens and URLs expire early or late.",
                 base::fault_point::clock, R"({"kind":"corrupt"})"},
};

} // namespace matchcloud::actors
