#pragma once

#include "tests/fixtures/raw_connection.hpp"

#include <memory>
#include <thread>
#include <vector>

namespace matchcloud::e2e {

/// Whether tests ask the service over TLS, through tunnels (MATCHCLOUD_TEST_TLS=1).
bool tests_over_tls();

/// Carries what clients send without TLS to a server that speaks it, and back: tests of plain
/// connections so test those with TLS. Ends, half-closed connections and resets are carried too: an
/// end as a close_notify. Takes any certificate. One thread, until destroyed.
class tls_tunnel {
public:
  /// Listens on a port of 127.0.0.1 that the kernel chooses.
  tls_tunnel();
  ~tls_tunnel();
  tls_tunnel(const tls_tunnel&) = delete;
  tls_tunnel& operator=(const tls_tunnel&) = delete;

  const address& where() const noexcept { return where_; }
  /// From now on clients are let in.
  void lead_to(const address& server);

private:
  class pair;

  void run(const address& server);

  address where_;
  int listener_ = -1;
  /// Readable when the thread is to end.
  int ending_ = -1;
  std::vector<std::unique_ptr<pair>> pairs_;
  std::thread thread_;
};

} // namespace matchcloud::e2e
