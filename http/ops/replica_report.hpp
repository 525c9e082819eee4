#pragma once

#include "base/clock.hpp"
#include "http/ops/attention.hpp"
#include "http/ops/service_history.hpp"
#include "model/json/record.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// What a replica reported about itself.
struct told_summary {
  std::string replica_id;
  /// How long ago it reported this.
  std::chrono::milliseconds age{0};
  std::string json;
};

/// What a replica reports about itself. Its numbers have four decimals.
struct replica_summary {
  std::string host = {};
  std::string ops_url = {};
  std::string version = {};
  std::string state = {};
  std::int64_t began_ms = 0;
  double requests = 0;
  double requests_per_second = 0;
  double failed_share = 0;
  double p50_us = 0;
  double p99_us = 0;
  double busy = 0;
  std::vector<std::string> causes = {};
};

constexpr auto describe(const replica_summary*) {
  using of = replica_summary;
  using namespace model::types;
  return record{
      "ReplicaSummary",
      field{"host", text, "The name of its machine.", &of::host},
      field{"ops_url", text, "Where its ops plane listens.", &of::ops_url},
      field{"version", text, "The version of its program.", &of::version},
      field{"state", a("ServiceState"), "Whether it accepts requests, or why not.", &of::state},
      field{"began_ms", count, "When it began, in milliseconds since 1970.", &of::began_ms},
      field{"requests", amount, "Requests of the data plane in the last 15 seconds.",
            &of::requests},
      field{"requests_per_second", amount, "Requests of the data plane per second.",
            &of::requests_per_second},
      field{"failed_share", share, "The share of them answered with 5xx.", &of::failed_share},
      field{"p50_us", amount, "Their median latency, in microseconds.", &of::p50_us},
      field{"p99_us", amount, "99 % took at most this.", &of::p99_us},
      field{"busy", share, "The share of time in which its busiest event loop worked.", &of::busy},
      field{"causes", list_of(text), "What its own /v1/attention found.", &of::causes}};
}

/// A replica in the list of all.
struct replica : replica_summary {
  std::string replica_id = {};
  bool is_this = false;
  std::int64_t age_ms = 0;
};

constexpr auto describe(const replica*) {
  using namespace model::types;
  return record{
      "Replica",
      std::tuple_cat(
          std::tuple{
              field{"replica_id", uuid, "New at each start.", &replica::replica_id},
              field{"is_this", flag, "Whether this is the answering process.", &replica::is_this},
              field{"age_ms",
                    {R"("type":"integer")"},
                    "How long ago it reported this, in milliseconds.",
                    &replica::age_ms}},
          model::record_of<replica_summary>.fields)};
}

/// Reports the state of this process to other replicas, and lists theirs. Any thread.
class replica_report {
public:
  struct identity {
    std::string replica_id;
    /// Where a person finds it: the machine, and the URL of its ops plane.
    std::string host;
    std::string ops_url;
    /// In milliseconds since 1970.
    std::int64_t began_ms = 0;
  };

  /// How much of the past a summary covers.
  static constexpr std::chrono::seconds span{15};

  /// `state`: `ready`, or why it is not. All outlive this.
  replica_report(identity self, const service_history& history, const attention& causes,
                 std::function<std::string_view()> state)
      : self_{std::move(self)}, history_{history}, causes_{causes}, state_{std::move(state)} {}

  /// As JSON, at most about 2 KiB.
  std::string summary() const;
  /// All replicas that reported and this process as it is now, as JSON.
  std::string report(const std::vector<told_summary>& heard) const;

private:
  identity self_;
  const service_history& history_;
  const attention& causes_;
  std::function<std::string_view()> state_;
};

} // namespace matchcloud::http
