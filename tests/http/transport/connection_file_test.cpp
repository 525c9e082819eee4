// Sending bodies that the connection does not own: files, and large shared bytes.
#include "tests/fixtures/shared_file.hpp"
#include "tests/http/transport/connection_fixture.hpp"

namespace matchcloud::http {
namespace {

using namespace fixtures;

constexpr std::size_t file_bytes = 1'000'000;
const std::string content = numbered_bytes(file_bytes);
const std::string get_file = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";

struct connection_file_bench : connection_bench {
  temporary_directory folder;
  std::shared_ptr<const base::open_file> file = open_shared(folder, content);

  using connection_bench::connection_bench;

  response file_answer(std::uint64_t offset = 0, std::uint64_t length = file_bytes) const {
    response made;
    made.content_type = "image/png";
    made.body = file_range{file, offset, length};
    return made;
  }
  void reply_file(std::uint64_t offset = 0, std::uint64_t length = file_bytes) {
    answer(file_answer(offset, length));
    end_turn();
  }
  /// Everything written after the first empty line.
  std::string body() const {
    const auto all = peer.written();
    const auto end = all.find("\r\n\r\n");
    return end == std::string::npos ? std::string{} : all.substr(end + 4);
  }
};

TEST_CASE("a file is sent behind its head, and then let go of") {
  connection_file_bench on;
  on.receive(get_file);
  on.reply_file();
  CHECK(on.wrote("Content-Length: 1000000\r\n"));
  CHECK(on.body() == content);
  CHECK(on.file.use_count() == 1);
  CHECK(on.buffers_out == 0);
  on.receive(get_file);
  on.reply("{}");
  CHECK(on.written().ends_with("\r\n\r\n{}"));
}

TEST_CASE("the head says that a file follows, nothing else does") {
  connection_file_bench on;
  on.receive(get_file);
  on.reply_file(0, 1'000);
  CHECK(on.peer.more == std::vector<bool>{true, false});
  on.peer.more.clear();
  on.receive(get_file);
  on.reply("{}");
  on.receive(get_file);
  on.answer(shared_answer(100'000, 'x'));
  on.end_turn();
  CHECK(on.peer.more == std::vector<bool>{false, false});
}

TEST_CASE("HEAD, 304 and empty files send the head alone") {
  connection_file_bench on;
  on.receive("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n");
  on.reply_file();
  CHECK(on.wrote("Content-Length: 1000000\r\n"));
  CHECK(on.body().empty());
  CHECK(on.file.use_count() == 1);

  connection_file_bench unmodified;
  unmodified.receive(get_file);
  auto answer = unmodified.file_answer();
  answer.status = 304;
  unmodified.answer(std::move(answer));
  unmodified.end_turn();
  CHECK_FALSE(unmodified.wrote("Content-Length"));
  CHECK(unmodified.body().empty());

  connection_file_bench empty;
  empty.receive(get_file + get_file);
  empty.reply_file(0, 0);
  CHECK(empty.wrote("Content-Length: 0\r\n"));
  CHECK(empty.client->waiting()); // ready for the next request
}

TEST_CASE("a request behind a file is handled after the file's last byte") {
  for (const std::size_t left : {1UL, 1'000UL, 100'000UL, file_bytes}) {
    CAPTURE(left);
    connection_file_bench on;
    on.receive(get_file + get_file + get_file);
    on.peer.room = 0;
    on.reply_file();
    CHECK(on.dispatched.size() == 1);
    on.peer.room = file_bytes - left;
    on.event(EPOLLOUT);
    on.receive(get_file);
    CHECK(on.dispatched.size() == 1);
    on.peer.room = SIZE_MAX;
    on.event(EPOLLOUT);
    REQUIRE(on.dispatched.size() == 2);
    on.reply_file(0, 500);
    on.reply("last");
    const auto body = on.body();
    CHECK(body.compare(0, file_bytes, content) == 0);
    CHECK(body.compare(file_bytes, 8, "HTTP/1.1") == 0);
    CHECK(body.ends_with("\r\n\r\nlast"));
    CHECK(on.dispatched.size() == 4);
  }
}

TEST_CASE("short writes lose nothing of a file, which takes no budget") {
  http::limits none;
  none.byte_budget_bytes = 1;
  connection_file_bench on{none};
  on.receive(get_file);
  on.peer.most_per_write = 7'001;
  on.peer.room = 0;
  on.reply_file();
  CHECK(on.peer.writes.empty());
  CHECK(on.budget().used_bytes() == 0);
  for (int i = 0; i < 2'000 && on.body().size() < file_bytes; ++i) {
    on.peer.room = 9'973;
    on.event(EPOLLOUT);
  }
  CHECK(on.body() == content);
}

TEST_CASE("shared bytes that are leased already are not leased again") {
  http::limits small;
  small.byte_budget_bytes = 50'000;
  connection_file_bench on{small};
  on.receive(get_file + get_file);
  auto large = shared_answer(100'000, 'x');
  large.body_leased = true;
  on.peer.room = 0;
  on.answer(std::move(large));
  on.end_turn();
  CHECK(on.budget().used_bytes() < reply_sender::head_room_bytes);
  on.peer.room = SIZE_MAX;
  on.event(EPOLLOUT);
  CHECK(on.written().ends_with(std::string(100'000, 'x')));
  // Once copied behind the head, the body is no longer only the lender's.
  auto copied = shared_answer(reply_sender::copied_body_bytes, 'y');
  copied.body_leased = true;
  on.peer.room = 0;
  on.answer(std::move(copied));
  CHECK(on.budget().used_bytes() ==
        reply_sender::copied_body_bytes + reply_sender::head_room_bytes);
}

TEST_CASE("per turn a connection sends a bounded amount, of whatever kind") {
  const auto sent_in_a_turn = [](connection_bench& on) {
    const auto before = on.written().size();
    REQUIRE(on.waiting_for(step::write).size() == 1);
    on.take_turns(step::write);
    on.client->on_events(EPOLLOUT); // events during a turn do not add a second turn
    return on.written().size() - before;
  };
  connection_file_bench on;
  for (int kind = 0; kind < 3; ++kind) {
    CAPTURE(kind);
    on.receive(get_file);
    on.answer(kind == 0   ? on.file_answer()
              : kind == 1 ? shared_answer(file_bytes, 'x')
                          : json_answer(std::string(file_bytes, 'y')));
    std::size_t all = 0;
    for (int turns = 0; turns < 4; ++turns) {
      const auto sent = sent_in_a_turn(on);
      CHECK(sent <= reply_sender::flush_turn_bytes);
      CHECK(sent > 0);
      all += sent;
    }
    CHECK(all > file_bytes);
    CHECK(on.waiting_for(step::write).empty());
  }
}

TEST_CASE("a file that is not in memory is read ahead before it is sent") {
  connection_file_bench on;
  on.cold = true;
  on.receive(get_file);
  on.reply_file();
  const auto head_bytes = on.written().size();
  CHECK(on.body().empty());
  REQUIRE(on.asked_for.size() == 1);
  CHECK(on.asked_for[0].first == 0);
  CHECK(on.asked_for[0].second <= reply_sender::flush_turn_bytes);
  on.event(EPOLLOUT);
  CHECK(on.written().size() == head_bytes);
  CHECK(on.asked_for.size() == 1);
  for (int i = 0; i < 10 && on.body().size() < file_bytes; ++i) {
    on.client->file_ready();
    on.end_turn();
    // What was read is sent, and the next part is requested from there.
    if (on.body().size() < file_bytes) {
      CHECK(on.asked_for.back().first == on.body().size());
      CHECK(on.asked_for.size() == static_cast<std::size_t>(i) + 2);
    }
  }
  CHECK(on.body() == content);
}

TEST_CASE("a request behind a cold file is handled") {
  connection_file_bench on;
  on.cold = true;
  on.receive(get_file + get_file);
  on.reply_file(0, 1'000);
  SECTION("framed when the last byte of the file is on its way") {}
  SECTION("nor is one that came while the file was read") {
    on.receive(get_file);
  }
  on.client->file_ready();
  on.end_turn();
  CHECK(on.body() == content.substr(0, 1'000));
  CHECK(on.dispatched.size() == 2);

  connection_file_bench alone;
  alone.cold = true;
  alone.receive(get_file);
  alone.reply_file(0, 1'000);
  alone.receive(get_file);
  CHECK(alone.dispatched.size() == 1);
  alone.client->file_ready();
  alone.end_turn();
  CHECK(alone.dispatched.size() == 2);
}

TEST_CASE("a file's next part is read ahead once per flush") {
  connection_file_bench on;
  on.peer.room = 100'000;
  on.peer.most_per_write = 10'000;
  on.receive(get_file);
  on.reply_file();
  CHECK(on.asked_for.size() == 1);
  on.peer.room = 100'000;
  on.event(EPOLLOUT);
  REQUIRE(on.asked_for.size() == 2);
  CHECK(on.asked_for[1].first == on.body().size() - 100'000);
}

TEST_CASE("file_ready is ignored by connections that wait for no file") {
  connection_file_bench on;
  on.client->file_ready();
  on.receive(get_file);
  on.client->file_ready();
  on.reply("{}");
  CHECK(on.written().ends_with("{}"));
  connection_file_bench gone;
  gone.cold = true;
  gone.receive(get_file);
  gone.reply_file();
  gone.client->end_now();
  CHECK(gone.client->is_closed());
  gone.client->file_ready();
  CHECK(gone.peer.destroyed);
}

TEST_CASE("a file that is shorter than promised cuts its connection") {
  connection_file_bench on;
  on.file = open_shared(on.folder, std::string_view{content}.substr(0, 1'000), 2'000);
  on.receive(get_file + get_file);
  on.reply_file(0, 2'000);
  CHECK(on.body() == content.substr(0, 1'000));
  CHECK(on.client->is_closed());
  CHECK(on.dispatched.size() == 1);
}

TEST_CASE("the end of draining cuts a body without a further answer") {
  for (const bool of_file : {true, false}) {
    CAPTURE(of_file);
    connection_file_bench on;
    on.receive(get_file + get_file);
    on.peer.room = 100'000;
    if (of_file)
      on.reply_file();
    else
      on.answer(shared_answer(file_bytes, 'x'));
    on.end_turn();
    const auto expected = of_file ? content : std::string(file_bytes, 'x');
    on.draining = true;
    on.peer.room = 50'000;
    on.client->end_now();
    CHECK(on.client->is_closed());
    // A client resumes after the bytes that it received.
    CHECK(!on.body().empty());
    CHECK(expected.starts_with(on.body()) == true);
    CHECK(on.requests_out == 0);
  }
}

TEST_CASE("Connection: close closes behind a file part's last byte") {
  connection_file_bench on;
  on.peer.room = 0;
  on.receive("GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  on.reply_file(123'456, 300'000);
  CHECK(!on.client->is_closed());
  on.peer.room = SIZE_MAX;
  on.event(EPOLLOUT);
  CHECK(on.body() == content.substr(123'456, 300'000));
  CHECK(on.client->is_closed());
}

TEST_CASE("a file that cannot be read in time cuts its connection") {
  http::limits limits;
  limits.idle_timeout = std::chrono::milliseconds{1'000};
  connection_file_bench on{limits};
  const temporary_directory folder;
  on.cold = true;
  on.receive(get_file + "GET /next");
  response with_file;
  with_file.content_type = "text/plain";
  with_file.body = file_range{open_shared(folder, "0123456789"), 0, 10};
  on.answer(std::move(with_file));
  on.end_turn();
  const auto head = on.written();
  on.advance(limits.idle_timeout + timer_queue::tick);
  CHECK(on.client->is_closed());
  CHECK(on.written() == head);
}

} // namespace
} // namespace matchcloud::http
