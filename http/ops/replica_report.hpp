#pragma once

#include "base/clock.hpp"
#include "http/ops/attention.hpp"
#include "http/ops/service_history.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
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
