#pragma once

#include "base/files/file_descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <thread>

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

} // namespace matchcloud::load
