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

/// An export that a client was given the URL of.
struct linked_export {
  /// Path and query.
  std::string target;
  model::export_query query;
  std::int64_t expires_ts = 0;
  /// Of the request for it.
  std::size_t from_state = 0;
  std::size_t to_state = 0;
  std::int64_t from_ts = 0;
  std::int64_t to_ts = 0;
  /// Once it was downloaded; from then on nothing else will do.
  std::string bytes;
};

/// Knows the right answers: from the states of the database, with the model's functions, past every
/// actor. Each of these returns what is wrong, or nothing.
class oracle {
public:
  explicit oracle(world& of) : world_{&of} {}

  /// Any answer, refusals included.
  std::string judge(const simulated_request& request, const answer& got) const;
  /// Whether what stood in the way of a request explains that it failed.
  bool is_excused(const simulated_request& request) const;

  std::string judge_listing(const simulated_request& request, const answer& got,
                            std::uint8_t client, const std::string& domain,
                            const std::string& rtt) const;
  std::string judge_validation(const simulated_request& request, const answer& got,
                               model::payload_kind kind, const model::uuid& game,
                               const std::string& body) const;
  std::string judge_avatars(const simulated_request& request, const answer& got,
                            const model::uuid& game) const;
  std::string judge_export(const simulated_request& request, const answer& got,
                           const model::export_query& query);
  std::string judge_download(const simulated_request& request, const answer& got,
                             linked_export& of) const;

  /// What was promised so far; places do not change.
  std::deque<linked_export> links;

private:
  /// From the newest down to this one, any state can be what an actor knew.
  std::size_t oldest_for(const simulated_request& request) const;
  bool is_exact(const linked_export& of, std::string_view csv) const;
  bool crashed_too_often(const simulated_request& request) const;

  world* world_;
};

/// `200` and this body, or what is wrong.
std::string expect(const answer& got, int status, std::string_view body);
/// A problem with this code.
bool is_problem(const answer& got, base::errc code);

} // namespace matchcloud::simulation
