#pragma once

#include "tests/fixtures/raw_connection.hpp"

#include <atomic>
#include <cstddef>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::e2e {

/// What clients that asked without pause got, all together.
struct load_report {
  std::size_t answers = 0;
  /// The first status other than 200, or what went wrong with a connection; empty: nothing.
  std::string failure;
  /// Every body that came, once.
  std::set<std::string> bodies;
};

/// Clients that ask the same again and again, each on a connection of its own, until `finish`.
class steady_load {
public:
  steady_load(const address& to, std::string request, std::size_t clients);
  steady_load(const steady_load&) = delete;
  steady_load& operator=(const steady_load&) = delete;
  ~steady_load() { finish(); }

  /// How often each client got an answer at least.
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
