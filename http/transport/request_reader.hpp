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

/// The reading side of a connection: reads from its stream, strips a PROXY header and frames
/// requests. Pipelined bytes wait here; between requests it owns no buffer. Loop thread only.
class request_reader {
public:
  /// Pipelined bytes that need no lease of the byte budget. While the budget is tight, one read
  /// takes no more than this.
  static constexpr std::size_t input_free_bytes = 4 * 1024;

  request_reader(connection_host& host, const connection& of, bool has_proxy_header);

  /// The stream has bytes or its end to read.
  void set_readable() noexcept {
    if (state_ != state::ended) state_ = state::readable;
  }
  /// A short read no longer means that the socket is empty: the peer sent an urgent byte, at which
  /// a read stops, or the end of the stream was signalled already and has to be read.
  void expect_short_reads() noexcept { short_reads_ = true; }
  bool expects_short_reads() const noexcept { return short_reads_; }

  /// The next bytes to frame, at most `most`: pipelined ones, otherwise those of one read. Nothing
  /// where the stream fails.
  std::optional<std::string_view> next(byte_stream& from, std::size_t most = SIZE_MAX);

  /// Whether a PROXY header comes next.
  bool in_proxy_header() const noexcept { return proxy_header_ != nullptr; }
  /// Strips the PROXY header from the front of `bytes`.
  proxy_header_status read_proxy_header(std::string_view& bytes);
  const proxy_header_reader& proxy_header() const noexcept { return *proxy_header_; }
  void end_proxy_header() noexcept { proxy_header_.reset(); }

  /// Frames the next request from what `next` returned, and keeps the remaining bytes.
  framer_status frame(std::string_view bytes, request& into);
  request_framer& framer() noexcept { return framer_; }
  const request_framer& framer() const noexcept { return framer_; }

  /// Nothing of a request has been received.
  bool is_idle() const noexcept {
    return framer_.idle() && input_.empty() && (!proxy_header_ || proxy_header_->idle());
  }
  /// Pipelined bytes wait to be framed.
  bool has_input() const noexcept { return !input_.empty(); }
  /// Whether another call of `next` may return bytes.
  bool has_more() const noexcept { return has_input() || state_ == state::readable; }
  /// The peer sends nothing more.
  bool has_ended() const noexcept { return state_ == state::ended; }
  /// Bytes were dropped because the budget was exhausted: the next answer is the last.
  bool was_cut() const noexcept { return cut_; }

  /// Drops the bytes that are not framed.
  void drop_input();

private:
  enum class state : std::uint8_t { blocked, readable, ended };

  std::optional<std::string_view> read_some(byte_stream& from, std::size_t most);
  void keep(std::string_view rest);

  connection_host* host_;
  const connection* of_;
  request_framer framer_;
  /// Null once the header is read, or where none is expected.
  std::unique_ptr<proxy_header_reader> proxy_header_;
  /// Bytes read but not framed: a body that waits to be accepted, or requests pipelined after the
  /// current one.
  std::string input_;
  base::byte_lease input_lease_;
  /// How many bytes of `input_` have been framed.
  std::uint32_t input_framed_ = 0;
  state state_ = state::blocked;
  bool short_reads_ = false;
  bool cut_ = false;
};

} // namespace matchcloud::http
