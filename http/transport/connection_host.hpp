#pragma once

#include "base/byte_budget.hpp"
#include "base/limits.hpp"
#include "http/loop/event_loop.hpp"
#include "http/transport/admitted_request.hpp"
#include "http/transport/transport_metrics.hpp"
#include "http/wire/request_framer.hpp"
#include "http/wire/response.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace matchcloud::http {

class connection;

/// What a connection needs of its transport. Loop thread only.
class connection_host {
public:
  virtual ~connection_host() = default;
  virtual const base::limits& limits() const noexcept = 0;
  virtual const framer_limits& framing() const noexcept = 0;
  virtual event_loop& loop() noexcept = 0;
  virtual base::byte_budget& budget() noexcept = 0;
  virtual transport_metrics& metrics() noexcept = 0;
  /// Scratch for one read; its content lasts until the next call.
  virtual std::span<char> read_buffer() noexcept = 0;
  /// The `Date` of answers written now.
  virtual std::string_view date() = 0;
  /// New answers say `Connection: close`.
  virtual bool draining() const noexcept = 0;

  /// Requests and buffers are pooled: between requests a connection has neither.
  virtual std::shared_ptr<admitted_request> take_request() = 0;
  virtual void give_back(std::shared_ptr<admitted_request> used) = 0;
  virtual std::string take_buffer() = 0;
  virtual void give_back(std::string used) = 0;
  /// A shared body that is sent, or will not be: the last to hold it has to free it.
  virtual void give_back(std::shared_ptr<const std::string> sent) = 0;
  virtual void assign_id(request& to) = 0;

  /// Gives the request a permit. False: too many are in flight.
  virtual bool admit(admitted_request& which) = 0;
  /// Has the budget take `bytes` more, by closing connections whose clients take nothing: that
  /// which stalls longest first, `but` never. False: there are no more such.
  virtual bool make_room(std::size_t bytes, const connection& but) = 0;
  /// A PROXY header said who the client is: `peer()`. False: it has too many connections.
  virtual bool named_client(connection& which) = 0;
  /// Sends the connection's exchange to the front; where there is none, the next one gets it.
  virtual void dispatch(connection& from) = 0;
  /// A connection wrote so much: the transport bounds what all write in one turn.
  virtual void wrote(std::size_t bytes) noexcept = 0;
  /// Has a part of a file read into memory if it is not there, then calls `file_ready`. False: it
  /// is there, or nobody can: send it.
  virtual bool read_ahead(connection& which, const file_range& part) = 0;
  /// Calls `at_turn_end` once, when the current turn ends.
  virtual void schedule(connection& which) = 0;
  /// The connection is closed: it gets no more calls, and is destroyed when the turn has ended.
  virtual void closed(connection& which) = 0;
};

/// What one connection takes from the byte budget. Loop thread only.
class byte_account {
public:
  byte_account(connection_host& host, const connection& of) noexcept : host_{&host}, of_{&of} {}

  /// Makes the lease cover `bytes`, at the expense of clients that take nothing if need be.
  bool lease(base::byte_lease& what, std::size_t bytes) const {
    auto& budget = host_->budget();
    if (what.grow_to(budget, bytes)) return true;
    return host_->make_room(bytes - what.bytes(), *of_) && what.grow_to(budget, bytes);
  }

private:
  connection_host* host_;
  const connection* of_;
};

} // namespace matchcloud::http
