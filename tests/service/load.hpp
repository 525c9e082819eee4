#pragma once

#include "tests/fixtures/raw_connection.hpp"

#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
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

/// Clients that ask for the regions without pause until stopped; every answer must be 200.
/// Keep-alive clients use a connection until the server announces its end, the others use one
/// connection per request. Over TLS, every second connection resumes the session of the one before.
class visiting_load {
public:
  visiting_load(const address& to, std::size_t keeping, std::size_t closing, bool over_tls = false);
  visiting_load(const visiting_load&) = delete;
  visiting_load& operator=(const visiting_load&) = delete;
  ~visiting_load() { finish(); }

  std::size_t connections() const { return connections_; }
  std::size_t resumed() const { return resumed_; }
  /// Whether `more` further answers arrive.
  bool goes_on(std::size_t more = 500) const;
  /// The first failure; empty if there was none.
  std::string finish();

private:
  void ask(bool keeps, bool over_tls);

  address to_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> answers_{0};
  std::atomic<std::size_t> connections_{0};
  std::atomic<std::size_t> resumed_{0};
  std::mutex failing_;
  std::string failure_;
  std::list<std::thread> threads_;
};

} // namespace matchcloud::e2e
