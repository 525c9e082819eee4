#pragma once

#include "base/file_descriptor.hpp"
#include "tests/e2e/deadline.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::e2e {

/// Where a server listens; `host` without brackets.
struct address {
  std::string host;
  std::uint16_t port = 0;

  /// As in a URL or a Host header.
  std::string authority() const;
};

/// One response, whole.
struct answer {
  int status = 0;
  /// Names in lower case. A name that comes twice is malformed.
  std::map<std::string, std::string> headers;
  std::string body;

  /// Empty where there is none.
  std::string header(const std::string& name) const;
  /// The `code` of a problem; empty where the body is none.
  std::string problem_code() const;
};

/// A TCP connection on which a test writes and reads bytes as it likes. Nothing waits longer than
/// `patience`: that and malformed responses throw `std::runtime_error`, which fails the test
/// (Catch2's own assertions are for the main thread only). One thread at a time.
class raw_connection {
public:
  /// `from`: the local IPv4 address, empty for the kernel's choice. `receive_buffer_bytes`: 0 for
  /// the kernel's choice.
  explicit raw_connection(const address& to, const std::string& from = {},
                          int receive_buffer_bytes = 0);

  /// Nothing where nobody listens or the connection is refused.
  static std::optional<raw_connection> try_connect(const address& to);

  void send(std::string_view bytes);
  /// False where the connection is gone.
  bool try_send(std::string_view bytes);
  /// As many bytes as the kernel takes now; -1 where the connection is gone.
  std::ptrdiff_t send_some(std::string_view bytes);

  /// The next response. `to_head`: its request was a HEAD.
  answer receive(bool to_head = false);
  /// The same; nothing where the connection ends before its first byte. Fails on half a response.
  std::optional<answer> try_receive(bool to_head = false);
  /// `send` and `receive`.
  answer ask(std::string_view request);
  /// Exactly so many bytes.
  std::string receive_bytes(std::size_t count);
  /// Whether anything (bytes or the end) can be read within `pause`.
  bool readable(milliseconds pause) const;
  /// Whether the connection breaks down within `pause`, in which nothing is read.
  bool ended_within(milliseconds pause) const { return wait_for(descriptor(), 0, deadline{pause}); }
  /// Whether the peer ends the connection, sending nothing more, before `until`.
  bool closed(const deadline& until = deadline{});

  /// Ends the sending direction.
  void finish();
  /// Closes with a reset.
  void reset();

  int descriptor() const noexcept { return socket_.get(); }

private:
  raw_connection() = default;
  bool connect(const address& to, const std::string& from, int receive_buffer_bytes);
  /// False at the end of the stream or after a reset.
  bool read_more(const deadline& until);

  base::file_descriptor socket_;
  std::string unread_;
};

} // namespace matchcloud::e2e
