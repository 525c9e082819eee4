// The effect of faults injected at `store.*`: a failure is reported like the database's own, and a
// transaction happens entirely or not at all.
#include "base/clock.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/store/sqlite/lobby_fixture.hpp"

namespace matchcloud::store {
namespace {

using namespace fixtures;
using base::errc;
using base::fault_kind;
using base::fault_point;
using std::chrono::milliseconds;

struct store_faults_bench : lobby_store {
  base::expected<std::shared_ptr<database>> open_another() const { return open_sqlite(path()); }
  /// The revision that another reader sees.
  std::int64_t revision() const {
    return open_another().value()->catalog().value()->revision().value();
  }
  base::expected<import_summary> import_region(const std::string& id) {
    auto document = lobby_catalog();
    document.regions.push_back({id, id, "P", {1, 2}});
    return catalog->import_document(document);
  }
  base::expected<lobby_merge> merge_one(std::uint32_t number) {
    lobby_list list;
    list.add(number, {1, 2}, kind_of(11));
    return sink->merge(list.records, list.attributes);
  }
};

template <class Result>
void check_failed(const Result& result, const std::string& operation, fault_point at) {
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == errc::store_failed);
  const auto expected = "/matchcloud.db: cannot " + operation + ": a fault is injected at " +
                        std::string{facts_of(at).name};
  CHECK(result.error().detail.ends_with(expected));
}

TEST_CASE("a store that fails to open is not open, and opens the next time") {
  const store_faults_bench on;
  injected_fault fails{fault_point::store_open, once(rule_of(fault_kind::error))};
  check_failed(on.open_another(), "open the database", fault_point::store_open);
  CHECK(on.open_another().has_value());
}

TEST_CASE("while one waits to open the store another is let in") {
  const store_faults_bench on;
  injected_fault stuck{fault_point::store_open, once(rule_of(fault_kind::stall))};
  std::thread stalled{[&] { static_cast<void>(on.open_another()); }};
  while (stuck.hits() == 0)
    std::this_thread::yield();
  const auto other = on.open_another();
  stuck.take_away();
  stalled.join();
  CHECK(other.has_value());
}

TEST_CASE("every way to read rows fails where reading fails, and works again without the fault") {
  store_faults_bench on;
  const auto check_all = [&](bool fails) {
    const auto check = [fails](const auto& result, const std::string& operation) {
      if (fails)
        check_failed(result, operation, fault_point::store_read);
      else
        CHECK(result.has_value());
    };
    const auto take = [](const model::avatar&) { return true; };
    check(on.catalog->load(), "begin reading the catalog");
    check(on.catalog->revision(), "read the catalog's revision");
    check(on.feed->moved_games_since(0), "look for games that changed");
    check(on.avatars->read(id_of(1), take), "begin reading avatars");
    check(on.history->revisions(id_of(1)), "begin reading revisions");
    check(on.sink->has_any(), "look for lobbies");
    history_reader nobody;
    check(on.history->read({id_of(1), {0, 10}}, base::machine_clock(), nobody),
          "read the lobby history");
  };
  injected_fault fails{fault_point::store_read, fault_kind::error};
  check_all(true);
  CHECK(fails.hits() == 7);
  CHECK(on.import_region("gru").has_value()); // a write reads in its own transaction
  fails.take_away();
  check_all(false);
}

TEST_CASE("what fails to begin writing writes nothing") {
  store_faults_bench on;
  const auto before = on.revision();
  injected_fault fails{fault_point::store_write, fault_kind::error};
  check_failed(on.import_region("gru"), "import the catalog", fault_point::store_write);
  check_failed(on.merge_one(1), "write lobbies", fault_point::store_write);
  check_failed(
      on.catalog->remove(model::element_key::parse(model::element_kind::region, "fra").value()),
      "change the catalog", fault_point::store_write);
  CHECK(on.revision() == before);
  CHECK_FALSE(on.sink->has_any().value());
  fails.take_away();
  CHECK(on.import_region("gru").has_value());
  CHECK(on.merge_one(1)->accepted == 1);
}

TEST_CASE("a full disk at a write is told from other failures") {
  store_faults_bench on;
  for (const auto at : {fault_point::store_write, fault_point::store_commit}) {
    const injected_fault fills{at, fault_kind::full};
    const auto refused = on.import_region("gru");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::store_full);
  }
  CHECK(on.import_region("gru").has_value());
}

TEST_CASE(
    "what fails to commit leaves nothing, for this connection and others, and goes next time") {
  store_faults_bench on;
  const auto before = on.revision();
  {
    injected_fault fails{fault_point::store_commit, fault_kind::error};
    check_failed(on.import_region("gru"), "import the catalog", fault_point::store_commit);
    check_failed(on.merge_one(1), "write lobbies", fault_point::store_commit);
    CHECK(fails.hits() == 2);
    CHECK(on.catalog->revision() == before);
    CHECK(on.revision() == before);
    CHECK_FALSE(on.sink->has_any().value());
    // The failed call does not keep the lock.
    const auto other = open_sqlite(on.path(), {.patience = milliseconds{0}}).value();
    fails.take_away();
    CHECK(other->catalog().value()->import_document(lobby_catalog()).has_value());
  }
  CHECK(on.merge_one(1)->accepted == 1);
  CHECK(on.import_region("gru").has_value());
  CHECK(on.revision() == before + 1);
}

TEST_CASE("a delayed commit has not happened before its delay is over") {
  store_faults_bench on;
  const auto before = on.revision();
  std::int64_t meanwhile = -1;
  const skipped_delays delays{[&] { meanwhile = on.revision(); }};
  injected_fault slow{fault_point::store_commit, delayed_by(milliseconds{40})};
  CHECK(on.import_region("gru").has_value());
  CHECK(delays.passed() == std::vector<std::chrono::microseconds>{milliseconds{40}});
  CHECK(meanwhile == before);
  CHECK(on.revision() == before + 1);
}

TEST_CASE("opening, reading, writing and committing wait for their stall to be taken away") {
  store_faults_bench on;
  check_stalls(fault_point::store_open, [&] { static_cast<void>(on.open_another()); });
  check_stalls(fault_point::store_read, [&] { static_cast<void>(on.catalog->load()); });
  check_stalls(fault_point::store_write, [&] { static_cast<void>(on.import_region("gru")); });
  const auto before = on.revision();
  check_stalls(
      fault_point::store_commit, [&] { static_cast<void>(on.import_region("syd")); },
      [&] { CHECK(on.revision() == before); });
  CHECK(on.revision() == before + 1);
}

TEST_CASE("opening, reading and writing are delayed") {
  store_faults_bench on;
  for (const auto at :
       {fault_point::store_open, fault_point::store_read, fault_point::store_write}) {
    CAPTURE(facts_of(at).name);
    const skipped_delays delays;
    injected_fault slow{at, once(delayed_by(milliseconds{5}))};
    if (at == fault_point::store_open) CHECK(on.open_another().has_value());
    if (at == fault_point::store_read) CHECK(on.catalog->load().has_value());
    if (at == fault_point::store_write) CHECK(on.merge_one(1).has_value());
    CHECK(delays.passed() == std::vector<std::chrono::microseconds>{milliseconds{5}});
  }
}

} // namespace
} // namespace matchcloud::store
