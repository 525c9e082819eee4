#pragma once

#include "base/clock.hpp"
#include "base/fault_point.hpp"
#include "base/owner.hpp"
#include "model/lobbies/lobby.hpp"
#include "tests/simulation/seed.hpp"
#include "tests/simulation/stored_state.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::simulation {

/// The lines of one ingest, which clients send until an answer says that they are taken, and how
/// far they came. No two batches report the same lobby.
class lobby_batch {
public:
  lobby_batch(std::size_t number, chance& random);

  std::size_t number() const noexcept { return number_; }
  /// All lines. The last one may lack its line end.
  const std::string& body() const noexcept { return body_; }
  std::size_t line_count() const noexcept { return reports_.size(); }
  /// The offset behind a line's end.
  std::size_t end_of(std::size_t line) const { return ends_[line]; }
  std::uint64_t rejected_count() const noexcept;
  /// How many lines add to what those before them say.
  std::uint64_t news_count() const;

  /// The node was given that many bytes of the body, or all of it.
  void deliver(std::size_t bytes, bool whole);
  void take() noexcept { is_taken_ = true; }
  /// A client was told that all lines are in the store.
  bool is_taken() const noexcept { return is_taken_; }
  void begin_try() noexcept { ++tries_; }
  std::size_t tries() const noexcept { return tries_; }

  /// What is wrong if all lines should be among `stored`; empty if nothing.
  std::string find_missing(const lobby_map& stored) const;
  /// What is wrong if only lines that the node was given, from the first one on, may be among
  /// `stored`; empty if nothing. Adds the number of the batch's lobbies there to `found`.
  std::string find_undelivered(const lobby_map& stored, std::size_t& found) const;

private:
  void add_report(model::lobby made);
  void add_line(std::string text, std::optional<model::lobby> report);

  std::size_t number_;
  std::string body_;
  std::vector<std::size_t> ends_;
  /// By line; nothing where the line must be rejected.
  std::vector<std::optional<model::lobby>> reports_;
  /// How many lines the node was given at most, in one try.
  std::size_t delivered_ = 0;
  std::size_t tries_ = 0;
  bool is_taken_ = false;
};

/// An answer received over the wire, with its form checked.
struct answer {
  int status = 0;
  /// Keyed by lower-case name.
  std::map<std::string, std::string, std::less<>> headers;
  std::string body;

  std::string_view header(std::string_view name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view{} : found->second;
  }
};

struct simulated_request;

/// Returns what is wrong with an answer that is not a refusal; empty if nothing.
using judgement = std::function<std::string(const simulated_request&, const answer&)>;

/// A request of a simulated client, and the record of its life.
struct simulated_request {
  /// Where a piece of the body is within `bytes`: a chunk, or all of it.
  struct piece {
    std::size_t in_body = 0;
    std::size_t in_bytes = 0;
    std::size_t size = 0;
  };

  /// How many bytes of the body the first `sent` of `bytes` contain.
  std::size_t body_bytes_in(std::size_t sent) const noexcept {
    std::size_t count = 0;
    for (const auto& each : pieces)
      if (sent > each.in_bytes) count = each.in_body + std::min(each.size, sent - each.in_bytes);
    return count;
  }
  /// How many of `bytes` contain the first `body_bytes` of the body, which are more than 0.
  std::size_t bytes_with(std::size_t body_bytes) const noexcept {
    std::size_t count = 0;
    for (const auto& each : pieces)
      if (body_bytes > each.in_body)
        count = each.in_bytes + std::min(each.size, body_bytes - each.in_body);
    return count;
  }

  std::string id;
  /// A description for the trace.
  std::string what;
  std::string bytes;
  std::vector<piece> pieces;
  /// Goes to the ops plane.
  bool of_ops = false;
  /// What an ingest sends; null for all others.
  lobby_batch* batch = nullptr;
  base::owner owner = base::owner::none;
  judgement judge;
  bool head = false;
  /// Not HTTP: the answer is a refusal, after which the connection ends.
  bool malformed = false;
  /// The client asks for the connection to be closed after this request.
  bool closes = false;
  bool expects_continue = false;
  /// Its `X-Fault` header kills the actor that handles it.
  bool poisoned = false;
  /// Only an answer from the newest state is correct; nothing is excused.
  bool strict = false;

  // -- its life, as its client notes it ---------------------------------------

  /// Offsets of its bytes in the connection's stream.
  std::size_t begin = 0;
  std::size_t end = 0;
  bool begun = false;
  bool whole = false;
  base::steady_time begun_at;
  base::steady_time whole_at;
  std::int64_t begun_ts = 0;
  /// The numbers of the database state and of the GeoIP database when the request began.
  std::size_t state = 0;
  std::size_t geoip = 0;
  std::array<std::uint64_t, base::fault_point_count> crashes{};
  std::chrono::nanoseconds vacant{0};
  std::uint64_t ingestion_ends = 0;
};

} // namespace matchcloud::simulation
