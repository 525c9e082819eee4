#include "http/transport/connection.hpp"

#include "tests/http/transport/connection_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;
std::string get_of(std::string_view target) {
  return "GET " + std::string{target} + " HTTP/1.1\r\nHost: h\r\n\r\n";
}

std::string post(std::size_t body_bytes) {
  return "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body_bytes) +
         "\r\n\r\n" + std::string(body_bytes, 'b');
}

TEST_CASE("a request becomes an exchange, its answer bytes") {
  connection_bench on;
  on.receive(get_of("/a"));
  REQUIRE(on.dispatched.size() == 1);
  CHECK(on.client->waiting());
  CHECK(on.client->current_request()->peer == address_of(1));
  CHECK(on.peer.writes.empty());
  on.reply("{}");
  CHECK(on.peer.written() == "HTTP/1.1 200 OK\r\n"
                             "Date: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
                             "X-Content-Type-Options: nosniff\r\n"
                             "Content-Type: application/json\r\n"
                             "Content-Length: 2\r\n"
                             "X-Request-Id: id\r\n\r\n{}");
  CHECK(on.in_flight == 0);
  CHECK(!on.client->is_closed());
}

TEST_CASE("between requests a connection holds neither request nor buffer") {
  connection_bench on;
  CHECK(on.requests_out == 0);
  CHECK(on.buffers_out == 0);
  for (int i = 0; i < 3; ++i) {
    on.receive(get_of("/a") + get_of("/b"));
    on.reply("{}");
    on.reply("{}");
    CHECK(on.requests_out == 0);
    CHECK(on.buffers_out == 0);
    CHECK(on.budget().used_bytes() == 0);
  }
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
  const auto all = on.peer.written();
  CHECK(all.find("\r\n\r\n1HTTP") < all.find("\r\n\r\n2HTTP"));
  CHECK(all.find("\r\n\r\n2HTTP") < all.find("\r\n\r\n3HTTP"));
  CHECK(all.ends_with("\r\n\r\n4"));
}

TEST_CASE("answers of one turn share a write") {
  connection_bench on;
  on.receive(get_of("/1") + get_of("/2") + get_of("/3"));
  for (const auto* body : {"1", "2", "3"})
    on.answer(json_answer(body));
  CHECK(on.peer.writes.empty());
  on.end_turn();
  CHECK(on.peer.writes.size() == 1);
  CHECK(count_of(on.peer.written(), "HTTP/1.1 200 OK") == 3);
}

TEST_CASE("a request may come byte by byte") {
  connection_bench on;
  for (const char c : post(5)) {
    CHECK(on.dispatched.empty());
    on.receive({&c, 1});
  }
  REQUIRE(on.dispatched.size() == 1);
  CHECK(on.client->current_request()->body == "bbbbb");
}

TEST_CASE("short writes and full sockets lose nothing") {
  connection_bench whole;
  whole.receive(get_of("/1") + get_of("/2"));
  whole.answer(json_answer(std::string(3'000, 'x')));
  whole.answer(shared_answer(50'000, 'y'));
  whole.end_turn();

  connection_bench on;
  on.peer.most_per_write = 701;
  on.peer.room = 0;
  on.receive(get_of("/1") + get_of("/2"));
  on.answer(json_answer(std::string(3'000, 'x')));
  on.answer(shared_answer(50'000, 'y'));
  on.end_turn();
  CHECK(on.peer.writes.empty());
  for (int i = 0; i < 60; ++i) {
    on.peer.room = 997;
    on.event(EPOLLOUT);
  }
  CHECK(on.peer.written() == whole.peer.written());
  CHECK(on.budget().used_bytes() == 0);
}

TEST_CASE("an answer never overtakes the rest of a large one before it") {
  // A large shared body is sent in place. A request that arrives while the body's last bytes wait
  // must not be answered before them.
  connection_bench measured;
  measured.receive(get_of("/1"));
  measured.answer(shared_answer(100'000, 'a'));
  measured.end_turn();
  const auto answer_bytes = measured.peer.written().size();
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
    const auto all = on.peer.written();
    CHECK(all.compare(head_bytes, 100'000, std::string(100'000, 'a')) == 0);
    CHECK(all.compare(answer_bytes, 8, "HTTP/1.1") == 0);
    CHECK(all.ends_with(std::string(40'000, 'b')));
  }
}

TEST_CASE("reading pauses at 256 KiB unsent and goes on when they are taken") {
  connection_bench on;
  on.peer.room = 0;
  std::string many;
  for (int i = 0; i < 100; ++i)
    many += get_of("/x");
  on.receive(many);
  constexpr std::size_t body_bytes = 10'000;
  while (on.client->waiting()) {
    on.answer(json_answer(std::string(body_bytes, 'x')));
    on.end_turn();
  }
  const auto answered = on.dispatched.size();
  CHECK(answered * (body_bytes + 200) > reply_sender::unsent_pause_bytes);
  CHECK((answered - 1) * body_bytes < reply_sender::unsent_pause_bytes);
  on.receive(get_of("/more"));
  CHECK(on.dispatched.size() == answered);

  on.peer.room = SIZE_MAX;
  on.event(EPOLLOUT);
  CHECK(on.dispatched.size() == answered + 1);
  while (on.client->waiting()) {
    on.answer(json_answer("{}"));
    on.end_turn();
  }
  CHECK(on.dispatched.size() == 101);
  CHECK(on.targets.back() == "/more");
  CHECK(on.budget().used_bytes() == 0);
}

TEST_CASE("a client that never takes the last byte does not make the buffer grow for ever") {
  connection_bench on;
  on.receive(get_of("/x") + get_of("/x"));
  constexpr std::size_t body_bytes = 10'000;
  for (int i = 0; i < 500; ++i) {
    on.peer.room = i == 0 ? body_bytes / 2 : body_bytes;
    REQUIRE(on.client->waiting());
    on.reply(std::string(body_bytes, static_cast<char>('a' + i % 26)));
    on.receive(get_of("/x"));
    on.event(EPOLLOUT);
  }
  on.peer.room = SIZE_MAX;
  on.event(EPOLLOUT);
  CHECK(on.largest_buffer > body_bytes);
  CHECK(on.largest_buffer < 3 * reply_sender::unsent_pause_bytes);
  const auto all = on.peer.written();
  std::size_t at = 0;
  for (int i = 0; i < 500; ++i) {
    at = all.find("\r\n\r\n" + std::string(body_bytes, static_cast<char>('a' + i % 26)), at);
    REQUIRE(at != std::string::npos);
    at += body_bytes;
  }
}

TEST_CASE("while others want memory, reading pauses at 8 KiB unsent") {
  http::limits configured;
  configured.byte_budget_bytes = 1'000'000;
  const auto answered = [&](std::size_t used_by_others) {
    connection_bench on{configured};
    base::byte_lease others;
    others.grow_to(on.budget(), used_by_others);
    on.peer.room = 0;
    std::string many;
    for (int i = 0; i < 100; ++i)
      many += get_of("/x");
    on.receive(many);
    while (on.client->waiting())
      on.reply(std::string(1'000, 'x'));
    return on.dispatched.size();
  };
  CHECK(answered(300'000) == 100);
  CHECK(answered(500'001) < 10);
}

TEST_CASE("what waits for its client is counted by the memory that it takes, however little") {
  connection_bench on;
  on.receive(get_of("/x"));
  on.peer.room = 0;
  on.reply(std::string(1'000, 'x'));
  const auto first = on.budget().used_bytes();
  CHECK(first >= 1'000);
  std::string many;
  for (int i = 0; i < 60; ++i)
    many += get_of("/x");
  on.receive(many);
  std::size_t unsent = 1'000;
  while (on.client->waiting()) {
    on.reply(std::string(1'000, 'x'));
    unsent += 1'000;
  }
  // A growing string allocates more than its size.
  CHECK(on.budget().used_bytes() > unsent + unsent / 8);
  on.peer.room = SIZE_MAX;
  on.event(EPOLLOUT);
  CHECK(on.budget().used_bytes() == 0);
}

TEST_CASE("what the budget lacks is asked of clients that take nothing") {
  http::limits small;
  small.byte_budget_bytes = 40'000;
  for (const bool given : {true, false}) {
    connection_bench on{small};
    base::byte_lease others;
    others.grow_to(on.budget(), 40'000);
    on.others = given ? &others : nullptr;
    on.receive(get_of("/x"));
    on.reply(std::string(20'000, 'x'));
    CHECK(on.rooms_asked_for == 1);
    CHECK(on.peer.written().starts_with(given ? "HTTP/1.1 200 " : "HTTP/1.1 503 "));
  }
}

TEST_CASE("a large answer is sent from where it is") {
  connection_bench on;
  on.receive(get_of("/x"));
  on.peer.room = 0;
  on.reply(std::string(100'000, 'x'));
  CHECK(on.budget().used_bytes() < 100'000 + reply_sender::unsent_free_bytes);
  on.peer.room = SIZE_MAX;
  on.event(EPOLLOUT);
  CHECK(on.peer.written().ends_with(std::string(100'000, 'x')));
  CHECK(on.largest_buffer < reply_sender::unsent_free_bytes);
}

TEST_CASE("reading pauses when the budget has no room for unsent bytes") {
  http::limits small;
  small.byte_budget_bytes = 64 * 1024;
  connection_bench on{small};
  on.peer.room = 0;
  std::string many;
  for (int i = 0; i < 50; ++i)
    many += get_of("/x");
  on.receive(many);
  while (on.client->waiting()) {
    on.answer(json_answer(std::string(10'000, 'x')));
    on.end_turn();
  }
  CHECK(on.dispatched.size() < 10);
  CHECK(on.budget().used_bytes() <= 64 * 1024);
  on.peer.room = SIZE_MAX;
  on.event(EPOLLOUT);
  CHECK(on.client->waiting());
}

TEST_CASE("a body takes from the budget up to its last byte; one more is 503") {
  http::limits small;
  small.byte_budget_bytes = 10'000;
  connection_bench fits{small};
  fits.receive(post(10'000));
  CHECK(fits.client->waiting());
  CHECK(fits.budget().used_bytes() == 10'000);
  fits.reply("{}");
  CHECK(fits.budget().used_bytes() == 0);

  connection_bench over{small};
  over.receive(post(10'001));
  CHECK(over.dispatched.empty());
  CHECK(over.peer.written().starts_with("HTTP/1.1 503 "));
  CHECK(over.peer.written().find("\"code\":\"budget_exhausted\"") != std::string::npos);
  CHECK(over.peer.written().find("Retry-After: 1\r\n") != std::string::npos);
  CHECK(over.budget().used_bytes() == 0);
  CHECK(!over.client->is_closed()); // the request was read completely, so the connection can go on
  over.receive(get_of("/x"));
  CHECK(over.client->waiting());
}

TEST_CASE("a body over the budget is refused while it arrives") {
  http::limits small;
  small.byte_budget_bytes = 10'000;
  connection_bench on{small};
  on.receive(post(20'000).substr(0, 15'000));
  CHECK(on.peer.written().starts_with("HTTP/1.1 503 "));
  CHECK(on.peer.written().find("Connection: close\r\n") != std::string::npos);
  CHECK(on.peer.shut);
  CHECK(on.budget().used_bytes() == 0);
}

TEST_CASE("pipelined bytes without room in the budget are dropped, and the next answer says so") {
  http::limits small;
  small.byte_budget_bytes = 20'000;
  const std::string behind(request_reader::input_free_bytes + 1, 'x');
  connection_bench fits{small};
  fits.receive(get_of("/1") + behind);
  CHECK(fits.budget().used_bytes() == behind.size());

  small.byte_budget_bytes = request_reader::input_free_bytes;
  connection_bench free_of_charge{small};
  free_of_charge.receive(get_of("/1") + behind.substr(1));
  free_of_charge.reply("{}");
  CHECK(free_of_charge.peer.written().find("Connection: close") >
        free_of_charge.peer.written().find("\r\n\r\n{}"));

  connection_bench over{small};
  over.receive(get_of("/1") + behind);
  REQUIRE(over.client->waiting());
  over.reply("{}");
  CHECK(over.peer.written().find("Connection: close\r\n") != std::string::npos);
  CHECK(over.peer.shut);
  CHECK(over.budget().used_bytes() == 0);
}

TEST_CASE("an answer for which the budget has no room is 503") {
  http::limits small;
  small.byte_budget_bytes = 20'000 + reply_sender::head_room_bytes;
  connection_bench fits{small};
  fits.receive(get_of("/x"));
  fits.reply(std::string(20'000, 'x'));
  CHECK(fits.peer.written().starts_with("HTTP/1.1 200 "));
  connection_bench over{small};
  over.receive(get_of("/x"));
  over.reply(std::string(20'001, 'x'));
  CHECK(over.peer.written().starts_with("HTTP/1.1 503 "));
  CHECK(over.in_flight == 0);
  CHECK(over.budget().used_bytes() == 0);
}

TEST_CASE("what is answered without its body takes nothing from the budget") {
  http::limits small;
  small.byte_budget_bytes = 20'000;
  connection_bench on{small};
  on.receive("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n");
  on.reply(std::string(20'001, 'x'));
  CHECK(on.peer.written().find("\r\nContent-Length: 20001\r\n") != std::string::npos);
  on.receive(get_of("/x"));
  auto unchanged = json_answer(std::string(20'001, 'x'));
  unchanged.status = 304;
  on.answer(std::move(unchanged));
  on.end_turn();
  CHECK(on.peer.written().find("HTTP/1.1 304 ") != std::string::npos);
  CHECK(on.peer.written().find("HTTP/1.1 503 ") == std::string::npos);
}

TEST_CASE("a transport that takes no more exchanges answers 503 and keeps the connection") {
  connection_bench on;
  on.takes = false;
  on.receive(get_of("/1") + get_of("/2"));
  CHECK(count_of(on.peer.written(), "\"code\":\"overloaded\"") == 2);
  CHECK(on.in_flight == 0);
  on.takes = true;
  on.receive(get_of("/3"));
  CHECK(on.client->waiting());
}

TEST_CASE("a page can tell what a transport itself refuses from a broken network") {
  const std::string readable = "\r\nAccess-Control-Allow-Origin: *\r\n";
  connection_bench full;
  full.takes = false;
  full.receive(get_of("/x"));
  CHECK(full.peer.written().starts_with("HTTP/1.1 503 "));
  CHECK(count_of(full.peer.written(), readable) == 1);
  connection_bench malformed;
  malformed.receive("GET /x HTTP/1.1\r\n\r\n");
  CHECK(malformed.peer.written().starts_with("HTTP/1.1 400 "));
  CHECK(count_of(malformed.peer.written(), readable) == 1);
  connection_bench answered;
  answered.receive(get_of("/x"));
  answered.reply("{}");
  CHECK(count_of(answered.peer.written(), readable) == 0);
}

TEST_CASE("bytes that are no request are answered, then the connection ends both ways") {
  connection_bench on;
  on.receive("GET / HTTP/1.1\r\nno colon\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n");
  CHECK(on.dispatched.empty());
  CHECK(on.peer.written().starts_with("HTTP/1.1 400 "));
  CHECK(on.peer.written().find("Connection: close\r\n") != std::string::npos);
  CHECK(count_of(on.peer.written(), "HTTP/1.1 ") == 1);
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

TEST_CASE("lingering discards a bounded amount") {
  connection_bench on;
  on.receive("nonsense\r\n\r\n");
  on.peer.to_read.assign(connection::linger_bytes + 70'000, 'x');
  on.event(EPOLLIN);
  CHECK(on.client->is_closed());
  CHECK(!on.peer.to_read.empty());
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

TEST_CASE("a body that was refused before its end is discarded, whatever its client sends first") {
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

TEST_CASE("a client whose body is discarded is read once, then it is the turn of others") {
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

TEST_CASE("a connection closes behind a client's last answer, unless the client sends more") {
  connection_bench quiet;
  quiet.receive("GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  quiet.reply("{}");
  CHECK(quiet.client->is_closed());
  CHECK(!quiet.peer.shut);
  // Closing with unread bytes would reset the connection, and the client might lose its answer.
  connection_bench talks;
  talks.receive("GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  talks.event(EPOLLIN);
  talks.reply("{}");
  CHECK(!talks.client->is_closed());
  CHECK(talks.peer.shut);
}

TEST_CASE("Connection: close is honoured after the answer, whatever follows") {
  connection_bench on;
  on.receive("GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" + get_of("/late"));
  on.reply("{}");
  CHECK(on.dispatched.size() == 1);
  CHECK(on.peer.written().find("Connection: close\r\n") != std::string::npos);
  CHECK(on.peer.shut);
}

TEST_CASE("while draining each answer closes its connection") {
  connection_bench on;
  on.receive(get_of("/1") + get_of("/2"));
  on.draining = true;
  on.reply("{}");
  CHECK(on.dispatched.size() == 1);
  CHECK(on.peer.written().find("Connection: close\r\n") != std::string::npos);
  CHECK(on.peer.shut);
}

TEST_CASE("HEAD gets the length without the body") {
  connection_bench on;
  on.receive("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n");
  on.answer(shared_answer(50'000, 'x'));
  on.end_turn();
  CHECK(on.peer.written().find("Content-Length: 50000\r\n") != std::string::npos);
  CHECK(on.peer.written().ends_with("\r\n\r\n"));
}

TEST_CASE("HTTP/1.0 closes unless asked to stay") {
  connection_bench closes;
  closes.receive("GET /x HTTP/1.0\r\n\r\n");
  closes.reply("{}");
  CHECK(closes.client->is_closed());
  connection_bench stays;
  stays.receive("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  stays.reply("{}");
  CHECK(!stays.client->is_closed());
  CHECK(stays.peer.written().find("Connection: keep-alive\r\n") != std::string::npos);
}

TEST_CASE("a client that closed its sending side still gets its answers") {
  connection_bench on;
  on.peer.to_read = get_of("/1") + get_of("/2");
  on.peer.ended = true;
  on.event(EPOLLIN | EPOLLRDHUP);
  on.reply("1");
  on.reply("2");
  CHECK(count_of(on.peer.written(), "HTTP/1.1 200 OK") == 2);
  CHECK(on.client->is_closed());
}

TEST_CASE("an end in the middle of a request is a malformed request") {
  connection_bench on;
  on.peer.to_read = "GET /x HTT";
  on.peer.ended = true;
  on.event(EPOLLIN | EPOLLRDHUP);
  CHECK(on.peer.written().starts_with("HTTP/1.1 400 "));
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
  on.receive(post(1'000));
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
  CHECK(count_of(on.peer.written(), "HTTP/1.1 ") == 1);
  CHECK(on.peer.written().ends_with("right"));
  CHECK(on.client->current().exchange != second.exchange);
}

TEST_CASE("an exchange that nobody had in hand is sent again as often as needed") {
  connection_bench on;
  on.receive(get_of("/1"));
  for (int i = 0; i < 10; ++i) {
    on.client->routed(operation::list_regions, base::owner::region_ranking);
    REQUIRE(on.client->retry(actors::handler::owner));
  }
  CHECK(on.client->waiting());
  CHECK(on.client->current().attempt == 11);
}

TEST_CASE("an exchange that its front had in hand is not the owner's fault, nor the other way") {
  connection_bench on;
  on.receive(get_of("/1"));
  for (int i = 0; i < 10; ++i) {
    claim(on.client->current_request(), actors::handler::front);
    REQUIRE(on.client->retry(actors::handler::owner));
    claim(on.client->current_request(), actors::handler::owner);
    REQUIRE(on.client->retry(actors::handler::front));
  }
  CHECK(on.client->waiting());
}

TEST_CASE("a request's bounds are held until its last reference, and it says that it is over") {
  connection_bench on;
  on.receive(get_of("/1"));
  const request_ptr held = on.client->current_request();
  CHECK(!held->over);
  on.client->end_now();
  CHECK(held->over);
  CHECK(on.in_flight == 1);
}

TEST_CASE("an exchange that killed who had it in hand is sent again twice and no more") {
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
  CHECK(on.peer.written().starts_with("HTTP/1.1 503 "));
  CHECK(on.peer.written().find("\"code\":\"unavailable\"") != std::string::npos);
  CHECK(on.peer.written().find("Retry-After: ") != std::string::npos);
  CHECK(on.in_flight == 0);
  on.receive(get_of("/2"));
  CHECK(on.client->current().attempt == 1);
  CHECK(on.client->retry(actors::handler::owner));
}

TEST_CASE("100 Continue is sent before the body, even on a connection that was idle for long") {
  connection_bench on;
  on.advance(std::chrono::milliseconds{5'000});
  on.clock.advance(std::chrono::milliseconds{5'000});
  on.loop.post([&] {
    on.peer.to_read = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
                      "Expect: 100-continue\r\n\r\n";
    on.client->on_events(EPOLLIN);
  });
  on.loop.run_once(); // the loop checks timers before the turn's writes
  on.end_turn();
  CHECK(on.peer.written() == "HTTP/1.1 100 Continue\r\n\r\n");
  CHECK(!on.client->is_closed());
  on.receive("abc");
  REQUIRE(on.client->waiting());
  on.reply("{}");
  CHECK(count_of(on.peer.written(), "HTTP/1.1 100") == 1);
  CHECK(count_of(on.peer.written(), "HTTP/1.1 200") == 1);
}

TEST_CASE("ending now answers what waits and closes") {
  connection_bench waiting;
  waiting.receive(get_of("/1"));
  waiting.client->end_now();
  CHECK(waiting.peer.written().find("\"code\":\"draining\"") != std::string::npos);
  CHECK(waiting.client->is_closed());
  connection_bench idle;
  idle.client->end_now();
  CHECK(idle.peer.writes.empty());
  CHECK(idle.client->is_closed());
}

TEST_CASE("a connection that was cut with answers unsent has nothing left to end") {
  connection_bench on;
  on.peer.room = 0;
  on.receive(get_of("/x"));
  on.reply("{}");
  CHECK(on.client->evict(eviction::stalled));
  on.client->end_now();
  CHECK(on.closings == 1);
  CHECK(on.peer.writes.empty());
}

TEST_CASE("who takes an answer, however slowly, is not cut for another's sake") {
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
  on.advance(std::chrono::milliseconds{3});
  on.reply("{}");
  const auto& seen = on.metrics;
  CHECK(seen.received_bytes.get() == get_of("/1").size());
  CHECK(seen.sent_bytes.get() == on.peer.written().size());
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

TEST_CASE("after many refusals in a row a connection is read slowly, then closed") {
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
    on.advance(connection::refusal_pause - std::chrono::milliseconds{50});
    REQUIRE(on.dispatched.size() == refused);
    on.advance(std::chrono::milliseconds{100});
    REQUIRE(on.dispatched.size() == refused + 1);
    refuse(on);
  }
  CHECK(count_of(on.peer.written(), "\r\nConnection: close\r\n") == 1);
  CHECK(on.peer.shut);
}

TEST_CASE("a request that is let in ends the row of refusals") {
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

TEST_CASE("a request gives back its places once it is answered, or its client is gone") {
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
  on.advance(std::chrono::milliseconds{0});
  on.client->on_events(EPOLLIN);
  on.clock.advance(std::chrono::milliseconds{40}); // others are read first
  on.end_turn();
  on.reply("{}");
  const auto& latency = on.metrics.latency[static_cast<std::size_t>(operation::unmatched)];
  CHECK(latency.sum_ns() == 0); // the loop's time stands still within a turn
  on.loop.post([] {});
  on.loop.run_once();
  on.peer.to_read = connection_bench::get;
  on.client->on_events(EPOLLIN);
  on.clock.advance(std::chrono::milliseconds{40});
  on.loop.post([] {});
  on.loop.run_once();
  on.end_turn();
  on.reply("{}");
  CHECK(latency.sum_ns() == 40'000'000);
}

} // namespace
} // namespace matchcloud::http
