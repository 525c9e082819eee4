#pragma once

#include "model/lobbies/export_query.hpp"
#include "tests/simulation/simulated_request.hpp"
#include "tests/simulation/world.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace matchcloud::simulation {

/// An export whose issued link a client received.
struct linked_export {
  /// Path and query.
  std::string target;
  model::export_query query;
  std::int64_t expires_ts = 0;
  /// Database states and times between the begin of the export request and its answer.
  std::size_t from_state = 0;
  std::size_t to_state = 0;
  std::int64_t from_ts = 0;
  std::int64_t to_ts = 0;
  /// The file once it was downloaded; every later download must equal it.
  std::string bytes;
};

/// What a client asked of a listing of regions.
struct asked_listing {
  /// The last byte of its address.
  std::uint8_t client = 0;
  std::string domain;
  std::string rtt;
  /// Whether with `fields=latency`.
  bool detailed = false;
};

/// Computes the correct answers from the database's states with the model's functions, without any
/// actor. Each judging function returns what is wrong, or an empty string.
class oracle {
public:
  explicit oracle(world& of) : world_{&of} {}

  /// Judges any answer, refusals included.
  std::string judge(const simulated_request& request, const answer& got) const;
  /// Whether the disturbances during a request explain that it failed.
  bool is_excused(const simulated_request& request) const;

  /// Where latencies decide the order, any order is right.
  std::string judge_listing(const simulated_request& request, const answer& got,
                            const asked_listing& asked) const;
  /// `unknown`: the ids of the report that no region has, as in JSON.
  std::string judge_report(const simulated_request& request, const answer& got,
                           const std::string& unknown) const;
  std::string judge_group(const simulated_request& request, const answer& got,
                          const std::string& domain, const std::string& body) const;
  std::string judge_validation(const simulated_request& request, const answer& got,
                               model::payload_kind kind, const model::uuid& game,
                               const std::string& body) const;
  std::string judge_avatars(const simulated_request& request, const answer& got,
                            const model::uuid& game) const;
  std::string judge_export(const simulated_request& request, const answer& got,
                           const model::export_query& query);
  std::string judge_download(const simulated_request& request, const answer& got,
                             linked_export& of) const;

  std::string judge_ingest(const simulated_request& request, const answer& got,
                           lobby_batch& of) const;
  /// Whether an ingest may be refused so before all of its body arrived.
  bool may_cut_short(const simulated_request& request, const answer& got) const;

  /// What ingests send, begun or not. Elements do not move.
  std::deque<lobby_batch> batches;
  /// The links issued so far. Elements do not move.
  std::deque<linked_export> links;

private:
  /// The oldest state that the request may have seen: an actor may know any state from the newest
  /// back to this one.
  std::size_t oldest_for(const simulated_request& request) const;
  bool is_exact(const linked_export& of, std::string_view csv) const;
  bool crashed_too_often(const simulated_request& request) const;
  /// Whether a restart interrupted the body on its way: an ingest cannot begin again without it.
  bool was_interrupted(const simulated_request& request) const;

  world* world_;
};

/// Empty if the answer has `status` and `body`, otherwise what is wrong.
std::string expect(const answer& got, int status, std::string_view body);
/// Whether the answer is a problem with this code.
bool is_problem(const answer& got, base::errc code);

} // namespace matchcloud::simulation
