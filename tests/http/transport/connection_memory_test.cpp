// The memory of a connection: unsent answers, bodies and pipelined bytes within the budget.
#include "tests/http/transport/connection_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;

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

TEST_CASE("a client that never takes the last byte has a bounded buffer") {
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
  const auto all = on.written();
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

TEST_CASE("unsent answers are leased by the memory that they take") {
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

TEST_CASE("budget that is lacking is freed from stalled clients") {
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
    CHECK(on.written().starts_with(given ? "HTTP/1.1 200 " : "HTTP/1.1 503 "));
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
  CHECK(on.written().ends_with(std::string(100'000, 'x')));
  CHECK(on.largest_buffer < reply_sender::unsent_free_bytes);
}

TEST_CASE("a body may use the whole budget, and one byte more is 503") {
  http::limits small;
  small.byte_budget_bytes = 10'000;
  connection_bench fits{small};
  fits.receive(post_of(10'000));
  CHECK(fits.client->waiting());
  CHECK(fits.budget().used_bytes() == 10'000);
  fits.reply("{}");
  CHECK(fits.budget().used_bytes() == 0);

  connection_bench over{small};
  over.receive(post_of(10'001));
  CHECK(over.dispatched.empty());
  CHECK(over.written().starts_with("HTTP/1.1 503 "));
  CHECK(over.wrote("\"code\":\"budget_exhausted\""));
  CHECK(over.wrote("Retry-After: 1\r\n"));
  CHECK(over.budget().used_bytes() == 0);
  CHECK(!over.client->is_closed()); // the request was read completely, so the connection can go on
  over.receive(get_of("/x"));
  CHECK(over.client->waiting());
}

TEST_CASE("a body over the budget is refused while it arrives") {
  http::limits small;
  small.byte_budget_bytes = 10'000;
  connection_bench on{small};
  on.receive(post_of(20'000).substr(0, 15'000));
  CHECK(on.written().starts_with("HTTP/1.1 503 "));
  CHECK(on.wrote("Connection: close\r\n"));
  CHECK(on.peer.shut);
  CHECK(on.budget().used_bytes() == 0);
}

TEST_CASE("pipelined bytes beyond the budget close after the next answer") {
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
  CHECK(free_of_charge.written().find("Connection: close") >
        free_of_charge.written().find("\r\n\r\n{}"));

  connection_bench over{small};
  over.receive(get_of("/1") + behind);
  REQUIRE(over.client->waiting());
  over.reply("{}");
  CHECK(over.wrote("Connection: close\r\n"));
  CHECK(over.peer.shut);
  CHECK(over.budget().used_bytes() == 0);
}

TEST_CASE("an answer for which the budget has no room is 503") {
  http::limits small;
  small.byte_budget_bytes = 20'000 + reply_sender::head_room_bytes;
  connection_bench fits{small};
  fits.receive(get_of("/x"));
  fits.reply(std::string(20'000, 'x'));
  CHECK(fits.written().starts_with("HTTP/1.1 200 "));
  connection_bench over{small};
  over.receive(get_of("/x"));
  over.reply(std::string(20'001, 'x'));
  CHECK(over.written().starts_with("HTTP/1.1 503 "));
  CHECK(over.in_flight == 0);
  CHECK(over.budget().used_bytes() == 0);
}

TEST_CASE("answers without their body take no budget") {
  http::limits small;
  small.byte_budget_bytes = 20'000;
  connection_bench on{small};
  on.receive("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n");
  on.reply(std::string(20'001, 'x'));
  CHECK(on.wrote("\r\nContent-Length: 20001\r\n"));
  CHECK(on.written().ends_with("\r\n\r\n"));
  on.receive(get_of("/x"));
  auto unchanged = json_answer(std::string(20'001, 'x'));
  unchanged.status = 304;
  on.answer(std::move(unchanged));
  on.end_turn();
  CHECK(on.wrote("HTTP/1.1 304 "));
  CHECK_FALSE(on.wrote("HTTP/1.1 503 "));
}

} // namespace
} // namespace matchcloud::http
