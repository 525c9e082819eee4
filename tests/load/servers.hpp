#pragma once

#include "base/files/file_descriptor.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::load {

/// Accepts connections on a port of 127.0.0.1 that the kernel chose, and serves each on a thread of
/// its own. The destructor ends and joins all of them: make it the last member of its owner.
class threaded_server {
public:
  /// `serve` gets the descriptor, which is closed after it, and the number of the connection from
  /// 0.
  explicit threaded_server(std::function<void(int fd, int connection)> serve);
  threaded_server(const threaded_server&) = delete;
  threaded_server& operator=(const threaded_server&) = delete;
  ~threaded_server();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// Waits until `fd` can be read or has ended. False if the server ends first.
  bool wait_readable(int fd) const;
  /// Waits until `when`. False if the server ends first.
  bool pause_until(std::chrono::steady_clock::time_point when) const;

private:
  void accept_all();

  std::function<void(int, int)> serve_;
  std::uint16_t port_ = 0;
  base::file_descriptor listener_;
  base::file_descriptor ended_;
  std::list<std::thread> threads_;
  std::thread acceptor_;
};

/// A request as it arrived.
struct received_request {
  int connection = 0;
  /// The request line and the header lines, each with its end.
  std::string head;
  std::string body;
};

/// A server that answers each request with the bytes that a function returns. It closes the
/// connection after an answer that says `Connection: close`, and after an empty one.
class scripted_server {
public:
  /// `answer` is called by several threads, one at a time.
  explicit scripted_server(std::function<std::string(const received_request&)> answer);

  std::string url() const { return server_.url(); }
  /// All requests so far, in the order in which they were answered.
  std::vector<received_request> requests() const;

private:
  void serve(int fd, int connection);
  std::string answer_to(received_request request);

  std::function<std::string(const received_request&)> answer_;
  mutable std::mutex mutex_;
  std::vector<received_request> requests_;
  threaded_server server_;
};

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
