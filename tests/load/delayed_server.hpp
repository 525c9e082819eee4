#pragma once

#include "tests/load/threaded_server.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace matchcloud::load {

/// A server that answers each request with the same bytes after a fixed delay, so that the
/// latencies that a load generator must measure are known.
class delayed_server {
public:
  explicit delayed_server(std::string reply, std::chrono::milliseconds delay = {});

  std::string url() const { return server_.url(); }
  /// Simulates one stall: a request that arrives later than `from` after the first request is not
  /// answered before `from` + `length` has passed.
  void stall_once(std::chrono::milliseconds from, std::chrono::milliseconds length);
  /// Answers the first `requests` requests with `reply` instead.
  void begin_with(std::uint64_t requests, std::string reply);
  /// Serves one request after the other, this many in a second: more of them queue.
  void serve_at(double requests_per_second);
  /// Closes each connection after `answers` answers, without announcing it.
  void break_after(std::uint64_t answers) { break_after_ = answers; }

  /// The `Authorization` values of each connection that had requests, without repetitions; "" where
  /// a request had none.
  std::vector<std::set<std::string>> authorizations() const;
  std::uint64_t requests() const { return requests_; }
  std::uint64_t connections() const { return connections_; }

private:
  void serve(int fd, int connection);
  std::chrono::steady_clock::time_point due();

  std::string reply_;
  std::string first_reply_;
  std::atomic<std::uint64_t> first_replies_{0};
  std::chrono::milliseconds delay_;
  std::atomic<std::uint64_t> requests_{0};
  std::atomic<std::uint64_t> connections_{0};
  std::uint64_t break_after_ = 0;
  std::chrono::milliseconds stall_from_{0};
  std::chrono::milliseconds stall_length_{0};
  /// What each request takes of the only one who serves; 0: all are served at once.
  std::chrono::nanoseconds service_time_{0};
  std::chrono::steady_clock::time_point served_until_{};
  mutable std::mutex mutex_;
  std::map<int, std::set<std::string>> authorizations_;
  std::chrono::steady_clock::time_point first_{};
  threaded_server server_;
};

/// A reply with status 200 and this body.
std::string ok_reply(const std::string& body);

/// A valid listing of two regions in order.
extern const std::string good_listing;

} // namespace matchcloud::load
