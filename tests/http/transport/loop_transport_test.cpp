#include "http/transport/loop_transport.hpp"

#include "tests/fixtures/shared_file.hpp"
#include "tests/http/transport/loop_transport_fixture.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace matchcloud::http {
namespace {

using namespace fixtures;
using base::owner;

TEST_CASE("a request over a socket is dispatched and its answer comes back") {
  transport_bench on;
  on.attach();
  client one{on.port};
  one.send(get);
  REQUIRE(on.see(1));
  const auto& task = on.seen->at(0);
  CHECK(task.request->target == "/x");
  CHECK(task.request->peer == loopback.address);
  CHECK(task.request->id.size() == 32);
  CHECK(task.exchange.attempt == 1);
  CHECK(on.transport->exchanges().find(task.exchange).request == task.request);
  on.answer(task, "hello");
  CHECK(on.sees(one, "\r\n\r\nhello"));
  CHECK_FALSE(on.transport->exchanges().find(task.exchange));
  CHECK(on.counted().in_flight.load() == 0);
}

TEST_CASE("a PROXY header is believed only from trusted peers") {
  for (const auto* trusted : {"127.0.0.0/8", "10.0.0.0/8"}) {
    CAPTURE(trusted);
    transport_bench on{{}, proxy_trust{{*model::parse_cidr(trusted)}}};
    on.attach();
    auto sockets = listen_on(loopback, 1, 64);
    REQUIRE(sockets);
    on.transport->acceptor().listen(std::move(sockets->sockets[0]), {true, false});
    client one{sockets->where.port};
    one.send("PROXY TCP4 192.0.2.7 10.0.0.1 1 2\r\n" + get);
    REQUIRE(on.see(1));
    CHECK(to_string(on.seen->at(0).request->peer) ==
          (trusted == std::string{"127.0.0.0/8"} ? "192.0.2.7" : "127.0.0.1"));
  }
}

TEST_CASE("an urgent byte is read like others") {
  transport_bench on;
  on.attach();
  // The first read is small, so that it stops at the urgent byte and the rest comes without an
  // event.
  client one{on.port};
  one.send("GET /x HTTP/1.1\r\nHost: ");
  one.send_urgent('h');
  one.send("ost\r\n\r\n");
  REQUIRE(on.see(1));
  CHECK(on.seen->at(0).request->get(header::host) == "host");
  on.answer(on.seen->at(0), "{}");
  CHECK(on.sees(one, "{}"));
}

TEST_CASE("what pools keep and nobody needs is given back") {
  transport_bench on;
  on.attach();
  client one{on.port};
  one.send(get);
  REQUIRE(on.see(1));
  on.answer(on.seen->at(0), "{}");
  REQUIRE(on.sees(one, "{}"));
  const auto pooled = on.last_request;
  on.settle();
  CHECK(!pooled.expired());
  for (int i = 0; i < 2; ++i) {
    on.clock.advance(loop_transport::tidy_interval + timer_queue::tick);
    on.turn();
  }
  CHECK(pooled.expired());
}

TEST_CASE("fast readers of long answers take bounded turns") {
  constexpr std::size_t readers = 24; // several times what one turn serves
  transport_bench on;
  on.attach();
  const auto body = std::make_shared<const std::string>(64UL * 1024 * 1024, 'x');
  std::vector<std::unique_ptr<client>> all;
  for (std::size_t i = 0; i < readers; ++i) {
    all.push_back(std::make_unique<client>(on.port));
    all.back()->send(get);
  }
  REQUIRE(on.see(readers));
  for (const auto& task : *on.seen) {
    response with;
    with.body = body;
    with.body_leased = true;
    on.transport->exchanges().answer(task.exchange, std::move(with));
  }
  std::vector<std::size_t> got(readers);
  std::size_t longest_turn = 0;
  const auto turn = [&] {
    const auto before = on.counted().sent_bytes.get();
    on.turn();
    longest_turn = std::max<std::size_t>(longest_turn, on.counted().sent_bytes.get() - before);
  };
  const auto take = [&] {
    for (std::size_t i = 0; i < readers; ++i)
      got[i] += all[i]->taken();
  };
  for (int turns = 0; turns < 100; ++turns) {
    turn();
    take();
  }
  // All sockets are full at first, then all become writable at once.
  for (int turns = 0; turns < 500; ++turns)
    turn();
  take();
  for (int turns = 0; turns < 100; ++turns)
    turn();
  CHECK(longest_turn <= loop_transport::write_turn_bytes + reply_sender::flush_turn_bytes);
  const auto [least, most] = std::minmax_element(got.begin(), got.end());
  INFO("the slowest got " << *least << " bytes, the fastest " << *most);
  CHECK(*least >= *most / 4);
}

/// A copy of the server's end of a connection to `port`, such as a process that was forked to start
/// another program has until it does.
base::file_descriptor copy_of_accepted(std::uint16_t port) {
  for (int fd = 0; fd < 1'024; ++fd) {
    sockaddr_in own{};
    sockaddr_in peer{};
    socklen_t length = sizeof own;
    socklen_t peer_length = sizeof peer;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
        ntohs(own.sin_port) == port &&
        ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_length) == 0)
      return base::file_descriptor{::dup(fd)};
  }
  return {};
}

/// Whether an epoll instance of this process watches the file.
bool is_watched(const base::file_descriptor& file) {
  struct stat status {};
  REQUIRE(::fstat(file.get(), &status) == 0);
  std::ostringstream mark;
  mark << "ino:" << std::hex << status.st_ino << ' ';
  for (const auto& each : std::filesystem::directory_iterator{"/proc/self/fdinfo"}) {
    std::ifstream from{each.path()};
    for (std::string line; std::getline(from, line);)
      if (line.starts_with("tfd:") && line.find(mark.str()) != line.npos) return true;
  }
  return false;
}

TEST_CASE("a closed connection is unwatched even if its socket is shared") {
  transport_bench on;
  on.attach();
  client one{on.port};
  one.send(get);
  REQUIRE(on.see(1));
  const auto copy = copy_of_accepted(on.port);
  REQUIRE(copy);
  REQUIRE(on.turn_until([&] { return is_watched(copy); }));
  on.answer(on.seen->at(0), "hello");
  CHECK(on.sees(one, "hello"));
  one.close();
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 0; }));
  CHECK_FALSE(is_watched(copy));
}

TEST_CASE("draining: no new connections, answers close, idle ones go when told") {
  transport_bench on;
  on.attach();
  client busy{on.port};
  client idle{on.port};
  busy.send(get);
  REQUIRE(on.see(1));
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 2; }));
  client queued{on.port}; // in the backlog: still served
  on.transport->begin_drain();
  CHECK(on.transport->connection_count() == 3);
  CHECK(on.emptied == 0);
  CHECK(check_free(endpoint{loopback.address, on.port}));
  on.answer(on.seen->at(0), "{}");
  CHECK(on.sees(busy, "Connection: close\r\n"));
  busy.close();
  on.transport->close_idle();
  CHECK(on.turn_until([&] { return idle.ended() && queued.ended(); }));
  idle.close();
  queued.close();
  CHECK(on.turn_until([&] { return on.emptied == 1; }));
  CHECK(on.bounds.connections == 0);
}

TEST_CASE("draining without connections is over at once") {
  transport_bench on;
  on.transport->begin_drain();
  CHECK(on.emptied == 1);
}

TEST_CASE("the end of draining answers what waits with 503 and closes everything") {
  transport_bench on;
  on.attach();
  client busy{on.port};
  client idle{on.port};
  busy.send(get);
  REQUIRE(on.see(1));
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 2; }));
  on.transport->begin_drain();
  on.transport->end_now();
  CHECK(on.sees(busy, "\"code\":\"draining\""));
  CHECK(on.turn_until([&] { return on.emptied == 1 && idle.ended(); }));
  CHECK(idle.received().empty());
  CHECK(on.counted().in_flight.load() == 1); // its message is still with the front
  on.seen->clear();
  CHECK(on.counted().in_flight.load() == 0);
}

/// A file evicted from the page cache, if the file system permits it.
struct cold_file {
  temporary_directory folder;
  std::string content = numbered_bytes(300'000);
  std::shared_ptr<const base::open_file> file = open_shared(folder, content);

  bool forget() {
    ::fsync(file->descriptor());
    ::posix_fadvise(file->descriptor(), 0, 0, POSIX_FADV_DONTNEED);
    return !file->is_resident(0, file->size_bytes());
  }
  response answer() const {
    response with;
    with.body = file_range{file, 0, file->size_bytes()};
    return with;
  }
};

TEST_CASE("a file is sent over a socket, in memory or not") {
  for (const bool cold : {false, true}) {
    CAPTURE(cold);
    cold_file stored;
    stored.file->read_ahead(0, stored.file->size_bytes());
    if (cold && !stored.forget()) {
      WARN("this file system keeps what it is told to forget: not tested");
      return;
    }
    transport_bench on;
    on.attach();
    client one{on.port};
    one.send(get);
    REQUIRE(on.see(1));
    on.transport->exchanges().answer(on.seen->at(0).exchange, stored.answer());
    REQUIRE(on.turn_until([&] {
      // Only the pool reads from disk.
      on.pool.run_one();
      return one.received().size() > stored.content.size();
    }));
    CHECK(on.turn_until([&] { return one.received().ends_with("\r\n\r\n" + stored.content); }));
  }
}

TEST_CASE("a file read for an ended connection is ignored") {
  cold_file stored;
  if (!stored.forget()) {
    WARN("this file system keeps what it is told to forget: not tested");
    return;
  }
  transport_bench on;
  on.attach();
  auto one = std::make_unique<client>(on.port);
  one->send(get);
  REQUIRE(on.see(1));
  on.transport->exchanges().answer(on.seen->at(0).exchange, stored.answer());
  REQUIRE(on.turn_until([&] { return on.pool.tasks.size() == 1; }));
  on.transport->end_now();
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == 0; }));
  client two{on.port};
  two.send(get);
  REQUIRE(on.see(2));
  CHECK(on.pool.run_one());
  on.settle();
  CHECK(two.received().empty());
  on.answer(on.seen->at(1), "for the second");
  CHECK(on.sees(two, "\r\n\r\nfor the second"));
}

TEST_CASE("a full pool does not keep a file from being sent") {
  cold_file stored;
  if (!stored.forget()) {
    WARN("this file system keeps what it is told to forget: not tested");
    return;
  }
  transport_bench on;
  on.pool.full = true;
  on.attach();
  client one{on.port};
  one.send(get);
  REQUIRE(on.see(1));
  on.transport->exchanges().answer(on.seen->at(0).exchange, stored.answer());
  CHECK(on.turn_until([&] { return one.received().ends_with(stored.content); }));
}

TEST_CASE("connections are read in turns of their clients") {
  named_clients clients;
  auto& on = clients.on;
  on.attach();
  constexpr std::size_t many = 3 * loop_transport::reads_per_turn;
  for (std::size_t i = 0; i < many; ++i)
    clients.ask_as("192.0.2.1", "GET /x HTTP/1.1\r\n");
  REQUIRE(on.turn_until([&] { return on.transport->connection_count() == many; }));
  clients.ask_as("192.0.2.2", "GET /x HTTP/1.1\r\n");
  on.settle();
  for (const auto& each : clients.all)
    each->send("Host: h\r\n\r\n");
  on.turn(); // all are readable, and a part of them is read
  on.turn();
  const bool served = std::ranges::any_of(
      *on.seen, [](const auto& each) { return to_string(each.request->peer) == "192.0.2.2"; });
  CHECK(served);
  CHECK(on.seen->size() < many);
}

} // namespace
} // namespace matchcloud::http
