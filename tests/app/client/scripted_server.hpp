#pragma once

#include "base/files/file_descriptor.hpp"

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::app {

/// A request as the server received it.
struct taken_request {
  std::string method;
  std::string target;
  /// Names in lower case.
  std::map<std::string, std::string> headers;
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

/// What the server sends for one request before it closes the connection. The bytes may be more or
/// less than a valid answer.
struct scripted_answer {
  std::string bytes;
  /// Waits for the client to close the connection, instead of closing it.
  bool stays_open = false;
};

/// An HTTP server that answers the first request with the first answer of a script, the second with
/// the second, and so on. At the end of the script it closes connections without an answer. Listens
/// on 127.0.0.1, on a port that the kernel chooses.
class scripted_server {
public:
  scripted_server();
  scripted_server(const scripted_server&) = delete;
  scripted_server& operator=(const scripted_server&) = delete;
  ~scripted_server();

  std::string url(const std::string& path = "") const;
  /// Appends an answer to the script.
  void then(std::string bytes) { then(scripted_answer{std::move(bytes)}); }
  void then(scripted_answer answer);

  std::vector<taken_request> requests() const;

private:
  void serve();
  void serve(int connection);

  base::file_descriptor listener_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<scripted_answer> script_;
  std::vector<taken_request> requests_;
  std::thread thread_;
};

/// The head of an answer. `more` holds further header lines with their line ends.
std::string answer_head(const std::string& status, std::size_t length, const std::string& more);

} // namespace matchcloud::app
