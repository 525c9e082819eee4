#pragma once

#include "tests/load/threaded_server.hpp"

#include <functional>
#include <mutex>
#include <string>
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

} // namespace matchcloud::load
