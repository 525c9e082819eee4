#pragma once

#include "http/transport/connection.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::fixtures {

/// The peer's end of a scripted connection: what it sent, what it accepts, what it received.
struct wire {
  std::string to_read;
  std::size_t most_per_read = SIZE_MAX;
  bool ended = false;
  bool read_fails = false;

  /// Bytes accepted until the stream blocks.
  std::size_t room = SIZE_MAX;
  std::size_t most_per_write = SIZE_MAX;
  bool write_fails = false;
  /// The bytes that each write call moved.
  std::vector<std::string> writes;
  /// For each write call, whether it announced that more follows.
  std::vector<bool> more;
  /// Written bytes that the peer's kernel has not acknowledged.
  std::size_t unacknowledged = 0;
  bool shut = false;
  bool reset = false;
  bool destroyed = false;

  std::string written() const {
    std::string all;
    for (const auto& part : writes)
      all += part;
    return all;
  }
};

class scripted_stream final : public http::byte_stream {
public:
  explicit scripted_stream(wire& to) : wire_{&to}, descriptor_{::eventfd(0, EFD_NONBLOCK)} {}
  ~scripted_stream() override { wire_->destroyed = true; }

  http::io_result read(std::span<char> into) override {
    using http::io_status;
    if (wire_->read_fails) return {io_status::failed, 0};
    auto& from = wire_->to_read;
    if (from.empty()) return {wire_->ended ? io_status::ended : io_status::blocked, 0};
    const auto count = std::min({into.size(), from.size(), wire_->most_per_read});
    std::memcpy(into.data(), from.data(), count);
    from.erase(0, count);
    return {io_status::moved, count, count == into.size()};
  }

  http::io_result write(std::span<const iovec> from, bool more) override {
    using http::io_status;
    if (wire_->write_fails) return {io_status::failed, 0};
    std::string bytes;
    for (const auto& piece : from)
      bytes.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
    bytes.resize(std::min({bytes.size(), wire_->room, wire_->most_per_write}));
    if (bytes.empty()) return {io_status::blocked, 0};
    if (wire_->room != SIZE_MAX) wire_->room -= bytes.size();
    wire_->writes.push_back(bytes);
    wire_->more.push_back(more);
    return {io_status::moved, bytes.size()};
  }

  http::io_result send_file(int file, std::uint64_t offset, std::size_t length) override {
    using http::io_status;
    if (wire_->write_fails) return {io_status::failed, 0};
    length = std::min({length, wire_->room, wire_->most_per_write});
    if (length == 0) return {io_status::blocked, 0};
    std::string bytes(length, '\0');
    const auto got = ::pread(file, bytes.data(), length, static_cast<off_t>(offset));
    if (got <= 0) return {io_status::ended, 0};
    bytes.resize(static_cast<std::size_t>(got));
    if (wire_->room != SIZE_MAX) wire_->room -= bytes.size();
    wire_->writes.push_back(bytes);
    wire_->more.push_back(false);
    return {io_status::moved, bytes.size()};
  }

  void shutdown_write() override { wire_->shut = true; }
  void reset_at_end() override { wire_->reset = true; }
  std::size_t unacknowledged_bytes() const noexcept override { return wire_->unacknowledged; }
  int descriptor() const noexcept override { return descriptor_.get(); }

private:
  wire* wire_;
  base::file_descriptor descriptor_;
};

inline http::response json_answer(std::string body) {
  http::response made;
  made.content_type = http::json_type;
  made.body = std::move(body);
  return made;
}

inline http::response shared_answer(std::size_t bytes, char fill) {
  http::response made;
  made.content_type = http::json_type;
  made.body = std::make_shared<const std::string>(bytes, fill);
  return made;
}

/// Rules that answer what a test says.
struct scripted_rules final : http::head_rules {
  /// What becomes of requests whose body is still to come, and those that were judged.
  http::head_verdict verdict = &http::row_of(http::operation::unmatched);
  std::vector<std::pair<std::string, std::uint64_t>> judged;
  int handshakes_charged = 0;
  bool takes_handshakes = true;

  http::head_verdict judge(const http::request& head, http::caller_facts&,
                           std::uint64_t length) override {
    judged.emplace_back(head.target, length);
    return verdict;
  }
  bool admit_handshake(const model::ip_address&) override {
    ++handshakes_charged;
    return takes_handshakes;
  }
};

/// What a `connection_host` reads when it is made.
struct bench_bounds {
  http::shared_bounds bounds_;
  std::shared_ptr<scripted_rules> rules_ = std::make_shared<scripted_rules>();
};

/// One connection on a real event loop (one thread, a clock that stands still); everything else is
/// scripted.
class connection_bench : private bench_bounds, public http::connection_host {
public:
  /// Declared first: requests release their permits here.
  std::atomic<std::size_t> in_flight{0};

  static constexpr std::string_view get = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";

  explicit connection_bench(const http::limits& configured = {},
                            http::preamble begins_with = http::preamble::none,
                            std::shared_ptr<http::tls_context> tls = nullptr)
      : bench_bounds{{configured, {}}}, connection_host{bounds_, loop_, counted_, rules_} {
    client = std::make_unique<http::connection>(*this, std::make_unique<scripted_stream>(peer),
                                                address_of(1), 3, 0, begins_with, std::move(tls));
    client->start();
    advance(std::chrono::milliseconds{0}); // consumes the first edge of "writable"
  }

  // -- what tests do ----------------------------------------------------------

  /// Bytes arrive from the peer.
  void receive(std::string_view bytes) {
    peer.to_read += bytes;
    event(EPOLLIN);
  }
  void event(std::uint32_t events) {
    client->on_events(events);
    end_turn();
  }
  void end_turn() {
    const auto is_over = [this] {
      return std::ranges::all_of(scheduled, [](const auto& each) { return each.empty(); });
    };
    for (int turns = 0; !is_over(); ++turns) {
      REQUIRE(turns < 10'000); // a connection that reschedules itself forever burns a core
      for (const auto what : {http::step::read, http::step::write, http::step::handshake})
        take_turns(what);
    }
  }
  /// The connections that scheduled a step.
  std::vector<http::connection*>& waiting_for(http::step what) {
    return scheduled[static_cast<std::size_t>(what)];
  }
  void take_turns(http::step what) {
    for (auto* which : std::exchange(waiting_for(what), {}))
      which->take_turn(what);
  }
  void answer(http::response with) { answer(client->current(), std::move(with)); }
  /// Answers the exchange, if `ref` is its current attempt.
  void answer(actors::exchange_ref ref, http::response with) {
    if (client->is_current(ref)) client->answer(std::move(with));
  }
  /// Answers the current exchange and ends the turn.
  void reply(std::string body) {
    answer(json_answer(std::move(body)));
    end_turn();
  }
  /// What the connection wrote, and whether it contains `part`.
  std::string written() const { return peer.written(); }
  bool wrote(std::string_view part) const { return contains(peer.written(), part); }
  /// Moves the clock, runs the loop once and ends the turn.
  void advance(std::chrono::milliseconds by) {
    clock.advance(by);
    loop_.post([] {});
    loop_.run_once();
    end_turn();
  }

  // -- connection_host --------------------------------------------------------

  std::string_view date() override { return "Tue, 14 Nov 2023 22:13:20 GMT"; }
  std::shared_ptr<http::admitted_request> acquire_request() override {
    ++requests_out;
    return std::make_shared<http::admitted_request>();
  }
  void give_back(std::shared_ptr<http::admitted_request>) override { --requests_out; }
  std::string take_buffer() override {
    ++buffers_out;
    return {};
  }
  void give_back(std::string used) override {
    --buffers_out;
    largest_buffer = std::max(largest_buffer, used.capacity());
  }
  void give_back(std::shared_ptr<const std::string>) override {}
  void assign_id(http::request& to) override { to.id = "id"; }
  bool admit(http::admitted_request& which, http::lane) override {
    if (takes) ++open;
    return takes && which.permit.acquire(in_flight, SIZE_MAX);
  }
  void leave(http::lane) noexcept override { --open; }
  void begin_service(http::lane, std::uint32_t units) override { in_service += units; }
  void end_service(http::lane, std::uint32_t units) override { in_service -= units; }
  void dispatch(http::connection& from) override {
    dispatched.push_back(from.current());
    targets.push_back(from.current_request()->target);
  }
  void wrote(std::size_t) noexcept override {}
  bool make_room(std::size_t bytes, const http::connection&) override {
    ++rooms_asked_for;
    if (others == nullptr || others->bytes() < bytes) return false;
    others->reset();
    return true;
  }
  bool on_client_named(http::connection& which) override {
    named.push_back(which.peer());
    return takes_client;
  }
  bool read_ahead(http::connection&, const http::file_range& part) override {
    asked_for.push_back({part.offset, part.length});
    return cold;
  }
  void send_part(http::connection&, http::body_upload::part part, bool is_last) override {
    parts.push_back(std::move(part));
    ended = ended || is_last;
  }
  void tell_taken(http::connection&, std::size_t bytes) override { taken.push_back(bytes); }
  void schedule(http::connection& which, http::step what) override {
    waiting_for(what).push_back(&which);
  }
  void begin_handshake() override { ++handshaking; }
  void end_handshake(http::handshake_end how) noexcept override {
    --handshaking;
    handshake_ends.push_back(how);
  }
  bool trusts_clients_of(const http::tls_context&) const noexcept override { return trusts; }
  void note_tls_failure(const http::connection&, http::tls_failure_cause,
                        std::string_view why) override {
    tls_failures.emplace_back(why);
  }
  void opened() override {}
  void closed(http::connection&) override { ++closings; }

  base::byte_budget& budget() { return bounds_.budget; }

  http::head_verdict& verdict = rules_->verdict;
  std::vector<std::pair<std::string, std::uint64_t>>& judged = rules_->judged;
  /// Parts of a streamed body, and whether the last one came.
  std::vector<http::body_upload::part> parts;
  bool ended = false;
  /// The bytes of answers in parts that the client was told to have taken.
  std::vector<std::size_t> taken;
  bool takes = true;
  bool takes_client = true;
  /// Client addresses that PROXY headers named.
  std::vector<model::ip_address> named;
  /// Released when this connection asks the host to free budget; null: nothing is released.
  base::byte_lease* others = nullptr;
  int rooms_asked_for = 0;
  /// No part of a file is in memory: the test has to call `file_ready`.
  bool cold = false;
  /// Offset and length of the parts passed to `read_ahead`.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> asked_for;
  int requests_out = 0;
  int buffers_out = 0;
  /// The size in bytes of the largest buffer that was returned.
  std::size_t largest_buffer = 0;
  int closings = 0;
  std::vector<actors::exchange_ref> dispatched;
  std::vector<std::string> targets;
  std::array<std::vector<http::connection*>, http::step_count> scheduled;
  /// Admitted and not answered, and units in service.
  int open = 0;
  std::uint32_t in_service = 0;
  int& handshakes_charged = rules_->handshakes_charged;
  bool& takes_handshakes = rules_->takes_handshakes;
  int handshaking = 0;
  bool trusts = true;
  std::vector<http::handshake_end> handshake_ends;
  std::vector<std::string> tls_failures;
  wire peer;
  manual_clock clock;

private:
  deterministic_system actors_;
  http::event_loop loop_{actors_.system, clock};
  http::transport_metrics counted_;

public:
  /// Declared last: the connection must be destroyed before the loop.
  std::unique_ptr<http::connection> client;
};

inline std::string get_of(std::string_view target) {
  return "GET " + std::string{target} + " HTTP/1.1\r\nHost: h\r\n\r\n";
}

inline std::string post_of(std::size_t body_bytes) {
  return "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body_bytes) +
         "\r\n\r\n" + std::string(body_bytes, 'b');
}

inline std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

} // namespace matchcloud::fixtures
