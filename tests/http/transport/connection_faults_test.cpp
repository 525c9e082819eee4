// The effect of injected faults on a connection's reads, writes and framing, and on no other
// connection.
#include "http/loop/faulty_stream.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/fixtures/shared_file.hpp"
#include "tests/http/transport/connection_fixture.hpp"

#include <bit>

namespace matchcloud::http {
namespace {

using namespace fixtures;
using base::fault_kind;
using base::fault_point;
using std::chrono::milliseconds;

/// The delay from the end of a hold to its effect: one look and one timer tick.
constexpr milliseconds look{2 * (loop_pass::look_interval + timer_queue::tick)};

struct connection_faults_bench : connection_bench {
  using connection_bench::connection_bench;

  void ask(std::string_view target) {
    receive("GET " + std::string{target} + " HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  void advance_in_steps(milliseconds by) {
    for (milliseconds passed{0}; passed < by; passed += milliseconds{10})
      advance(milliseconds{10});
  }
  /// Everything written after the first empty line.
  std::string body() const {
    const auto all = peer.written();
    const auto end = all.find("\r\n\r\n");
    return end == std::string::npos ? std::string{} : all.substr(end + 4);
  }
};

/// The number of bits in which two texts of equal length differ.
int differing_bits(std::string_view a, std::string_view b) {
  REQUIRE(a.size() == b.size());
  int sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::popcount(
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
  return sum;
}

std::string post_text(const std::string& body) {
  return "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

// -- reading ------------------------------------------------------------------

TEST_CASE("a rule chooses connections by their address and their number") {
  const auto is_broken = [](std::string_view client, double share) {
    auto rule = rule_of(fault_kind::error);
    rule.client = base::fault_network{model::parse_ip_address(client)->bytes, 128};
    rule.connections = share;
    injected_fault broken{fault_point::read, rule};
    connection_faults_bench on;
    on.ask("/1");
    return broken.hits() == 1;
  };
  CHECK(is_broken("192.0.2.1", 1));
  CHECK_FALSE(is_broken("192.0.2.2", 1));
  CHECK_FALSE(is_broken("192.0.2.1", 1e-9));
}

TEST_CASE("a delayed read comes late, and what was sent in the meantime follows it") {
  connection_faults_bench on;
  injected_fault slow{fault_point::read, once(delayed_by(milliseconds{100}))};
  on.ask("/1");
  on.ask("/2");
  on.advance_in_steps(milliseconds{90});
  CHECK(on.targets.empty());
  on.advance_in_steps(milliseconds{10} + look);
  CHECK(on.targets == std::vector<std::string>{"/1"});
  on.reply("1");
  CHECK(on.targets == std::vector<std::string>{"/1", "/2"});
  CHECK(slow.hits() == 1);
  CHECK(slow.passes() == 1); // nothing was left to read
}

TEST_CASE("every read is delayed where every one is to be, and all bytes arrive in order") {
  connection_faults_bench on;
  injected_fault slow{fault_point::read, delayed_by(milliseconds{20})};
  on.peer.most_per_read = 7;
  const auto body = numbered_bytes(100);
  on.peer.to_read = post_text(body);
  on.event(EPOLLIN);
  // A scripted socket gives no edges; a real one gives an edge with each piece.
  for (int i = 0; i < 100 && on.targets.empty(); ++i) {
    on.event(EPOLLIN);
    on.advance(milliseconds{20});
  }
  REQUIRE(on.targets.size() == 1);
  CHECK(on.client->current_request()->body == body);
  CHECK(slow.hits() >= body.size() / 7);
}

TEST_CASE("a stalled read waits until the fault is taken away, and no longer") {
  connection_faults_bench on;
  injected_fault stuck{fault_point::read, fault_kind::stall};
  on.ask("/1");
  on.advance_in_steps(milliseconds{1'000});
  CHECK(on.targets.empty());
  CHECK(stuck.hits() == 1);
  stuck.take_away();
  on.advance_in_steps(look);
  CHECK(on.targets == std::vector<std::string>{"/1"});
}

TEST_CASE("another fault at its point lets go of what the last one stalled") {
  connection_faults_bench on;
  injected_fault stuck{fault_point::read, fault_kind::stall};
  on.ask("/1");
  injected_fault next{fault_point::read, fault_kind::error};
  on.advance_in_steps(look);
  CHECK(on.targets == std::vector<std::string>{"/1"});
  CHECK(next.passes() == 0); // this read began before the injection
}

TEST_CASE("a connection whose reads are stalled is closed when it idled long enough") {
  http::limits limits;
  limits.head_timeout = milliseconds{500}; // it has not sent a request yet
  connection_faults_bench on{limits};
  injected_fault stuck{fault_point::read, fault_kind::stall};
  on.ask("/1");
  on.advance_in_steps(milliseconds{600} + connection::linger_timeout);
  CHECK(on.targets.empty());
  CHECK(on.closings == 1);
}

TEST_CASE("a failing read ends the connection without a word") {
  connection_faults_bench on;
  injected_fault fails{fault_point::read, fault_kind::error};
  on.ask("/1");
  CHECK(on.closings == 1);
  CHECK(on.peer.destroyed);
  CHECK(on.peer.writes.empty());
  CHECK(on.requests_out == 0);
}

TEST_CASE("a corrupted read differs in one bit") {
  connection_faults_bench on;
  const std::string body(40'000, 'b');
  injected_fault corrupted{fault_point::read, once(rule_of(fault_kind::corrupt))};
  on.receive(post_text(body));
  REQUIRE(on.targets.size() == 1);
  CHECK(differing_bits(on.client->current_request()->body, body) == 1);
  on.reply("{}");
  on.receive(post_text(body));
  REQUIRE(on.targets.size() == 2);
  CHECK(on.client->current_request()->body == body);
}

// -- writing ------------------------------------------------------------------

TEST_CASE("a delayed write comes late, and replies made in the meantime follow it") {
  connection_faults_bench on;
  injected_fault slow{fault_point::write, once(delayed_by(milliseconds{100}))};
  on.ask("/1");
  on.ask("/2");
  on.reply("1");
  on.reply("2");
  on.advance_in_steps(milliseconds{90});
  CHECK(on.peer.writes.empty());
  on.advance_in_steps(milliseconds{10} + look);
  const auto all = on.peer.written();
  CHECK(all.find("\r\n\r\n1HTTP") != std::string::npos);
  CHECK(all.ends_with("\r\n\r\n2"));
}

TEST_CASE("a stalled write waits until the fault is taken away") {
  connection_faults_bench on;
  injected_fault stuck{fault_point::write, fault_kind::stall};
  on.ask("/1");
  on.reply("{}");
  on.advance_in_steps(milliseconds{1'000});
  CHECK(on.peer.writes.empty());
  stuck.take_away();
  on.advance_in_steps(look);
  CHECK(on.peer.written().ends_with("\r\n\r\n{}"));
  CHECK(on.buffers_out == 0);
}

TEST_CASE("an answer that is stalled for longer than a write may take ends its connection") {
  http::limits limits;
  limits.write_timeout = milliseconds{500};
  connection_faults_bench on{limits};
  injected_fault stuck{fault_point::write, fault_kind::stall};
  on.ask("/1");
  on.reply("{}");
  on.advance_in_steps(milliseconds{600});
  CHECK(on.closings == 1);
  CHECK(on.peer.writes.empty());
}

TEST_CASE("a failing write ends the connection") {
  connection_faults_bench on;
  injected_fault fails{fault_point::write, fault_kind::error};
  on.ask("/1");
  on.reply("{}");
  CHECK(on.closings == 1);
  CHECK(on.peer.writes.empty());
}

TEST_CASE("short writes take a part each time, and the answer comes whole") {
  connection_faults_bench on;
  injected_fault is_short{fault_point::write, fault_kind::short_write};
  on.ask("/1");
  on.answer(shared_answer(100'000, 's'));
  on.end_turn();
  CHECK(on.body() == std::string(100'000, 's'));
  CHECK(on.peer.writes.size() == is_short.passes());
  CHECK(on.peer.writes.size() > 1);
  for (std::size_t i = 0; i + 1 < on.peer.writes.size(); ++i)
    CHECK(!on.peer.writes[i].empty());
}

TEST_CASE("a corrupted write changes one bit of what is sent and nothing of what is shared") {
  connection_faults_bench on;
  const auto shared = std::make_shared<const std::string>(numbered_bytes(100'000));
  const auto before = *shared;
  const auto answer_shared = [&] {
    response made;
    made.content_type = json_type;
    made.body = shared;
    on.ask("/1");
    on.answer(std::move(made));
    on.end_turn();
  };
  answer_shared();
  const auto right = std::exchange(on.peer.writes, {});
  on.peer.more.clear();
  std::string expected;
  for (const auto& each : right)
    expected += each;
  {
    injected_fault corrupted{fault_point::write, once(rule_of(fault_kind::corrupt))};
    answer_shared();
    CHECK(differing_bits(on.peer.written(), expected) == 1);
  }
  CHECK(*shared == before);
  on.peer.writes.clear();
  answer_shared();
  CHECK(on.peer.written() == expected);
}

TEST_CASE("what is to happen to a write that the socket does not take happens to the next") {
  connection_faults_bench on;
  injected_fault corrupted{fault_point::write, once(rule_of(fault_kind::corrupt))};
  on.peer.room = 0;
  on.ask("/1");
  on.reply("{}");
  CHECK(on.peer.writes.empty());
  on.peer.room = SIZE_MAX;
  on.event(EPOLLOUT);
  CHECK(corrupted.hits() == 1);
  const auto corrupt = on.peer.written();
  on.peer.writes.clear();
  on.ask("/1");
  on.reply("{}");
  CHECK(differing_bits(corrupt, on.peer.written()) == 1);
}

TEST_CASE("files are written short or corrupted as memory is, and stay as they are") {
  connection_faults_bench on;
  const temporary_directory folder;
  const auto content = numbered_bytes(50'000);
  const auto file = open_shared(folder, content);
  const auto reply_file = [&] {
    response made;
    made.content_type = "image/png";
    made.body = file_range{file, 0, content.size()};
    on.peer.writes.clear();
    on.ask("/1");
    on.answer(std::move(made));
    on.end_turn();
    return on.body();
  };
  {
    injected_fault is_short{fault_point::write, fault_kind::short_write};
    CHECK(reply_file() == content);
    CHECK(is_short.hits() > 2);
  }
  {
    // The first write is the head.
    auto second = rule_of(fault_kind::corrupt);
    second.every = 2;
    second.first = 2;
    injected_fault corrupted{fault_point::write, second};
    CHECK(differing_bits(reply_file(), content) == 1);
  }
  {
    auto second = delayed_by(milliseconds{50});
    second.every = 2;
    second.first = 2;
    injected_fault slow{fault_point::write, second};
    CHECK(reply_file().empty());
    on.advance_in_steps(milliseconds{50} + look);
    CHECK(on.body() == content);
  }
  CHECK(reply_file() == content);
}

// -- framing ------------------------------------------------------------------

TEST_CASE("bytes whose framing fails are refused, which says that a fault is injected") {
  connection_faults_bench on;
  injected_fault fails{fault_point::frame, once(rule_of(fault_kind::error))};
  on.ask("/1");
  CHECK(on.targets.empty());
  CHECK(on.peer.written().starts_with("HTTP/1.1 400 "));
  CHECK(on.peer.written().find("\"code\":\"request_malformed\"") != std::string::npos);
  CHECK(on.peer.written().find("a fault is injected at frame") != std::string::npos);
  CHECK(on.peer.shut);
  CHECK(on.requests_out == 0);
}

TEST_CASE("framing fails in the middle of a request, too") {
  connection_faults_bench on;
  const auto whole = post_text(std::string(100, 'b'));
  on.receive(whole.substr(0, 100));
  injected_fault fails{fault_point::frame, fault_kind::error};
  on.receive(whole.substr(100));
  CHECK(on.targets.empty());
  CHECK(on.peer.written().starts_with("HTTP/1.1 400 "));
  CHECK(on.requests_out == 0);
  CHECK(on.budget().used_bytes() == 0);
}

TEST_CASE("corrupted framing changes one bit of what was read") {
  connection_faults_bench on;
  const std::string body(40'000, 'b');
  injected_fault corrupted{fault_point::frame, once(rule_of(fault_kind::corrupt))};
  on.receive(post_text(body));
  REQUIRE(on.targets.size() == 1);
  CHECK(differing_bits(on.client->current_request()->body, body) == 1);
}

TEST_CASE("pipelined bytes are corrupted where they wait") {
  connection_faults_bench on;
  const std::string body(40'000, 'b');
  on.receive("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n" + post_text(body));
  injected_fault corrupted{fault_point::frame, once(rule_of(fault_kind::corrupt))};
  on.reply("1");
  REQUIRE(on.targets.size() == 2);
  CHECK(differing_bits(on.client->current_request()->body, body) == 1);
}

// -- nothing injected ---------------------------------------------------------

TEST_CASE("a connection passes only the points at which something is injected") {
  connection_faults_bench on;
  auto never = rule_of(fault_kind::error);
  never.probability = 0;
  injected_fault written{fault_point::write, never};
  injected_fault framed{fault_point::frame, never};
  on.ask("/1");
  on.reply("{}");
  CHECK(written.passes() == 1);
  CHECK(framed.passes() == 1);
  CHECK(written.hits() + framed.hits() == 0);
  CHECK(base::faults::status(fault_point::read).passes == 0);
  CHECK(on.peer.written().ends_with("\r\n\r\n{}"));
}

} // namespace
} // namespace matchcloud::http
