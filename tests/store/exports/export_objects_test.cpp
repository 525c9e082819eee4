#include "store/exports/export_objects.hpp"

#include "store/open_store.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/memory_objects.hpp"
#include "tests/store/exports/export_fixture.hpp"
#include "tests/store/store_fixture.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::store {

namespace {

using base::errc;
using fixtures::object_call;
using std::chrono::hours;
using std::chrono::milliseconds;

constexpr milliseconds timeout{600'000};

struct export_objects_bench {
  fixtures::temporary_directory directory;
  std::shared_ptr<fixtures::memory_objects> objects = std::make_shared<fixtures::memory_objects>();
  moved_clock clock;
  base::byte_budget budget{10'000'000};
  std::shared_ptr<database> records = open_records();
  std::uint64_t limit_bytes;
  std::size_t share_percent = 100;
  objects_delivery delivery;
  std::uint8_t owners = 200;
  /// Nothing is renewed unless a test says so, but for what is noted.
  milliseconds renewal_interval = hours{1};
  std::unique_ptr<export_objects> exports;

  explicit export_objects_bench(std::uint64_t limit = no_limit,
                                objects_delivery how = objects_delivery::through)
      : limit_bytes{limit}, delivery{how}, exports{open()} {
    objects->now_ts = now_ts();
  }

  /// Sessions are not reused, so that a database that is gone is noticed.
  std::shared_ptr<database> open_records() const {
    store_settings settings;
    settings.sessions.idle = 0;
    return had(open_sqlite(directory.path("db"), settings));
  }
  /// Opens the exports as another process would.
  std::unique_ptr<export_objects> open() {
    export_objects_settings settings;
    settings.objects = objects;
    settings.records = open_records();
    settings.owner = export_id_of(++owners);
    settings.delivery = delivery;
    settings.budget = &budget;
    settings.clock = &clock;
    settings.limit_bytes = limit_bytes;
    settings.game_share_percent = share_percent;
    settings.timeout = timeout;
    settings.renewal_interval = renewal_interval;
    return std::make_unique<export_objects>(settings);
  }

  std::int64_t now_ts() const { return clock.unix_ms(); }
  void move(milliseconds by) {
    clock.move(by);
    objects->now_ts = now_ts();
  }
  /// An export that is valid for some time from now on.
  export_facts valid(std::uint8_t number, milliseconds time = hours{1'000}) const {
    return facts_of(number, now_ts() + time.count());
  }
  void sweep() const { had(exports->sweep(now_ts())); }

  /// The existing records, as numbers of their exports; those that are not complete are negative.
  std::vector<int> noted() const {
    std::vector<int> numbers;
    had(had(records->exports())->read_exports([&](const export_record& each) {
      const int number = each.facts.export_id.bytes[15];
      numbers.push_back(each.is_complete ? number : -number);
      return true;
    }));
    return numbers;
  }
  void forget(std::uint8_t number) const {
    had(had(records->exports())->forget_export({facts_of(number)}));
  }
  /// Notes that a process begins an export, which it does not.
  void claim(std::uint8_t number, std::int64_t begun_ts) const {
    const auto facts = facts_of(number);
    export_claim claim{facts.query, facts.export_id, export_id_of(99), export_lease_time, begun_ts};
    REQUIRE(had(had(records->exports())->claim_export(claim)).is_own);
  }
  void take_database_away() const {
    std::filesystem::rename(directory.path("db"), directory.path("away"));
  }
  void bring_database_back() const {
    std::filesystem::rename(directory.path("away"), directory.path("db"));
  }
};

std::string object_of(std::uint8_t number) {
  return "exports/" + model::to_string(export_id_of(number)) + "/1";
}

TEST_CASE("an export that was given up while the database was away is begun again at once") {
  export_objects_bench on;
  auto draft = had(begin(*on.exports, 1));
  on.take_database_away();
  draft.reset();
  on.bring_database_back();
  draft = had(begin(*on.exports, 1));
  CHECK(had(on.exports->begin({facts_of(1).query, export_id_of(2)})).index() == 1); // in progress
  had(draft->append("a,b\r\n"));
  had(draft->publish(on.valid(1).keep_until_ts));
  CHECK(csv_of(*on.exports, 1) == "a,b\r\n");
}

TEST_CASE("an export in a bucket is found once it is published, by every process") {
  export_objects_bench on;
  const auto other = on.open();
  const auto facts = on.valid(1);
  auto draft = had(begin(*on.exports, 1));
  had(draft->append("a,b\r\n"));
  had(draft->append(""));
  had(draft->append("1,2\r\n"));
  CHECK(is_missing(*on.exports, 1));
  CHECK(on.noted() == std::vector{-1});
  CHECK(on.objects->names().empty());
  had(draft->publish(facts.keep_until_ts));
  draft.reset();
  for (auto* const each : {on.exports.get(), other.get()}) {
    CHECK(each->has(facts.export_id));
    const auto opened = had(each->open(facts.export_id));
    CHECK(opened->facts == facts);
    CHECK(opened->csv == nullptr);
    CHECK(opened->elsewhere.get.empty());
    const auto read = had(each->for_reader(opened));
    CHECK(read->facts == facts);
    CHECK(read->gzip == nullptr);
    CHECK(read->csv->size_bytes() == 10);
    CHECK(content_of(*read->csv) == "a,b\r\n1,2\r\n");
  }
  CHECK(on.exports->compress(export_id_of(1), {}).has_value()); // which buckets do not do
  CHECK(had(on.exports->open(export_id_of(1)))->gzip == nullptr);
  CHECK(on.objects->find(object_of(1))->content_type == export_csv_type);
  CHECK(on.objects->unfinished() == 0);
}

TEST_CASE("a download of an export is sent to the bucket, by its method, as a file") {
  export_objects_bench on{no_limit, objects_delivery::redirect};
  publish_ok(*on.exports, on.valid(1), "content");
  const auto opened = had(on.exports->open(export_id_of(1)));
  const auto as =
      " 60 " + std::string{export_csv_type} + " " + export_disposition(facts_of(1).query);
  CHECK(opened->elsewhere.get == "https://bucket/" + object_of(1) + " GET" + as);
  CHECK(opened->elsewhere.head == "https://bucket/" + object_of(1) + " HEAD" + as);
  CHECK(opened->csv == nullptr);
  CHECK(had(on.exports->for_reader(opened)) == opened);
  CHECK(on.budget.used_bytes() == 0);
  CHECK(on.objects->calls(object_call::stat) == 0);
  on.objects->fail(object_call::link);
  CHECK(on.exports->open(export_id_of(1)).error().code == errc::store_failed);
}

TEST_CASE("a draft that is dropped leaves neither an object nor a record nor bytes") {
  export_objects_bench on{100};
  {
    const auto draft = had(begin(*on.exports, 1));
    had(draft->append(std::string(60, 'x')));
    CHECK(on.exports->used_bytes() == 60);
    CHECK(on.objects->unfinished() == 1);
  }
  CHECK(on.exports->used_bytes() == 0);
  CHECK(on.objects->unfinished() == 0);
  CHECK(on.objects->names().empty());
  CHECK(on.noted().empty());
}

TEST_CASE("exactly the limit of bytes passes into a bucket, and one more does not") {
  export_objects_bench on{100};
  publish_ok(*on.exports, on.valid(1), std::string(40, 'a'));
  const auto draft = had(begin(*on.exports, 2));
  const auto other = had(begin(*on.exports, 3));
  had(draft->append(std::string(59, 'b')));
  CHECK(other->append("cc").error().code == errc::exports_full);
  had(draft->append("b"));
  CHECK(on.exports->used_bytes() == 100);
  CHECK(begin(*on.exports, 4).error().code == errc::exports_full);
  had(draft->publish(on.valid(2).keep_until_ts));
  CHECK(on.exports->used_bytes() == 100);
  CHECK(csv_of(*on.exports, 1) == std::string(40, 'a'));
  CHECK(csv_of(*on.exports, 2) == std::string(60, 'b'));
  CHECK(begin(*on.exports, 4).error().code == errc::exports_full);
  CHECK(on.noted() == std::vector{1, 2, -3});
  on.exports->remove(export_id_of(1));
  CHECK(on.exports->used_bytes() == 60);
  publish_ok(*on.exports, on.valid(4), std::string(40, 'd'));
}

TEST_CASE("a draft of which a piece did not fit is not published") {
  export_objects_bench on{10};
  auto draft = had(begin(*on.exports, 1));
  had(draft->append("12345"));
  CHECK(draft->append("123456").error().code == errc::exports_full);
  CHECK_FALSE(draft->append("1").has_value());
  CHECK_FALSE(draft->publish(on.valid(1).keep_until_ts).has_value());
  draft.reset();
  CHECK(is_missing(*on.exports, 1));
  CHECK(on.exports->used_bytes() == 0);
  CHECK(on.objects->names().empty());
  CHECK(on.noted().empty());
}

TEST_CASE("an export that the bucket does not take leaves nothing") {
  export_objects_bench on;
  const auto failing =
      GENERATE(object_call::begin_upload, object_call::append, object_call::complete);
  CAPTURE(static_cast<int>(failing));
  on.objects->fail(failing, failing == object_call::append ? 1 : 0);
  const auto done = begin(*on.exports, 1).and_then([&](const auto& draft) {
    return draft->append("first").and_then([&] { return draft->append("second"); }).and_then([&] {
      return draft->publish(on.valid(1).keep_until_ts);
    });
  });
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == errc::store_failed);
  CHECK(is_missing(*on.exports, 1));
  CHECK(on.noted().empty());
  CHECK(on.objects->names().empty());
  CHECK(on.objects->unfinished() == 0);
  CHECK(on.exports->used_bytes() == 0);
  on.objects->mend(failing);
  publish_ok(*on.exports, on.valid(1), "again");
  CHECK(csv_of(*on.exports, 1) == "again");
}

TEST_CASE("an export that the database does not take leaves nothing") {
  export_objects_bench on;
  on.take_database_away();
  CHECK(begin(*on.exports, 1).error().code == errc::store_failed);
  CHECK(on.objects->unfinished() == 0);
  on.bring_database_back();
  publish_ok(*on.exports, on.valid(1), "first");
  // Nor does one whose id is taken.
  CHECK(begin(*on.open(), 1).error().code == errc::store_failed);
  CHECK(on.objects->unfinished() == 0);
  CHECK(csv_of(*on.exports, 1) == "first");
}

TEST_CASE("what has the name of a new export stays as it is") {
  export_objects_bench on;
  on.objects->place(object_of(1), "of somebody else");
  const auto done = publish(*on.exports, on.valid(1), "mine");
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == errc::store_failed);
  CHECK(is_missing(*on.exports, 1));
  CHECK(on.noted().empty());
  CHECK(on.objects->find(object_of(1))->bytes == "of somebody else");
}

TEST_CASE("the object of an export that was given up is removed by a sweep at the latest") {
  export_objects_bench on;
  on.objects->fail(object_call::remove);
  {
    const auto draft = had(begin(*on.exports, 1));
    had(draft->append("late"));
    on.forget(1);
    const auto done = draft->publish(on.valid(1).keep_until_ts);
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == errc::store_failed);
  }
  CHECK(is_missing(*on.exports, 1));
  CHECK(on.exports->used_bytes() == 0);
  CHECK(on.objects->names() == std::vector{object_of(1)});
  on.objects->mend(object_call::remove);
  on.sweep();
  CHECK(on.objects->names() == std::vector{object_of(1)});
  on.move(leftovers_age + hours{1});
  on.sweep();
  CHECK(on.objects->names().empty());
}

TEST_CASE("an export whose record was not completed is left to a sweep") {
  export_objects_bench on;
  {
    const auto draft = had(begin(*on.exports, 1));
    had(draft->append("whole"));
    on.take_database_away();
    CHECK(draft->publish(on.valid(1).keep_until_ts).error().code == errc::store_failed);
  }
  on.bring_database_back();
  CHECK(on.exports->used_bytes() == 0);
  CHECK(is_missing(*on.exports, 1));
  CHECK(on.noted() == std::vector{-1});
  CHECK(on.objects->names() == std::vector{object_of(1)});
  on.move(timeout + given_up_after);
  on.sweep();
  CHECK(on.noted() == std::vector{-1});
  on.move(milliseconds{1});
  on.sweep();
  CHECK(on.noted().empty());
  CHECK(on.objects->names().empty());
}

TEST_CASE("while the database is away nobody can say that there is no such export") {
  export_objects_bench on;
  publish_ok(*on.exports, on.valid(1), "content");
  on.take_database_away();
  CHECK(on.exports->has(export_id_of(2)));
  CHECK(on.exports->open(export_id_of(2)).error().code == errc::store_failed);
  CHECK(csv_of(*on.exports, 1) == "content"); // known from before
  CHECK_FALSE(on.exports->sweep(on.now_ts()).has_value());
  on.exports->remove(export_id_of(1));
  on.bring_database_back();
  CHECK(csv_of(*on.exports, 1) == "content");
  CHECK_FALSE(on.exports->has(export_id_of(2)));
}

TEST_CASE("an export whose object cannot be removed keeps its record, and a sweep tries again") {
  export_objects_bench on;
  const auto facts = on.valid(1, hours{1});
  publish_ok(*on.exports, facts, "first");
  on.objects->fail(object_call::remove);
  on.exports->remove(export_id_of(1));
  CHECK(csv_of(*on.exports, 1) == "first");
  on.move(hours{1});
  CHECK_FALSE(on.exports->sweep(on.now_ts()).has_value());
  CHECK(on.noted() == std::vector{1});
  CHECK(on.exports->used_bytes() == 5);
  on.objects->mend(object_call::remove);
  on.sweep();
  CHECK(on.noted().empty());
  CHECK(on.objects->names().empty());
  CHECK(on.exports->used_bytes() == 0);
}

TEST_CASE("a sweep removes exports of a bucket that are over, and keeps the others") {
  export_objects_bench on;
  publish_ok(*on.exports, on.valid(1, milliseconds{1'000}), "over");
  publish_ok(*on.exports, on.valid(2, milliseconds{1'001}), "still");
  const auto draft = had(begin(*on.exports, 3));
  had(draft->append("being written"));
  on.move(milliseconds{999});
  on.sweep();
  CHECK(on.noted() == std::vector{1, 2, -3});
  on.move(milliseconds{1});
  on.sweep();
  CHECK(on.noted() == std::vector{2, -3});
  CHECK(on.objects->names() == std::vector{object_of(2)});
  CHECK(on.exports->used_bytes() == 5 + 13);
  had(draft->publish(on.valid(3).keep_until_ts));
  CHECK(csv_of(*on.exports, 3) == "being written");
}

TEST_CASE("objects without a record are removed when they are old, and nothing else") {
  export_objects_bench on;
  const auto begun_ts = on.now_ts();
  publish_ok(*on.exports, on.valid(1), "referred to");
  on.objects->place(object_of(2), "left", begun_ts);
  on.objects->place(object_of(3), "young", begun_ts + 1);
  const std::vector<std::string> foreign{"exports/notes", "exports/" + std::string(36, 'a') + "/1",
                                         object_of(4) + "/x", "media/ab/c.png"};
  for (const auto& name : foreign)
    on.objects->place(name, "foreign", begun_ts);
  on.claim(5, begun_ts + milliseconds{leftovers_age}.count());
  on.objects->place(object_of(5), "about to be noted", begun_ts);
  on.move(leftovers_age);
  on.sweep();
  CHECK(on.objects->find(object_of(2)));
  on.move(leftovers_interval);
  on.objects->place(object_of(3), "young", begun_ts + milliseconds{leftovers_interval}.count());
  had(on.exports->sweep(on.now_ts()));
  CHECK_FALSE(on.objects->find(object_of(2)));
  CHECK(on.objects->find(object_of(1)));
  CHECK(on.objects->find(object_of(3)));
  for (const auto& name : foreign)
    CHECK(on.objects->find(name));
  CHECK(csv_of(*on.exports, 1) == "referred to");
}

TEST_CASE("an object whose export is being written is no leftover, however old it looks") {
  export_objects_bench on;
  const auto draft = had(begin(*on.exports, 1));
  had(draft->append("slow"));
  on.objects->now_ts = 0; // the clock of the bucket is wrong
  on.objects->meanwhile = [&](object_call call) {
    if (call == object_call::list) had(draft->publish(on.valid(1).keep_until_ts));
  };
  on.sweep();
  CHECK(csv_of(*on.exports, 1) == "slow");
}

TEST_CASE("leftovers are looked for once an hour, uploads with them") {
  export_objects_bench on;
  on.objects->leftovers = 2;
  on.sweep();
  CHECK(on.objects->collected_age == leftovers_age);
  CHECK(on.objects->calls(object_call::list) == 1);
  on.move(leftovers_interval - milliseconds{1});
  on.sweep();
  CHECK(on.objects->calls(object_call::list) == 1);
  on.move(milliseconds{1});
  on.sweep();
  CHECK(on.objects->calls(object_call::list) == 2);
  CHECK(on.objects->calls(object_call::collect_leftovers) == 2);
}

TEST_CASE("a sweep that cannot look for leftovers fails, and has removed what is over") {
  export_objects_bench on;
  const auto failing = GENERATE(object_call::list, object_call::collect_leftovers);
  publish_ok(*on.exports, on.valid(1, milliseconds{1}), "over");
  on.move(milliseconds{1});
  on.objects->fail(failing);
  CHECK_FALSE(on.exports->sweep(on.now_ts()).has_value());
  CHECK(on.noted().empty());
  CHECK(on.exports->used_bytes() == 0);
}

TEST_CASE("two processes share the exports of a bucket and their limit") {
  export_objects_bench on{100};
  on.share_percent = 60;
  const auto other = on.open();
  publish_ok(*on.exports, on.valid(1), std::string(60, 'a'));
  CHECK(other->used_bytes() == 0);
  had(other->sweep(on.now_ts()));
  CHECK(other->used_bytes() == 60);
  auto same_game = on.valid(3);
  same_game.query.game_id = facts_of(1).query.game_id;
  CHECK(begin(*other, same_game).error().code == errc::exports_full);
  CHECK(other->refused_by_share() == 1);
  publish_ok(*other, on.valid(2), std::string(40, 'b'));
  CHECK(begin(*other, 3).error().code == errc::exports_full);
  on.sweep();
  CHECK(begin(*on.exports, 3).error().code == errc::exports_full);
  CHECK(csv_of(*on.exports, 2) == std::string(40, 'b'));
  on.exports->remove(export_id_of(2));
  CHECK(is_missing(*other, 2));
  CHECK(other->used_bytes() == 100);
  had(other->sweep(on.now_ts()));
  CHECK(other->used_bytes() == 60);
}

// -- exports that processes make together ---------------------------------------

/// Begins an export in another way than the fixture: what it finds may be another process's.
begun_export begin_any(export_objects& in, std::uint8_t number, std::uint8_t of_query = 1) {
  return had(in.begin({facts_of(of_query).query, export_id_of(number), 1}));
}

export_draft* draft_in(const begun_export& begun) {
  const auto* draft = std::get_if<std::unique_ptr<export_draft>>(&begun);
  return draft == nullptr ? nullptr : draft->get();
}

TEST_CASE("of processes that are asked for the same export one writes it, and the others follow") {
  export_objects_bench on;
  const auto other = on.open();
  const auto mine = begin_any(*on.exports, 1);
  auto* draft = draft_in(mine);
  REQUIRE(draft != nullptr);
  const auto theirs = begin_any(*other, 2);
  const auto* found = std::get_if<other_export>(&theirs);
  REQUIRE(found != nullptr);
  CHECK(found->record.facts.export_id == export_id_of(1));
  CHECK_FALSE(found->record.snapshot);
  draft->note_snapshot({{0, 0}, 77});
  std::optional<export_record> begun;
  const auto is_told = [&] {
    begun = had(other->follow(found->record));
    return begun && begun->snapshot;
  };
  REQUIRE(e2e::eventually(is_told));
  CHECK(begun->snapshot == history_snapshot{{0, 0}, 77});
  CHECK(had(other->find(found->record.facts.query, 1)) == begun);
  // Its own process knows what it does.
  CHECK_FALSE(had(on.exports->find(found->record.facts.query, 1)));
  had(draft->append("once"));
  had(draft->publish(on.valid(1).keep_until_ts, true));
  const auto whole = had(other->follow(found->record));
  REQUIRE(whole);
  CHECK(whole->is_complete);
  CHECK(whole->has_running);
  CHECK(csv_of(*other, 1) == "once");
}

TEST_CASE("a whole export whose object has gone is made again") {
  export_objects_bench on;
  const auto draft = had(begin(*on.exports, 1));
  draft->note_snapshot({{0, 0}, on.now_ts()});
  had(draft->publish(1'000));
  const auto query = facts_of(1).query;
  on.objects->fail(object_call::stat);
  CHECK(had(on.exports->find(query, 1'000))); // nobody can say that it has gone
  on.objects->mend(object_call::stat);
  on.objects->take_away(object_of(1));
  SECTION("by a process that is asked for it") {
    CHECK_FALSE(had(on.exports->find(query, 1'000)));
  }
  SECTION("by a process that is about to make it") {
    const auto begun = had(on.exports->begin({query, export_id_of(2), 1'000}));
    CHECK(draft_in(begun) != nullptr);
  }
  CHECK(is_missing(*on.exports, 1));
}

TEST_CASE(
    "an export whose process says nothing is taken over, and what that one wrote is not used") {
  export_objects_bench on;
  const auto other = on.open();
  const auto mine = begin_any(*on.exports, 1);
  auto* draft = draft_in(mine);
  REQUIRE(draft != nullptr);
  had(draft->append("of the dead"));
  // As if it had begun long ago.
  auto database = sqlite_connection::open(on.directory.path("db/matchcloud.db"));
  database.execute("UPDATE exports SET leased_until_ts = 1", "end the lease");
  CHECK_FALSE(had(other->follow({facts_of(1)})));
  const auto theirs = begin_any(*other, 2);
  auto* taken = draft_in(theirs);
  REQUIRE(taken != nullptr);
  CHECK(taken->export_id() == export_id_of(1));
  had(taken->append("of the heir"));
  // The first one was only slow.
  draft->note_snapshot({{0, 0}, 5});
  CHECK(e2e::eventually([&] { return !draft->is_own(); }));
  CHECK(draft->publish(on.valid(1).keep_until_ts).error().code == errc::store_failed);
  CHECK(on.objects->names().empty());
  had(taken->publish(on.valid(1).keep_until_ts));
  CHECK(csv_of(*on.exports, 1) == "of the heir");
  CHECK(on.objects->names() == std::vector{"exports/" + model::to_string(export_id_of(1)) + "/2"});
}

TEST_CASE("a process that drops an export that another took over leaves the other's record alone") {
  export_objects_bench on;
  const auto other = on.open();
  auto mine = begin_any(*on.exports, 1);
  auto database = sqlite_connection::open(on.directory.path("db/matchcloud.db"));
  database.execute("UPDATE exports SET leased_until_ts = 1", "end the lease");
  const auto theirs = begin_any(*other, 2);
  mine = other_export{};
  CHECK(on.noted() == std::vector{-1});
  had(draft_in(theirs)->publish(on.valid(1).keep_until_ts));
  CHECK(on.noted() == std::vector{1});
}

TEST_CASE("an export is renewed while it is written, and after the database was away") {
  export_objects_bench on;
  on.renewal_interval = milliseconds{5};
  on.exports = on.open();
  const auto begun = begin_any(*on.exports, 1);
  const auto leased_until = [&] {
    std::int64_t until = 0;
    had(had(on.records->exports())->read_exports([&](const export_record& each) {
      until = each.leased_until_ts;
      return true;
    }));
    return until;
  };
  const auto first = leased_until();
  CHECK(e2e::eventually([&] { return leased_until() > first; }));
  on.take_database_away();
  CHECK(draft_in(begun)->is_own());
  on.bring_database_back();
  const auto last = leased_until();
  CHECK(e2e::eventually([&] { return leased_until() > last; }));
}

} // namespace

} // namespace matchcloud::store
