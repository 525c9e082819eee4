#pragma once

#include "base/files/file_descriptor.hpp"
#include "tests/fixtures/raw_connection.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace matchcloud::store {

/// A request as it reached the proxy.
struct seen_request {
  std::string method;
  std::string target;
  /// All of the head, as it came.
  std::string head;
  /// How many requests came before.
  std::size_t number = 0;

  /// A header's value by its name in lower case; empty if there is none.
  std::string header(std::string_view name) const;
  bool is(std::string_view with_method, std::string_view in_target) const {
    return method == with_method && target.find(in_target) != std::string::npos;
  }
};

/// What the proxy does with a request.
struct proxy_action {
  enum class kind : std::uint8_t {
    forward,
    /// Sends `text`, a whole response, and forwards nothing.
    answer,
    /// Forwards the request, and closes the connection in place of the answer.
    lose_answer,
    /// Changes a bit of the answer's body at `bytes`.
    change_answer,
    /// Neither forwards nor answers.
    hang,
  };

  kind what = kind::forward;
  std::string text{};
  std::size_t bytes = 0;
};

/// A response with a body, to be sent as it is.
std::string canned(int status, std::string_view body = {}, std::string_view more_headers = {});
/// A response with an error as S3 has it.
std::string canned_error(int status, std::string_view code, std::string_view more_headers = {});

/// Stands between a client and a service of objects, and breaks what passes as a plan says; without
/// a service it only answers. Each connection carries one request.
class fault_proxy {
public:
  using plan = std::function<proxy_action(const seen_request&)>;

  /// `service` is a URL without a path, `http://HOST:PORT`; it may be empty. The plan is asked on
  /// threads of the proxy, one at a time.
  fault_proxy(const std::string& service, plan how);
  fault_proxy(const fault_proxy&) = delete;
  fault_proxy& operator=(const fault_proxy&) = delete;
  ~fault_proxy();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// All requests that came.
  std::vector<seen_request> seen() const;
  std::size_t count(std::string_view method, std::string_view in_target = {}) const;
  /// Waits until that many requests came. False if they do not.
  bool wait_for(std::size_t requests) const;

private:
  void accept_all();
  void serve(int socket);
  proxy_action decide(seen_request& request);
  void carry_out(int socket, const seen_request& request, const std::string& body,
                 const proxy_action& action);

  e2e::address service_;
  plan how_;
  base::file_descriptor listener_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool ending_ = false;
  std::vector<seen_request> seen_;
  /// Of connections, to wake each at the end; closed ones are empty.
  std::vector<base::file_descriptor> sockets_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

} // namespace matchcloud::store
