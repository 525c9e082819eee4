#pragma once

#include "tests/service/tls_client.hpp"

#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace matchcloud::e2e {

/// Clients that ask for the regions over TLS without pause until stopped; every answer must be 200.
/// Keep-alive clients use a connection until the server announces its end, the others use one
/// connection per request, every second of them with the session of the one before.
class tls_load {
public:
  tls_load(const address& to, std::size_t keeping, std::size_t closing);
  tls_load(const tls_load&) = delete;
  tls_load& operator=(const tls_load&) = delete;
  ~tls_load() { finish(); }

  std::size_t answers() const { return answers_; }
  std::size_t connections() const { return connections_; }
  std::size_t resumed() const { return resumed_; }
  /// Whether `more` further answers arrive.
  bool goes_on(std::size_t more = 300) const;
  /// The first failure; empty if there was none.
  std::string finish();

private:
  void ask(bool keeps);

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
