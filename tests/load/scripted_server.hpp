#pragma once

#include "base/files/file_descriptor.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::load {

/// A request as it arrived.
struct received_request {
  int connection = 0;
  /// The request line and the header lines, each with its end.
  std::string head;
  std::string body;
};

/// A server that answers each request with the bytes that a function returns. It closes the
/// connection after an answer that says `Connection: close`, and after an empty one. One thread per
/// connection; the destructor ends and joins all of them.
class scripted_server {
public:
  /// `answer` is called by several threads, one at a time.
  explicit scripted_server(std::function<std::string(const received_request&)> answer);
  scripted_server(const scripted_server&) = delete;
  scripted_server& operator=(const scripted_server&) = delete;
  ~scripted_server();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// All requests so far, in the order in which they were answered.
  std::vector<received_request> requests() const;

private:
  void accept_all();
  void serve(int fd, int connection);
  std::string answer_to(received_request request);
  bool can_read(int fd) const;

  std::function<std::string(const received_request&)> answer_;
  std::uint16_t port_ = 0;
  base::file_descriptor listener_;
  base::file_descriptor ended_;
  mutable std::mutex mutex_;
  std::vector<received_request> requests_;
  std::list<std::thread> threads_;
  std::thread acceptor_;
};

} // namespace matchcloud::load
