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

/// What a replica told of itself.
struct told_summary {
  std::string replica_id;
  /// How long ago it told it.
  std::chrono::milliseconds age{0};
  std::string json;
};

/// How this process is, for other replicas, and how it compares with what they told. Any thread.
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

  static constexpr std::string_view odd_cause = "replica_odd";
  /// What a summary tells of the past.
  static constexpr std::chrono::seconds span{15};
  /// A replica that has told nothing for so long is odd.
  static constexpr std::chrono::seconds silence{30};

  /// `state`: `ready`, or why it is not. All outlive this.
  replica_report(identity self, const service_history& history, const attention& causes,
                 std::function<std::string_view()> state)
      : self_{std::move(self)}, history_{history}, causes_{causes}, state_{std::move(state)} {}

  /// As JSON, of at most some 2 KiB.
  std::string summary() const;
  /// All that told, as JSON, each with why it is odd. This process is among them, as it is now.
  std::string report(const std::vector<told_summary>& heard) const;
  /// For each odd one a finding.
  std::vector<attention_finding> find_odd(const std::vector<told_summary>& heard) const;

private:
  identity self_;
  const service_history& history_;
  const attention& causes_;
  std::function<std::string_view()> state_;
};

} // namespace matchcloud::http
