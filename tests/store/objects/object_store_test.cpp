// Objects, on every engine, and their names.
#include "base/clock.hpp"
#include "store/object_name.hpp"
#include "tests/catch.hpp"
#include "tests/store/objects/object_engines.hpp"
#include "tests/store/store_fixture.hpp"

#include <rapidcheck.h>

#include <atomic>
#include <filesystem>
#include <thread>

namespace matchcloud::store {
namespace {

using std::chrono::seconds;

const std::string type = "text/csv";

TEST_CASE("an object is read as it was stored, by other processes too", "[objects]") {
  conforming_objects on;
  const auto bytes = some_bytes(100'000);
  const auto before_ts = base::machine_clock().unix_ms();
  CHECK(had(on.store->put_new(named("media/ab/c.png"), bytes, type)) == object_outcome::stored);
  const auto other = on.fresh->open();
  CHECK(content_of(*other, "media/ab/c.png") == bytes);
  const auto facts = had(other->stat(named("media/ab/c.png")));
  REQUIRE(facts.has_value());
  CHECK(facts->size_bytes == bytes.size());
  CHECK(facts->stored_ts >= before_ts - 2'000);
  CHECK(facts->stored_ts <= base::machine_clock().unix_ms() + 2'000);
}

TEST_CASE("an object may be empty", "[objects]") {
  conforming_objects on;
  had(on.store->put_new(named("a"), "", type));
  had(had(on.store->begin_upload(named("b"), type))->complete());
  CHECK(content_of(*on.store, "a") == "");
  CHECK(content_of(*on.store, "b") == "");
  CHECK(listed(*on.store) == std::vector<std::string>{"a 0", "b 0"});
}

TEST_CASE("there is nothing under a name that was not written", "[objects]") {
  conforming_objects on;
  had(on.store->put_new(named("a/b"), "x", type));
  for (const auto* const name : {"b", "a", "a/c", "A/b"}) {
    CHECK(!content_of(*on.store, name));
    CHECK(!had(on.store->stat(named(name))));
    had(on.store->remove(named(name)));
  }
  CHECK(content_of(*on.store, "a/b") == "x");
}

TEST_CASE("a name is written once", "[objects]") {
  conforming_objects on;
  had(on.store->put_new(named("a"), "first", type));
  CHECK(had(on.store->put_new(named("a"), "second", type)) == object_outcome::was_there);
  const auto upload = had(on.store->begin_upload(named("a"), type));
  had(upload->append(some_bytes(on.fresh->long_bytes() + 1)));
  CHECK(had(upload->complete()) == object_outcome::was_there);
  CHECK(content_of(*on.store, "a") == "first");
  CHECK(on.fresh->unfinished() == 0);
}

TEST_CASE("of threads that write a name at once, one succeeds", "[objects]") {
  conforming_objects on;
  std::atomic<int> stored{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&, i] {
      const auto put = on.store->put_new(named("x/y"), std::to_string(i), type);
      if (put && *put == object_outcome::stored) ++stored;
    });
  for (auto& each : threads)
    each.join();
  CHECK(stored == 1);
  CHECK(listed(*on.store) == std::vector<std::string>{"x/y 1"});
}

TEST_CASE("some of an object's bytes are read", "[objects]") {
  conforming_objects on;
  const auto bytes = some_bytes(10'000);
  had(on.store->put_new(named("a"), bytes, type));
  CHECK(content_of(*on.store, "a", object_range{0, 1}) == bytes.substr(0, 1));
  CHECK(content_of(*on.store, "a", object_range{17, 4'000}) == bytes.substr(17, 4'000));
  CHECK(content_of(*on.store, "a", object_range{9'999, 1}) == bytes.substr(9'999));
  CHECK(content_of(*on.store, "a", object_range{9'000, ~std::uint64_t{0}}) == bytes.substr(9'000));
  const auto behind =
      on.store->read(named("a"), object_range{10'000, 1}, [](std::string_view) { return true; });
  REQUIRE(!behind.has_value());
  CHECK(behind.error().code == base::errc::range_not_satisfiable);
  CHECK(!content_of(*on.store, "b", object_range{0, 1}));
}

TEST_CASE("bytes come in pieces, until they are not wanted", "[objects]") {
  conforming_objects on;
  const auto bytes = some_bytes(on.fresh->long_bytes());
  had(on.store->put_new(named("a"), bytes, type));
  std::size_t pieces = 0;
  const auto read = on.store->read(named("a"), {}, [&](std::string_view piece) {
    CHECK(!piece.empty());
    CHECK(piece.size() <= 64UL * 1024);
    return ++pieces < 3;
  });
  REQUIRE(!read.has_value());
  CHECK(read.error().code == base::errc::cancelled);
  CHECK(pieces == 3);
  CHECK(content_of(*on.store, "a") == bytes);
}

TEST_CASE("an upload of any length is one object, which nobody sees before", "[objects]") {
  conforming_objects on;
  const auto unit = on.fresh->long_bytes();
  for (const auto size : {std::size_t{1}, unit - 1, unit, unit + 1, 3 * unit, 4 * unit + 7}) {
    CAPTURE(size);
    const auto bytes = some_bytes(size, size);
    const auto name = "exports/" + std::to_string(size);
    auto upload = had(on.store->begin_upload(named(name), type));
    for (std::size_t at = 0; at < size; at += 700'000)
      had(upload->append(std::string_view{bytes}.substr(at, 700'000)));
    CHECK(listed(*on.store).empty());
    CHECK(!content_of(*on.store, name));
    CHECK(had(upload->complete()) == object_outcome::stored);
    CHECK(content_of(*on.store, name) == bytes);
    CHECK(content_of(*on.store, name, object_range{size / 2, 10}) == bytes.substr(size / 2, 10));
    upload.reset();
    had(on.store->remove(named(name)));
    CHECK(on.fresh->unfinished() == 0);
  }
  CHECK(listed(*on.store).empty());
}

TEST_CASE("an upload that is not completed leaves nothing behind", "[objects]") {
  conforming_objects on;
  for (const auto size : {std::size_t{0}, std::size_t{1}, 3 * on.fresh->long_bytes()}) {
    auto upload = had(on.store->begin_upload(named("a"), type));
    had(upload->append(some_bytes(size)));
    upload.reset();
    CHECK(listed(*on.store).empty());
    CHECK(on.fresh->unfinished() == 0);
  }
}

TEST_CASE("objects are listed by folder, however many there are", "[objects]") {
  conforming_objects on;
  for (const auto* const name : {"a/1", "a/2/3", "ab/4", "b"})
    had(on.store->put_new(named(name), "x", type));
  CHECK(listed(*on.store) == std::vector<std::string>{"a/1 1", "a/2/3 1", "ab/4 1", "b 1"});
  CHECK(listed(*on.store, "a") == std::vector<std::string>{"a/1 1", "a/2/3 1"});
  CHECK(listed(*on.store, "a/2") == std::vector<std::string>{"a/2/3 1"});
  CHECK(listed(*on.store, "b").empty());
  CHECK(listed(*on.store, "c").empty());
  std::size_t seen = 0;
  had(on.store->list({}, [&](const object_name&, const object_facts&) { return ++seen < 2; }));
  CHECK(seen == 2);
}

TEST_CASE("a removed object is gone, and its name is free again", "[objects]") {
  conforming_objects on;
  had(on.store->put_new(named("a/b"), "first", type));
  had(on.store->remove(named("a/b")));
  CHECK(listed(*on.store).empty());
  CHECK(!content_of(*on.store, "a/b"));
  had(on.store->remove(named("a/b")));
  CHECK(had(on.store->put_new(named("a/b"), "second", type)) == object_outcome::stored);
  CHECK(content_of(*on.store, "a/b") == "second");
}

TEST_CASE("leftovers are collected, and what is in progress is not", "[objects]") {
  conforming_objects on;
  const auto upload = had(on.store->begin_upload(named("a"), type));
  const auto bytes = some_bytes(2 * on.fresh->long_bytes());
  had(upload->append(bytes));
  CHECK(had(on.fresh->open()->collect_leftovers(seconds{3'600})) == 0);
  CHECK(had(upload->complete()) == object_outcome::stored);
  CHECK(content_of(*on.store, "a") == bytes);
}

TEST_CASE("a stopped store ends what waits and refuses what comes", "[objects]") {
  conforming_objects on;
  had(on.store->put_new(named("a"), "x", type));
  const auto upload = had(on.store->begin_upload(named("b"), type));
  had(upload->append(some_bytes(on.fresh->long_bytes() + 1)));
  on.store->stop();
  const auto put = on.store->put_new(named("c"), "x", type);
  REQUIRE(!put.has_value());
  CHECK(put.error().code == base::errc::cancelled);
  CHECK(on.store->stat(named("a")).error().code == base::errc::cancelled);
  CHECK(upload->complete().error().code == base::errc::cancelled);
  CHECK(listed(*on.fresh->open()) == std::vector<std::string>{"a 1"});
}

TEST_CASE("a link is for 1 s to 7 days", "[objects]") {
  conforming_objects on;
  const auto link = on.store->link(named("a"), {object_link::method::get, seconds{60}, {}, {}});
  REQUIRE(link.has_value());
  if (!*link) return; // an engine without links
  for (const auto bad : {seconds{0}, seconds{-1}, link_lifetime_limit + seconds{1}}) {
    const auto refused = on.store->link(named("a"), {object_link::method::get, bad, {}, {}});
    REQUIRE(!refused.has_value());
    CHECK(refused.error().code == base::errc::config_invalid);
  }
}

TEST_CASE("a store counts what it asks its service, if it has one", "[objects]") {
  conforming_objects on;
  const auto bytes = some_bytes(2 * on.fresh->long_bytes() + 3);
  const auto begun_ts = base::machine_clock().unix_ms();
  had(on.store->put_new(named("a"), bytes, type));
  const auto stored = counts_of(*on.store);
  CHECK(content_of(*on.store, "a") == bytes);
  CHECK(!had(on.store->stat(named("b"))));
  const auto counts = counts_of(*on.store);
  if (counts.in_progress_limit == 0) {
    CHECK(counts == object_counts{});
    return;
  }
  CHECK(stored.sent_bytes >= bytes.size());
  CHECK(counts.received_bytes - stored.received_bytes == bytes.size());
  CHECK(counts.succeeded > stored.succeeded);
  CHECK(counts.failed == 0);
  CHECK(counts.in_progress == 0);
  CHECK(counts.answered_ts >= begun_ts);
}

TEST_CASE("an object's name is parts between slashes") {
  for (const auto* const good : {"a", "a/b", "media/ab/0-1_2.png", "...", "a/.b/c..", "-/_"})
    CHECK(object_name::parse(good)->text() == good);
  for (const auto* const bad : {"", "/", "a/", "/a", "a//b", ".", "..", "a/./b", "a/..", "../a",
                                "a b", "a\\b", "a?b", "a%2fb", "\xc3\xa4", "a\n"})
    CHECK(!object_name::parse(bad));
  CHECK(object_name::parse(std::string(255, 'a')).has_value());
  CHECK(!object_name::parse(std::string(256, 'a')).has_value());
  CHECK(object_name::parse(std::string(255, 'a') + "/" + std::string(255, 'a')).has_value());
  CHECK(
      !object_name::parse(std::string(255, 'a') + "/" + std::string(255, 'a') + "/a").has_value());
}

TEST_CASE("any name is a path that stays below its folder") {
  CHECK(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', '.', '/', '-', ' '));
    const auto name = object_name::parse(text);
    if (!name) return;
    const auto path = std::filesystem::path{"/root/" + name->text()}.lexically_normal().string();
    RC_ASSERT(path == "/root/" + text);
  }));
}

} // namespace
} // namespace matchcloud::store
