#pragma once

#include "tests/simulation/client.hpp"
#include "tests/simulation/oracle.hpp"
#include "tests/simulation/requests.hpp"
#include "tests/simulation/world.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace matchcloud::simulation {

/// The run of one seed: random steps on a node and its clients, then everything is healed and must
/// work.
class scenario {
public:
  scenario(std::uint64_t seed, files& on_disk, trace& to);

  /// Performs one random step.
  void step();
  /// Ends all faults and checks that every client gets an answer, everything runs again and nothing
  /// leaks.
  void close();

  const std::vector<std::string>& violations() const noexcept { return world_.violations(); }

private:
  // Steps.
  void step_client();
  void step_time();
  void step_fault();
  void step_trouble();
  void connect();
  client* any_client();
  void inject();

  // Closing.
  void heal();
  void answer_all();
  void recover();
  void probe();
  void ask_everything(client& by, std::size_t kind);
  void ingest_the_rest();
  /// All clients report latencies; what is learned of them is the same for all that read the store.
  void report_and_learn();
  void check_learned();
  void check_undelivered();
  void check_ingested();
  void part();
  void check_left_over();
  void check_restarts();

  void advance(std::chrono::milliseconds by);
  void look_at_clients();

  trace* trace_;
  world world_;
  oracle oracle_;
  requests requests_;
  std::deque<client> clients_;
  std::size_t connected_ = 0;
};

} // namespace matchcloud::simulation
