#include "http/transport/connection.hpp"

#include "tests/http/transport/connection_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;

TEST_CASE("a request becomes an exchange, its answer bytes") {
  connection_bench on;
  on.receive(get_of("/a"));
  REQUIRE(on.dispatched.size() == 1);
  CHECK(on.client->waiting());
  CHECK(on.client->current_request()->peer == address_of(1));
  CHECK(on.peer.writes.empty());
  on.reply("{}");
  CHECK(on.written() == "HTTP/1.1 200 OK\r\n"
                        "Date: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
                        "X-Content-Type-Options: nosniff\r\n"
                        "Content-Type: application/json\r\n"
                        "Content-Length: 2\r\n"
                        "X-Request-Id: id\r\n\r\n{}");
  CHECK(on.in_flight == 0);
  CHECK(!on.client->is_closed());
}

TEST_CASE("one exchange at a time: pipelined requests wait their turn, in order") {
  connection_bench on;
  on.receive(get_of("/1") + get_of("/2") + get_of("/3"));
  CHECK(on.targets == std::vector<std::string>{"/1"});
  on.reply("1");
  CHECK(on.targets == std::vector<std::string>{"/1", "/2"});
  on.receive(get_of("/4"));
  CHECK(on.targets.size() == 2);
  on.reply("2");
  on.reply("3");
  on.reply("4");
  CHECK(on.targets == std::vector<std::string>{"/1", "/2", "/3", "/4"});
  const auto all = on.written();
  CHECK(all.find("\r\n\r\n1HTTP") < all.find("\r\n\r\n2HTTP"));
  CHECK(all.find("\r\n\r\n2HTTP") < all.find("\r\n\r\n3HTTP"));
  CHECK(all.ends_with("\r\n\r\n4"));
  // Between requests a connection holds nothing.
  CHECK(on.requests_out == 0);
  CHECK(on.buffers_out == 0);
  CHECK(on.budget().used_bytes() == 0);
}

TEST_CASE("answers of one turn share a write") {
  connection_bench on;
  on.receive(get_of("/1") + get_of("/2") + get_of("/3"));
  for (const auto* body : {"1", "2", "3"})
    on.answer(json_answer(body));
  CHECK(on.peer.writes.empty());
  on.end_turn();
  CHECK(on.peer.writes.size() == 1);
  CHECK(count_of(on.written(), "HTTP/1.1 200 OK") == 3);
}

TEST_CASE("an answer never overtakes the rest of a large one before it") {
  // A large shared body is sent in place. A request that arrives while the body's last bytes wait
  // must not be answered before them.
  connection_bench measured;
  measured.receive(get_of("/1"));
  measured.answer(shared_answer(100'000, 'a'));
  measured.end_turn();
  const auto answer_bytes = measured.written().size();
  const auto head_bytes = answer_bytes - 100'000;
  for (const std::size_t left : {1UL, 1'000UL, 16UL * 1024, 16UL * 1024 + 1}) {
    CAPTURE(left);
    connection_bench on;
    on.receive(get_of("/1") + get_of("/2"));
    on.answer(shared_answer(100'000, 'a'));
    on.peer.room = answer_bytes - left;
    on.end_turn();
    while (on.client->waiting())
      on.answer(shared_answer(40'000, 'b'));
    on.end_turn();
    on.peer.room = SIZE_MAX;
    on.event(EPOLLOUT);
    while (on.client->waiting())
      on.answer(shared_answer(40'000, 'b'));
    on.end_turn();
    const auto all = on.written();
    CHECK(all.compare(head_bytes, 100'000, std::string(100'000, 'a')) == 0);
    CHECK(all.compare(answer_bytes, 8, "HTTP/1.1") == 0);
    CHECK(all.ends_with(std::string(40'000, 'b')));
  }
}

TEST_CASE("pages may read a transport's own refusals") {
  const std::string readable = "\r\nAccess-Control-Allow-Origin: *\r\n";
  connection_bench full;
  full.takes = false;
  full.receive(get_of("/x"));
  CHECK(full.written().starts_with("HTTP/1.1 503 "));
  CHECK(count_of(full.written(), readable) == 1);
  connection_bench malformed;
  malformed.receive("GET /x HTTP/1.1\r\n\r\n");
  CHECK(malformed.written().starts_with("HTTP/1.1 400 "));
  CHECK(count_of(malformed.written(), readable) == 1);
  connection_bench answered;
  answered.receive(get_of("/x"));
  answered.reply("{}");
  CHECK(count_of(answered.written(), readable) == 0);
}

TEST_CASE("a malformed request is answered, then its connection lingers and closes") {
  connection_bench on;
  on.receive("GET / HTTP/1.1\r\nno colon\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n");
  CHECK(on.dispatched.empty());
  CHECK(on.written().starts_with("HTTP/1.1 400 "));
  CHECK(on.wrote("Connection: close\r\n"));
  CHECK(count_of(on.written(), "HTTP/1.1 ") == 1);
  CHECK(on.peer.shut);
  CHECK(!on.client->is_closed()); // lingers: bytes that still arrive must not reset the answer
  on.receive(std::string(1'000, 'x'));
  CHECK(on.peer.to_read.empty());
  on.peer.ended = true;
  on.event(EPOLLIN | EPOLLRDHUP);
  CHECK(on.client->is_closed());
  CHECK(on.closings == 1);
  CHECK(on.peer.destroyed);
}

/// How many bytes are discarded of those that arrive without end behind `refused`.
std::size_t discarded_behind(std::string_view refused) {
  constexpr std::size_t part = 256UL * 1024;
  connection_bench on;
  on.receive(refused);
  std::size_t sent = 0;
  while (!on.client->is_closed() && sent < 2 * connection::body_linger_bytes) {
    on.peer.to_read.assign(part, 'x');
    sent += part;
    on.event(EPOLLIN);
  }
  return sent - on.peer.to_read.size();
}

TEST_CASE("a refused body is discarded up to a limit") {
  for (const std::string_view refused :
       {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Encoding: br\r\nContent-Length: 99\r\n\r\n"}) {
    CAPTURE(refused);
    const auto discarded = discarded_behind(refused);
    CHECK(discarded >= connection::body_linger_bytes);
    CHECK(discarded <= connection::body_linger_bytes + 64UL * 1024);
  }
  CHECK(discarded_behind("POST / HTTP/1.1\r\nno colon\r\n") <=
        connection::linger_bytes + 64UL * 1024);
}

TEST_CASE("discarding a body reads once per turn") {
  connection_bench on;
  on.receive("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 999999999999\r\n\r\n");
  const auto most = on.read_buffer.size();
  on.peer.to_read.assign(8 * most, 'x');
  on.client->on_events(EPOLLIN);
  for (int calls = 0; !on.peer.to_read.empty(); ++calls) {
    REQUIRE(calls < 8);
    const auto reads = on.waiting_for(step::read).size();
    REQUIRE(reads + on.waiting_for(step::write).size() == 1);
    const auto before = on.peer.to_read.size();
    on.take_turns(reads == 1 ? step::read : step::write);
    CHECK(before - on.peer.to_read.size() == most);
  }
  CHECK(!on.client->is_closed());
}

TEST_CASE("a connection closes behind the last answer, or lingers if more arrives") {
  connection_bench quiet;
  quiet.receive("GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  quiet.reply("{}");
  CHECK(quiet.client->is_closed());
  CHECK(!quiet.peer.shut);
  // Closing with unread bytes would reset the connection, and the client might lose its answer.
  connection_bench talks;
  talks.receive("GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  talks.receive(get_of("/late"));
  talks.reply("{}");
  CHECK(talks.dispatched.size() == 1);
  CHECK(count_of(talks.written(), "Connection: close\r\n") == 1);
  CHECK(!talks.client->is_closed());
  CHECK(talks.peer.shut);
}

TEST_CASE("an HTTP/1.0 client may keep its connection") {
  connection_bench stays;
  stays.receive("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  stays.reply("{}");
  CHECK(!stays.client->is_closed());
  CHECK(stays.wrote("Connection: keep-alive\r\n"));
}

TEST_CASE("a client that closed its sending side still gets its answers") {
  connection_bench on;
  on.peer.to_read = get_of("/1") + get_of("/2");
  on.peer.ended = true;
  on.event(EPOLLIN | EPOLLRDHUP);
  on.reply("1");
  on.reply("2");
  CHECK(count_of(on.written(), "HTTP/1.1 200 OK") == 2);
  CHECK(on.client->is_closed());
}

TEST_CASE("an end in the middle of a request is a malformed request") {
  connection_bench on;
  on.peer.to_read = "GET /x HTT";
  on.peer.ended = true;
  on.event(EPOLLIN | EPOLLRDHUP);
  CHECK(on.written().starts_with("HTTP/1.1 400 "));
  CHECK(on.client->is_closed());
}

TEST_CASE("a connection that ends idle leaves without a word") {
  connection_bench on;
  on.peer.ended = true;
  on.event(EPOLLIN | EPOLLRDHUP);
  CHECK(on.client->is_closed());
  CHECK(on.peer.writes.empty());
}

TEST_CASE("a client that resets while its answer is made frees what it held") {
  connection_bench on;
  on.receive(post_of(1'000));
  const auto ref = on.client->current();
  on.event(EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR);
  CHECK(on.client->is_closed());
  CHECK(on.in_flight == 0);
  CHECK(on.requests_out == 0);
  CHECK(on.budget().used_bytes() == 0);
  on.answer(ref, json_answer("late"));
  CHECK(on.peer.writes.empty());
  CHECK(on.closings == 1);
}

TEST_CASE("a failing read or write closes once") {
  connection_bench reading;
  reading.peer.read_fails = true;
  reading.event(EPOLLIN);
  CHECK(reading.closings == 1);
  connection_bench writing;
  writing.receive(get_of("/1") + get_of("/2"));
  writing.peer.write_fails = true;
  writing.reply("{}");
  CHECK(writing.closings == 1);
  CHECK(writing.in_flight == 0);
  CHECK(writing.requests_out == 0);
}

TEST_CASE("only the current attempt is answered, and only once") {
  connection_bench on;
  on.receive(get_of("/1") + get_of("/2"));
  const auto first = on.client->current();
  REQUIRE(on.client->retry(actors::handler::front));
  on.answer(first, json_answer("of the first attempt"));
  CHECK(on.client->waiting());
  const auto second = on.client->current();
  CHECK(second.exchange == first.exchange);
  CHECK(second.attempt == 2);
  on.answer(second, json_answer("right"));
  on.answer(second, json_answer("again")); // the next exchange is current by now
  on.end_turn();
  CHECK(count_of(on.written(), "HTTP/1.1 ") == 1);
  CHECK(on.written().ends_with("right"));
  CHECK(on.client->current().exchange != second.exchange);
}

TEST_CASE("an exchange that keeps killing its handler is 503") {
  connection_bench on;
  on.receive(get_of("/1"));
  on.client->routed(operation::list_regions, base::owner::region_ranking);
  const auto kill = [&] {
    claim(on.client->current_request(), actors::handler::owner);
    return on.client->retry(actors::handler::owner);
  };
  CHECK(kill());
  CHECK(on.client->waits_for() == base::owner::none);
  CHECK(on.client->retry(actors::handler::owner)); // waited behind another request that time
  CHECK(kill());
  CHECK(on.client->current().attempt == 4);
  CHECK(on.client->waiting());
  CHECK(!kill());
  on.end_turn();
  CHECK(on.written().starts_with("HTTP/1.1 503 "));
  CHECK(on.wrote("\"code\":\"unavailable\""));
  CHECK(on.wrote("Retry-After: "));
  CHECK(on.in_flight == 0);
  on.receive(get_of("/2"));
  CHECK(on.client->current().attempt == 1);
  CHECK(on.client->retry(actors::handler::owner));
}

TEST_CASE("100 Continue is sent before the body, after a long idle time too") {
  connection_bench on;
  on.advance(5'000ms);
  on.clock.advance(5'000ms);
  on.loop.post([&] {
    on.peer.to_read = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
                      "Expect: 100-continue\r\n\r\n";
    on.client->on_events(EPOLLIN);
  });
  on.loop.run_once(); // the loop checks timers before the turn's writes
  on.end_turn();
  CHECK(on.written() == "HTTP/1.1 100 Continue\r\n\r\n");
  CHECK(!on.client->is_closed());
  on.receive("abc");
  REQUIRE(on.client->waiting());
  on.reply("{}");
  CHECK(count_of(on.written(), "HTTP/1.1 100") == 1);
  CHECK(count_of(on.written(), "HTTP/1.1 200") == 1);
}

TEST_CASE("an evicted connection ends once") {
  connection_bench on;
  on.peer.room = 0;
  on.receive(get_of("/x"));
  on.reply("{}");
  CHECK(on.client->evict(eviction::stalled));
  on.client->end_now();
  CHECK(on.closings == 1);
  CHECK(on.peer.writes.empty());
}

TEST_CASE("slow readers are not cut to free memory") {
  connection_bench on;
  on.peer.room = 10'000;
  on.peer.unacknowledged = 10'000;
  on.receive(get_of("/x"));
  on.reply(std::string(20'000, 'x'));
  on.peer.unacknowledged = 9'999;
  CHECK(!on.client->evict(eviction::stalled));
  CHECK(on.client->evict(eviction::stalled));
}

TEST_CASE("closing idle connections spares those with a request under way") {
  connection_bench idle;
  idle.client->close_if_idle();
  CHECK(idle.peer.shut);
  connection_bench half;
  half.receive("GET /x");
  half.client->close_if_idle();
  CHECK(!half.peer.shut);
  connection_bench waiting;
  waiting.receive(get_of("/1"));
  waiting.client->close_if_idle();
  CHECK(!waiting.peer.shut);
}

TEST_CASE("what happened is counted") {
  connection_bench on;
  on.receive(get_of("/1"));
  on.client->routed(operation::list_regions, base::owner::region_ranking);
  on.advance(3ms);
  on.reply("{}");
  const auto& seen = on.metrics;
  CHECK(seen.received_bytes.get() == get_of("/1").size());
  CHECK(seen.sent_bytes.get() == on.written().size());
  const auto column = static_cast<std::size_t>(operation::list_regions);
  CHECK(seen.answers[column][0].get() == 1);
  CHECK(seen.latency[column].sum_ns() == 3'000'000);
}

/// An answer of a rate limit, to a client that has the connection for itself.
void refuse(connection_bench& on) {
  on.client->current_request()->caller.is_over_limit = true;
  auto answer = json_answer("{}");
  answer.status = 429;
  on.answer(std::move(answer));
  on.end_turn();
}

TEST_CASE("many refusals in a row slow a connection, then close it") {
  connection_bench on;
  std::uint32_t refused = 0;
  for (; refused < connection::unpaused_refusals; ++refused) {
    on.receive(connection_bench::get);
    REQUIRE(on.dispatched.size() == refused + 1);
    refuse(on);
  }
  CHECK(on.metrics.connections_slowed.get() == 1);
  for (; refused < connection::refusals_limit; ++refused) {
    on.receive(connection_bench::get);
    on.advance(connection::refusal_pause - 50ms);
    REQUIRE(on.dispatched.size() == refused);
    on.advance(100ms);
    REQUIRE(on.dispatched.size() == refused + 1);
    refuse(on);
  }
  CHECK(count_of(on.written(), "\r\nConnection: close\r\n") == 1);
  CHECK(on.peer.shut);
}

TEST_CASE("an admitted request ends the row of refusals") {
  connection_bench on;
  for (int i = 0; i < 3; ++i) {
    for (std::uint32_t refused = 1; refused < connection::unpaused_refusals; ++refused) {
      on.receive(connection_bench::get);
      refuse(on);
    }
    on.receive(connection_bench::get);
    on.reply("{}");
  }
  CHECK(on.dispatched.size() == 3 * connection::unpaused_refusals);
  CHECK(on.metrics.connections_slowed.get() == 0);
}

TEST_CASE("an ended request gives back its places") {
  connection_bench on;
  for (const bool answered : {true, false}) {
    on.receive(connection_bench::get);
    CHECK(on.open == 1);
    on.client->begin_service(1, 7);
    CHECK(on.in_service == 7);
    if (answered)
      on.reply("{}");
    else
      on.client->end_now();
    CHECK(on.open == 0);
    CHECK(on.in_service == 0);
  }
}

TEST_CASE("a request begins when its last bytes could be read") {
  connection_bench on;
  on.peer.to_read = connection_bench::get;
  on.advance(0ms);
  on.client->on_events(EPOLLIN);
  on.clock.advance(40ms); // others are read first
  on.end_turn();
  on.reply("{}");
  const auto& latency = on.metrics.latency[static_cast<std::size_t>(operation::unmatched)];
  CHECK(latency.sum_ns() == 0); // the loop's time stands still within a turn
  on.loop.post([] {});
  on.loop.run_once();
  on.peer.to_read = connection_bench::get;
  on.client->on_events(EPOLLIN);
  on.clock.advance(40ms);
  on.loop.post([] {});
  on.loop.run_once();
  on.end_turn();
  on.reply("{}");
  CHECK(latency.sum_ns() == 40'000'000);
}

} // namespace
} // namespace matchcloud::http
