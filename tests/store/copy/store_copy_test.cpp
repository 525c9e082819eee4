// Copies of whole stores. Those within SQLite run always, those that need a server with [postgres].
#include "store/copy/copied_tables.hpp"
#include "store/sqlite/migrations.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/store/copy/copied_store.hpp"

#include <set>

namespace matchcloud::store {

namespace {

/// How much a copy wrote.
std::uint64_t written(const std::vector<copied_rows>& tables) {
  std::uint64_t sum = 0;
  for (const auto& each : tables)
    sum += each.written;
  return sum;
}

std::vector<model::audit_entry> log_of(const copied_store& store) {
  return had(had(store.open()->access())->read_audit({})).entries;
}

/// Copies with as many stops as there can be: each time one page further than the time before.
std::vector<copied_rows> copy_in_pieces(const copied_store& from, const copied_store& into) {
  for (int steps = 1; steps < 1'000; ++steps) {
    int left = steps;
    auto done = try_copy(from, into, {[&] { return left-- == 0; }, {}});
    if (done) return *done;
    REQUIRE(done.error().code == base::errc::cancelled);
  }
  FAIL("the copy does not end");
  return {};
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

TEST_CASE("a copy has all that the store has, and a second one finds nothing to do") {
  const auto seed = GENERATE(1U, 2U, 3U);
  const copied_store from;
  const copied_store into;
  fill(from, seed, 300);
  const auto copied = had(try_copy(from, into));
  CHECK(written(copied) > 300);
  const auto again = had(try_copy(from, into));
  CHECK(written(again) == 0);
  CHECK(content(again) == content(copied));
  CHECK(had(had(from.open()->catalog())->load()) == had(had(into.open()->catalog())->load()));
  check_goes_on(into);
}

TEST_CASE("a copy is entered in the target's audit log once") {
  const copied_store from;
  const copied_store into;
  fill(from, 1, 10);
  had(try_copy(from, into));
  had(try_copy(from, into));
  const auto entries = log_of(into);
  REQUIRE(entries.size() == log_of(from).size() + 1);
  CHECK(entries[0].what.action == name_of(model::audit_action::store_copy));
  CHECK(entries[0].what.subject == from.place.data_dir);
  CHECK(entries[1].what.action != name_of(model::audit_action::store_copy));
}

TEST_CASE("an empty store can be copied") {
  const copied_store from;
  const copied_store into;
  (void)from.open();
  CHECK(written(had(try_copy(from, into))) == 0);
}

TEST_CASE("a copy that is stopped again and again goes on where it was, and ends") {
  const copied_store from;
  const copied_store into;
  fill(from, 4, 11'000); // three pages
  const auto copied = copy_in_pieces(from, into);
  const copied_store at_once;
  CHECK(content(had(try_copy(from, at_once))) == content(copied));
  check_goes_on(into);
}

TEST_CASE("a copy that is not complete has no revision yet") {
  const copied_store from;
  const copied_store into;
  fill(from, 5, 10);
  int left = 20;
  const auto stopped = try_copy(from, into, {[&] { return left-- == 0; }, {}});
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == base::errc::cancelled);
  CHECK(stopped.error().detail.find("run the same command again") != std::string::npos);
  static constexpr sql_command revision{"SELECT revision FROM revisions WHERE name = 'catalog'",
                                        "read the revision"};
  static constexpr sql_command regions{"SELECT count(*) FROM regions", "count the regions"};
  CHECK(into.connection()->number(revision) == 0);
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

void check_refused(const copied_store& from, const copied_store& into, const std::string& table) {
  const copied_store as_it_was;
  const auto before = content(had(try_copy(into, as_it_was)));
  const auto refused = try_copy(from, into);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == base::errc::import_invalid);
  CHECK(refused.error().detail.find("its table " + table + " ") != std::string::npos);
  const copied_store as_it_is;
  CHECK(content(had(try_copy(into, as_it_is))) == before);
}

TEST_CASE("a target that has something else is refused and left as it was") {
  const copied_store from;
  const copied_store into;
  fill(from, 6, 50);
  SECTION("another store") {
    fill(into, 7, 50);
    check_refused(from, into, "revisions");
  }
  SECTION("a copy that was changed since") {
    had(try_copy(from, into));
    had(had(into.open()->access())->record({model::audit_action::demo_seed, {}, {}, {}}));
    check_refused(from, into, "audit");
  }
  SECTION("a copy of what the source was before") {
    had(try_copy(from, into));
    model::catalog_document document;
    document.games = {{id_of(1), "another name"}};
    had(had(from.open()->catalog())->import_document(document));
    check_refused(from, into, "revisions");
  }
  SECTION("a row in the middle that is another") {
    had(try_copy(from, into));
    auto db = sqlite_connection::open(into.place.data_dir + "/matchcloud.db");
    db.execute("UPDATE lobbies SET kind = kind + 1 WHERE lobby_id = (SELECT lobby_id FROM "
               "lobbies ORDER BY lobby_id LIMIT 1 OFFSET 25)",
               "break");
    check_refused(from, into, "lobbies");
  }
  SECTION("default tiers that were changed") {
    had(had(into.open()->catalog())->remove(key_of(model::element_kind::tier, "basic-4d1")));
    check_refused(from, into, "revisions");
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
  const auto add = [&](const copied_table& table) {
    for (const auto& each : table.columns)
      names.insert(std::string{table.name}.append(".").append(each.name));
  };
  add(revisions_table());
  for (const auto& each : copied_tables())
    add(each);
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
  const auto again = had(try_copy(from, between));
  CHECK(written(again) == 0);
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

TEST_CASE("a copy into PostgreSQL is stopped again and again, and ends", "[.postgres]") {
  const copied_store from;
  const auto into = in_postgres();
  fill(from, 9, 11'000);
  const auto copied = copy_in_pieces(from, into);
  const copied_store at_once;
  CHECK(content(had(try_copy(from, at_once))) == content(copied));
  check_goes_on(into);
}

TEST_CASE("a copy whose connection is lost is completed by the next", "[.postgres]") {
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
  CHECK(lost.error().detail.find("run the same command again") != std::string::npos);
  CHECK(open_store(into.place).error().code == base::errc::import_invalid);
  const auto copied = had(try_copy(from, into, {{}, cut}));
  const auto& lobbies = *std::find_if(copied.begin(), copied.end(),
                                      [](const auto& each) { return each.table == "lobbies"; });
  CHECK(lobbies.rows == 11'000);
  CHECK(lobbies.written == 6'000);
}

TEST_CASE("a database that has something else is refused and left as it was", "[.postgres]") {
  const copied_store from;
  const auto into = in_postgres();
  fill(from, 11, 50);
  SECTION("another store") {
    fill(into, 12, 50);
    check_refused(from, into, "revisions");
  }
  SECTION("a copy that was changed since") {
    had(try_copy(from, into));
    had(had(into.open()->access())->record({model::audit_action::demo_seed, {}, {}, {}}));
    check_refused(from, into, "audit");
  }
}

} // namespace

} // namespace matchcloud::store
