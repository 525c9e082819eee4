// Copies of whole stores. Those within SQLite run always, those that need a server with [postgres].
#include "store/copy/copied_tables.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/store/copy/copied_store.hpp"

#include <set>

namespace matchcloud::store {

namespace {

std::vector<model::audit_entry> log_of(const copied_store& store) {
  return had(had(store.open()->audit())->read_audit({})).entries;
}

/// Copies with as many stops as there can be: each time one page further than the time before.
std::vector<table_facts> copy_with_stops(const copied_store& from, const copied_store& into) {
  for (int steps = 1; steps < 1'000; ++steps) {
    int left = steps;
    auto done = try_copy(from, into, {[&] { return left-- == 0; }, {}});
    if (done) return *done;
    REQUIRE(done.error().code == base::errc::cancelled);
  }
  FAIL("the copy does not end");
  return {};
}

base::error refusal_of(const base::expected<std::vector<table_facts>>& done) {
  REQUIRE_FALSE(done.has_value());
  return done.error();
}

/// What a store is for after a copy: it takes more of everything that is numbered.
void check_goes_on(const copied_store& store) {
  const all_roles on{store.open()};
  lobby_list list;
  list.add(0xFFFF, {1'000, 2'000}, kind_of(12, "iad", "of a kind that was not there"));
  CHECK(merge_all(*on.sink, list).accepted == 1);
  const auto before = log_of(store).front().entry;
  had(had(on.of->access())->record({model::audit_action::demo_seed, {}, {}, {}}));
  CHECK(log_of(store).front().entry > before);
}

TEST_CASE("a copy has all that the store has, and a copy of it is the same") {
  const auto seed = GENERATE(1U, 2U, 3U);
  const copied_store from;
  const copied_store into;
  fill(from, seed, 300);
  const auto copied = had(try_copy(from, into));
  const copied_store third;
  CHECK(content(had(try_copy(into, third))) == content(copied));
  CHECK(had(had(from.open()->catalog())->load()) == had(had(into.open()->catalog())->load()));
  check_goes_on(into);
}

TEST_CASE("a copy is entered in the target's audit log") {
  const copied_store from;
  const copied_store into;
  fill(from, 1, 10);
  had(try_copy(from, into));
  const auto entries = log_of(into);
  REQUIRE(entries.size() == log_of(from).size() + 1);
  CHECK(entries[0].what.action == name_of(model::audit_action::store_copy));
  CHECK(entries[0].what.subject == from.place.data_dir);
  CHECK(entries[1].what.action != name_of(model::audit_action::store_copy));
}

TEST_CASE("a copy that is stopped starts from the beginning, whatever the source is by then") {
  const copied_store from;
  const copied_store into;
  fill(from, 4, 11'000); // three pages
  const auto copied = copy_with_stops(from, into);
  const copied_store at_once;
  CHECK(content(had(try_copy(from, at_once))) == content(copied));
  check_goes_on(into);
}

TEST_CASE("an unfinished copy of another store is replaced") {
  const copied_store other;
  const copied_store from;
  const copied_store into;
  fill(other, 13, 100);
  fill(from, 14, 50);
  int left = 15;
  CHECK(refusal_of(try_copy(other, into, {[&] { return left-- == 0; }, {}})).code ==
        base::errc::cancelled);
  const copied_store at_once;
  CHECK(content(had(try_copy(from, into))) == content(had(try_copy(from, at_once))));
}

TEST_CASE("a copy that is not complete has no revision yet") {
  const copied_store from;
  const copied_store into;
  fill(from, 5, 10);
  int left = 20;
  const auto stopped = refusal_of(try_copy(from, into, {[&] { return left-- == 0; }, {}}));
  CHECK(stopped.code == base::errc::cancelled);
  static constexpr sql_command revision{"SELECT revision FROM revisions WHERE name = 'catalog'",
                                        "read the revision"};
  static constexpr sql_command regions{"SELECT count(*) FROM regions", "count the regions"};
  CHECK(into.connection()->number(revision, {}, 0) == 0);
  CHECK(into.connection()->number(regions) > 1);
  // Until it is complete nobody uses it, or copies from it.
  const auto used = open_store(into.place);
  REQUIRE_FALSE(used.has_value());
  CHECK(used.error().code == base::errc::import_invalid);
  CHECK(used.error().detail.find("Run the same command again") != std::string::npos);
  const copied_store third;
  CHECK(try_copy(into, third).error().detail == used.error().detail);
  had(try_copy(from, into));
  CHECK(open_store(into.place).has_value());
}

void check_refused(const copied_store& from, const copied_store& into) {
  const copied_store as_it_was;
  const auto before = content(had(try_copy(into, as_it_was)));
  const auto refused = refusal_of(try_copy(from, into));
  CHECK(refused.code == base::errc::import_invalid);
  CHECK(refused.detail.find(" has rows, so it is neither empty") != std::string::npos);
  const copied_store as_it_is;
  CHECK(content(had(try_copy(into, as_it_is))) == before);
}

TEST_CASE("a target that has something is refused and left as it was") {
  const copied_store from;
  const copied_store into;
  fill(from, 6, 50);
  SECTION("another store") {
    fill(into, 7, 50);
    check_refused(from, into);
  }
  SECTION("a whole copy") {
    had(try_copy(from, into));
    check_refused(from, into);
  }
  SECTION("default tiers that were changed") {
    had(had(into.open()->catalog())->remove(key_of(model::element_kind::tier, "basic-4d1")));
    check_refused(from, into);
  }
}

TEST_CASE("a store of a newer schema is not copied, because something would be left out") {
  const copied_store from;
  fill(from, 8, 10);
  {
    auto db = sqlite_connection::open(from.place.data_dir + "/matchcloud.db");
    const auto newer = "PRAGMA user_version = " + std::to_string(sqlite_schema().newest() + 1);
    db.execute(newer.c_str(), "set up");
  }
  const auto opened = open_connection(from.place);
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == base::errc::store_newer);
  CHECK(open_store(from.place).has_value());
}

/// `TABLE.COLUMN` of everything that is copied.
std::set<std::string> copied_columns() {
  std::set<std::string> names;
  for (const auto& table : copied_tables())
    for (const auto& each : table.columns)
      names.insert(std::string{table.name}.append(".").append(each.name));
  return names;
}

// Exports are made again, processes that serve register again, hashes have another key, and nothing
// reads latencies of earlier versions any more.
TEST_CASE("all columns of all tables are copied") {
  const copied_store store;
  const auto on = store.connection();
  static constexpr sql_command query{
      "SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE "
      "t.type = 'table' AND t.name NOT IN ('schema_version', 'sqlite_sequence', 'exports', "
      "'replicas', 'duties', 'removed_images', 'hash_keys', 'latencies')",
      "read the schema"};
  std::set<std::string> there;
  on->each(query, {}, [&](sql_row& row) { there.emplace(row.text(0)); });
  CHECK(there == copied_columns());
}

// -- PostgreSQL -------------------------------------------------------------------

copied_store in_postgres() {
  return copied_store{fixtures::shared_postgres().new_database()};
}

TEST_CASE("all columns of all tables in PostgreSQL are copied", "[.postgres]") {
  const auto store = in_postgres();
  const auto on = store.connection();
  static constexpr sql_command query{
      "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema "
      "= 'matchcloud' AND table_name NOT IN ('schema_version', 'secrets', 'exports', 'replicas', "
      "'duties', 'removed_images', 'hash_keys', 'latencies')",
      "read the schema"};
  std::set<std::string> there;
  on->each(query, {}, [&](sql_row& row) { there.emplace(row.text(0)); });
  CHECK(there == copied_columns());
}

TEST_CASE("a store goes to PostgreSQL and back, and is what it was", "[.postgres]") {
  const auto seed = GENERATE(1U, 2U, 3U);
  const copied_store from;
  const auto between = in_postgres();
  const copied_store back;
  fill(from, seed, 6'000);
  const auto there = had(try_copy(from, between));
  const auto returned = had(try_copy(between, back));
  CHECK(content(returned) == content(there));
  const copied_store directly;
  CHECK(content(had(try_copy(from, directly))) == content(there));
  const auto second = in_postgres();
  CHECK(content(had(try_copy(between, second))) == content(there));
  CHECK(had(had(from.open()->catalog())->load()) == had(had(between.open()->catalog())->load()));
  check_goes_on(between);
  check_goes_on(back);
}

TEST_CASE("a copy whose connection is lost is made again by the next", "[.postgres]") {
  fixtures::postgres_server server;
  const copied_store from;
  const copied_store into{server.new_database()};
  fill(from, 10, 11'000);
  bool is_first = true;
  // Before the second page is committed.
  const auto cut = [&](std::string_view step, std::uint64_t rows) {
    if (step == "lobbies copied" && rows == 10'000 && std::exchange(is_first, false))
      server.terminate_connections();
  };
  const auto lost = try_copy(from, into, {{}, cut});
  REQUIRE_FALSE(lost.has_value());
  CHECK(lost.error().code == base::errc::store_failed);
  CHECK(open_store(into.place).error().code == base::errc::import_invalid);
  const auto copied = had(try_copy(from, into, {{}, cut}));
  const copied_store at_once;
  CHECK(content(had(try_copy(from, at_once))) == content(copied));
}

} // namespace

} // namespace matchcloud::store
