#include "app/client/http_transfer.hpp"

#include "app/client/server_trust.hpp"
#include "base/files/file_descriptor.hpp"
#include "model/net/host_name.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace matchcloud::app {

namespace {

/// The interval at which an interrupted connection is shut down again, because it may not have
/// existed the first time.
constexpr int stop_again_ms = 50;

/// Ends a client's transfer when a signal arrives or its time is over, because the client itself
/// waits only for its socket.
class transfer_watch {
public:
  transfer_watch(const http_call& call, const cli::interrupt& until, httplib::ClientImpl& client)
      : done_{::eventfd(0, EFD_CLOEXEC)} {
    if (!done_) throw std::system_error{errno, std::generic_category(), "eventfd"};
    thread_ = std::thread{[this, &call, &until, &client] {
      if (is_done(call, until)) return;
      is_over_ = true;
      stop(client);
    }};
  }
  transfer_watch(const transfer_watch&) = delete;
  transfer_watch& operator=(const transfer_watch&) = delete;
  ~transfer_watch() { end(); }

  /// Whether the watch ended the transfer. Ends the watch.
  bool has_ended_it() {
    end();
    return is_over_;
  }

private:
  bool is_done(const http_call& call, const cli::interrupt& until) const {
    return call.total_limit.count() == 0 ? until.wait_readable(done_.get())
                                         : until.wait_readable(done_.get(), call.total_limit);
  }

  void stop(httplib::ClientImpl& client) const {
    pollfd done{done_.get(), POLLIN, 0};
    while (done.revents == 0) {
      client.stop();
      ::poll(&done, 1, stop_again_ms);
    }
  }

  void end() {
    if (!thread_.joinable()) return;
    ::eventfd_write(done_.get(), 1);
    thread_.join();
  }

  base::file_descriptor done_;
  bool is_over_ = false;
  std::thread thread_;
};

std::unique_ptr<httplib::ClientImpl> client_of(const http_call& call) {
  std::unique_ptr<httplib::ClientImpl> client;
  // Not httplib::Client: its regular expression for URLs rejects IPv6 addresses with letters.
  if (call.to.secure) {
    // In lower case, because cpp-httplib compares names case-sensitively.
    const auto host = model::to_lower(call.to.host);
    auto secure = std::make_unique<httplib::SSLClient>(host, call.to.port);
    if (call.trusts_any_server)
      secure->enable_server_certificate_verification(false);
    else
      require_trusted_server(*secure, host, call.trusted);
    client = std::move(secure);
  } else {
    client = std::make_unique<httplib::ClientImpl>(call.to.host, call.to.port);
  }
  const bool is_bound = call.total_limit.count() > 0;
  client->set_connection_timeout(is_bound ? std::min(connect_limit, call.total_limit)
                                          : connect_limit);
  client->set_read_timeout(call.silence_limit);
  client->set_write_timeout(call.silence_limit);
  client->set_tcp_nodelay(true);
  // A signed URL must be sent as it was written, and the content stored as it was received.
  client->set_url_encode(false);
  client->set_decompress(false);
  return client;
}

httplib::Request request_of(const http_call& call) {
  httplib::Request request;
  request.method = call.method;
  request.path = call.to.target;
  request.headers = call.headers;
  request.headers.emplace("Host", call.to.authority());
  request.headers.emplace("User-Agent", "matchcloud");
  request.body = call.body;
  return request;
}

transfer_result not_trusted(const httplib::ClientImpl& client, const http_call& call) {
  const auto& secure = dynamic_cast<const httplib::SSLClient&>(client);
  return {transfer_end::not_trusted,
          why_not_trusted(secure.get_openssl_verify_result(), call.to.host, call.trusted)};
}

transfer_result result_of(httplib::Error error) {
  switch (error) {
  case httplib::Error::Connection: return {transfer_end::no_connection, "no connection"};
  case httplib::Error::ConnectionTimeout:
    return {transfer_end::no_connection, "connecting took too long"};
  case httplib::Error::SSLConnection:
    return {transfer_end::no_connection, "the TLS handshake failed"};
  case httplib::Error::SSLLoadingCerts:
    return {transfer_end::not_trusted, "certificates of authorities cannot be loaded"};
  default: return {transfer_end::cut, "the connection was lost"};
  }
}

} // namespace

transfer_result transfer(const http_call& call, const cli::interrupt& until,
                         const response_handler& taker) {
  const auto client = client_of(call);
  auto request = request_of(call);
  bool refused = false;
  bool begun = false;
  request.response_handler = [&](const httplib::Response& head) {
    begun = true;
    taker.begin(head);
    return true;
  };
  request.content_receiver = [&](const char* bytes, std::size_t count, std::uint64_t,
                                 std::uint64_t) {
    refused = !taker.take({bytes, count});
    return !refused;
  };
  httplib::Response response;
  auto error = httplib::Error::Success;
  transfer_watch watch{call, until, *client};
  const bool sent = client->send(request, response, error);
  const bool is_over = watch.has_ended_it();
  if (refused) return {transfer_end::refused, "not wanted"};
  // cpp-httplib does not call the handler for 204.
  if (sent && !begun) taker.begin(response);
  if (sent) return {};
  if (until.came()) return {transfer_end::interrupted, "interrupted"};
  if (is_over)
    return {transfer_end::cut,
            "no answer within " + std::to_string(call.total_limit.count()) + " s"};
  if (error == httplib::Error::SSLServerVerification) return not_trusted(*client, call);
  return result_of(error);
}

} // namespace matchcloud::app
