#pragma once

#include "actors/owner.hpp"
#include "base/clock.hpp"
#include "base/fault_point.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace matchcloud::simulation {

/// An answer as it came over the wire, checked for its form.
struct answer {
  int status = 0;
  /// By name in lower case.
  std::map<std::string, std::string, std::less<>> headers;
  std::string body;

  std::string_view header(std::string_view name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view{} : found->second;
  }
};

struct simulated_request;

/// What is wrong with an answer that was not refused; empty: nothing.
using judgement = std::function<std::string(const simulated_request&, const answer&)>;

/// A request of a simulated client, and what is known of its life.
struct simulated_request {
  std::string id;
  /// For the trace.
  std::string what;
  std::string bytes;
  actors::owner owner = actors::owner::none;
  judgement judge;
  bool head = false;
  /// No HTTP: answered with a refusal, and then the connection ends.
  bool malformed = false;
  /// The client wants the connection to end after it.
  bool closes = false;
  bool expects_continue = false;
  /// Its `X-Fault` kills whoever handles it.
  bool poisoned = false;
  /// Nothing excuses any other answer than the newest state's.
  bool strict = false;

  // -- its life, as its client notes it ---------------------------------------

  /// Where its bytes lie in the connection's.
  std::size_t begin = 0;
  std::size_t end = 0;
  bool begun = false;
  bool whole = false;
  base::steady_time begun_at;
  base::steady_time whole_at;
  std::int64_t begun_ts = 0;
  /// Of the database and of the GeoIP files, when it began.
  std::size_t state = 0;
  std::size_t geoip = 0;
  std::array<std::uint64_t, base::fault_point_count> crashes{};
  std::chrono::nanoseconds vacant{0};
};

} // namespace matchcloud::simulation
