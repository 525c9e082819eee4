#pragma once

#include "tests/fixtures/raw_connection.hpp"

#include <atomic>
#include <cstddef>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::e2e {

/// The combined results of all clients of a `steady_load`.
struct load_report {
  std::size_t answers = 0;
  /// The first status other than 200, or the first connection error; empty if there was none.
  std::string failure;
  /// The distinct bodies of all answers.
  std::set<std::string> bodies;
};

/// Clients that send the same request again and again without pause, each on its own connection,
/// until `finish`.
class steady_load {
public:
  steady_load(const address& to, std::string request, std::size_t clients);
  steady_load(const steady_load&) = delete;
  steady_load& operator=(const steady_load&) = delete;
  ~steady_load() { finish(); }

  /// The number of answers that every client has received at least.
  std::size_t turns() const;
  load_report finish();

private:
  struct client {
    std::atomic<std::size_t> turns{0};
    load_report report;
    std::thread thread;
  };

  void ask(client& as) const;

  address to_;
  std::string request_;
  std::atomic<bool> stopping_{false};
  std::vector<client> clients_;
};

} // namespace matchcloud::e2e
