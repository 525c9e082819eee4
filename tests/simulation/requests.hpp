#pragma once

#include "tests/simulation/oracle.hpp"
#include "tests/simulation/simulated_request.hpp"
#include "tests/simulation/world.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::simulation {

/// Makes the requests of simulated clients, each with the function that judges its answer.
class requests {
public:
  requests(world& in, oracle& by) : world_{&in}, oracle_{&by} {}

  /// From now on no failure is excused, and only the newest state is correct.
  void be_strict() noexcept { strict_ = true; }

  /// A random request; `client` is the last byte of the sender's address.
  std::shared_ptr<simulated_request> any(std::uint8_t client);
  /// A random request to the ops plane.
  std::shared_ptr<simulated_request> any_of_ops();

  std::shared_ptr<simulated_request> ping();
  std::shared_ptr<simulated_request> listing(std::uint8_t client);
  std::shared_ptr<simulated_request> group();
  /// What a client measured. Once all must succeed, only what is plausible anywhere.
  std::shared_ptr<simulated_request> report();
  std::shared_ptr<simulated_request> validation();
  std::shared_ptr<simulated_request> avatars(const model::uuid& game);
  std::shared_ptr<simulated_request> image();
  std::shared_ptr<simulated_request> export_of(const model::uuid& game);
  std::shared_ptr<simulated_request> download(linked_export& of);
  std::shared_ptr<simulated_request> health();
  /// An ingest of lobbies that no other reports.
  std::shared_ptr<simulated_request> ingest();
  /// An ingest of a batch, for the first time or again.
  std::shared_ptr<simulated_request> ingest(lobby_batch& of);
  std::shared_ptr<simulated_request> refused();
  std::shared_ptr<simulated_request> malformed();

private:
  std::shared_ptr<simulated_request> start(std::string what, base::owner owner);
  std::shared_ptr<simulated_request> start_of_ops(std::string what, base::owner owner);
  /// Writes head and body in one of several wire formats.
  void write(simulated_request& to, std::string_view line, std::string headers,
             std::string_view body = {});
  void write_body(simulated_request& to, std::string& headers, std::string_view body);
  std::shared_ptr<simulated_request> any_download();
  model::export_query any_query(const model::uuid& game);

  world* world_;
  oracle* oracle_;
  std::uint64_t last_ = 0;
  bool strict_ = false;
};

} // namespace matchcloud::simulation
