#pragma once

#include "base/byte_budget.hpp"
#include "http/loop/byte_stream.hpp"
#include "http/transport/connection_host.hpp"
#include "http/wire/proxy_header.hpp"
#include "http/wire/request_framer.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// The reading side of a connection: takes bytes from its stream, a PROXY header off their front,
/// and frames requests. Pipelined bytes wait here; between requests it owns no buffer. Loop thread
/// only.
class request_reader {
public:
  /// Pipelined bytes that need no lease of the byte budget; while that is tight, no more are read
  /// at once.
  static constexpr std::size_t input_free_bytes = 4 * 1024;

  request_reader(connection_host& host, const byte_account& account, bool has_proxy_header);

  /// There are bytes to read, or the end of the stream.
  void set_readable() noexcept {
    if (state_ != state::ended) state_ = state::readable;
  }
  /// A short read does not say that the socket is empty: the peer sent an urgent byte, at which a
  /// read ends, or the end of the stream is told already, so that it has to be read for.
  void expect_short_reads() noexcept { short_reads_ = true; }

  /// What comes next to be framed: what was kept, else what one read brings. Nothing where the
  /// stream fails.
  std::optional<std::string_view> next(byte_stream& from);

  /// Whether what comes next is a PROXY header.
  bool in_proxy_header() const noexcept { return proxy_header_ != nullptr; }
  /// Takes the PROXY header off the front of `bytes`, which are then those behind it.
  proxy_header_status read_proxy_header(std::string_view& bytes);
  const proxy_header_reader& proxy_header() const noexcept { return *proxy_header_; }
  void end_proxy_header() noexcept { proxy_header_.reset(); }

  /// Frames the next request of what `next` returned, and keeps the rest.
  framer_status frame(std::string_view bytes, request& into);
  const request_framer& framer() const noexcept { return framer_; }
  bool take_continue() noexcept { return framer_.take_continue(); }

  /// Nothing of a request has come.
  bool is_idle() const noexcept {
    return framer_.idle() && input_.empty() && (!proxy_header_ || proxy_header_->idle());
  }
  /// Pipelined bytes wait to be framed.
  bool has_input() const noexcept { return !input_.empty(); }
  /// Another call of `next` may bring something.
  bool has_more() const noexcept { return has_input() || state_ == state::readable; }
  bool is_readable() const noexcept { return state_ == state::readable; }
  /// The peer sends no more.
  bool has_ended() const noexcept { return state_ == state::ended; }
  /// Pipelined bytes were dropped for want of budget: the next answer is the last.
  bool was_cut() const noexcept { return cut_; }

  /// Forgets what is not framed.
  void drop_input();

private:
  enum class state : std::uint8_t { blocked, readable, ended };

  std::optional<std::string_view> read_some(byte_stream& from);
  void keep(std::string_view rest);

  connection_host* host_;
  byte_account account_;
  request_framer framer_;
  /// Null once the header is read, and where none is expected.
  std::unique_ptr<proxy_header_reader> proxy_header_;
  /// Bytes read but not framed: pipelined requests behind the current one.
  std::string input_;
  base::byte_lease input_lease_;
  /// How many bytes of `input_` are framed by now: at most one read.
  std::uint32_t input_framed_ = 0;
  state state_ = state::blocked;
  bool short_reads_ = false;
  bool cut_ = false;
};

} // namespace matchcloud::http
