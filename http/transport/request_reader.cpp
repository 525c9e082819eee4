#include "http/transport/request_reader.hpp"

#include <algorithm>

namespace matchcloud::http {

request_reader::request_reader(connection_host& host, const connection& of, bool has_proxy_header)
    : host_{&host}, of_{&of}, framer_{host.in_force.framing} {
  if (has_proxy_header) proxy_header_ = std::make_unique<proxy_header_reader>();
}

std::optional<std::string_view> request_reader::next(byte_stream& from, std::size_t most) {
  if (input_.empty()) return read_some(from, most);
  return std::string_view{input_}.substr(input_framed_, most);
}

std::optional<std::string_view> request_reader::read_some(byte_stream& from, std::size_t most) {
  if (state_ != state::readable) return std::string_view{};
  std::span buffer{host_->read_buffer};
  buffer = buffer.first(std::min(buffer.size(), most));
  // While the budget is tight, input that may have to be kept is read in small parts; a body has
  // its room already.
  if (host_->bounds.budget.is_tight() && !framer_.in_body())
    buffer = buffer.first(std::min(buffer.size(), input_free_bytes));
  const auto got = from.read(buffer);
  switch (got.status) {
  case io_status::moved:
    host_->metrics.received_bytes.add(got.bytes);
    // Otherwise edge-triggered epoll reports new input.
    if (!got.more && !short_reads_) state_ = state::blocked;
    return std::string_view{buffer.data(), got.bytes};
  case io_status::blocked: state_ = state::blocked; return std::string_view{};
  case io_status::ended: state_ = state::ended; return std::string_view{};
  case io_status::failed: break;
  }
  return std::nullopt;
}

proxy_header_status request_reader::read_proxy_header(std::string_view& bytes) {
  const auto read = proxy_header_->feed(bytes);
  bytes = read.status == proxy_header_status::complete ? bytes.substr(read.consumed)
                                                       : std::string_view{};
  return read.status;
}

framer_status request_reader::frame(std::string_view bytes, request& into) {
  const auto framed = framer_.feed(bytes, into);
  if (input_.empty()) {
    keep(bytes.substr(framed.consumed));
  } else {
    input_framed_ += static_cast<std::uint32_t>(framed.consumed);
    if (input_framed_ == input_.size()) drop_input();
  }
  return framed.status;
}

void request_reader::keep(std::string_view rest) {
  if (rest.empty()) return;
  if (rest.size() > input_free_bytes && !host_->lease(input_lease_, rest.size(), *of_)) {
    cut_ = true;
    return;
  }
  input_ = std::string{rest}; // exact size: a pooled buffer may be larger than what is leased
}

void request_reader::drop_input() {
  std::string{}.swap(input_);
  input_framed_ = 0;
  input_lease_.reset();
}

} // namespace matchcloud::http
