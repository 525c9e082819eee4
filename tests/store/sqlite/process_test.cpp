// Several processes on one data directory, and processes that are killed. Children are forked
// before this process opens a store: SQLite connections do not survive a fork.
#include "tests/fixtures/forked_process.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/sqlite/lobby_fixture.hpp"

#include <span>

namespace matchcloud::store {
namespace {

using fixtures::child;
using fixtures::event_pipe;
using fixtures::temporary_directory;

/// A store's catalog, or the error that prevents opening it. The store stays open while the lease
/// lives.
base::expected<lease<catalog_store>> open_catalog(const std::string& directory) {
  return open_sqlite(directory).and_then([](const auto& of) { return of->catalog(); });
}

constexpr int regions = 40;

/// A catalog in which every name contains its generation.
model::catalog_document generation(std::int64_t number) {
  model::catalog_document document;
  for (int i = 0; i < regions; ++i)
    document.regions.push_back({"r" + std::to_string(i), std::to_string(number), "P", {}});
  model::uuid id;
  document.games = {{id, std::to_string(number)}};
  document.namespaces = {{id, id, "prod", {std::to_string(number) + ".example"}, std::nullopt}};
  return document;
}

TEST_CASE("a kill at any instant leaves a store with one whole catalog, the acknowledged or next") {
  const temporary_directory directory;
  std::int64_t expected = 0;
  for (int round = 0; round < 12; ++round) {
    event_pipe acknowledged;
    child importer{[&] {
      auto opened = open_catalog(directory.path());
      for (auto number = expected + 1; opened; ++number)
        if (!(*opened)->import_document(generation(number)) || !acknowledged.signal()) return false;
      return false;
    }};
    acknowledged.close_writer();
    // With 0 acknowledged imports, the kill hits the creation of the store, or the recovery from
    // the last round.
    for (int i = 0; i < round; ++i) {
      REQUIRE(acknowledged.wait());
      ++expected;
    }
    importer.kill();
    while (acknowledged.wait())
      ++expected;

    auto opened = open_catalog(directory.path());
    INFO((opened ? std::string{} : opened.error().detail));
    REQUIRE(opened.has_value());
    const auto catalog = (*opened)->load();
    REQUIRE(catalog.has_value());
    // The last commit may have happened without its acknowledgement.
    REQUIRE((catalog->revision == expected || catalog->revision == expected + 1));
    expected = catalog->revision;
    if (expected == 0) continue;
    auto whole = *merge(model::catalog{}, generation(expected));
    whole.revision = expected;
    whole.tiers = model::default_tiers();
    REQUIRE(*catalog == whole);
  }
}

/// Lobbies `number * 50` to `number * 50 + 49`.
lobby_list batch(std::uint32_t number) {
  lobby_list list;
  for (std::uint32_t i = 0; i < 50; ++i)
    list.add(number * 50 + i, {i, i + 10}, kind_of(number % 2 == 0 ? 11 : 21));
  return list;
}

TEST_CASE("a kill at any instant loses no lobbies that were acknowledged") {
  const temporary_directory directory;
  REQUIRE(open_catalog(directory.path()).value()->import_document(lobby_catalog()));
  std::uint32_t acknowledged = 0;
  for (int round = 0; round < 8; ++round) {
    event_pipe done;
    child merger{[&] {
      const auto opened =
          open_sqlite(directory.path(), {.use = workload::bulk}).and_then([](const auto& of) {
            return of->sink();
          });
      for (auto number = acknowledged; opened; ++number) {
        const auto list = batch(number);
        // A transaction takes what its time allows, on a slow disk less than all.
        for (std::span<const model::lobby_record> left{list.records}; !left.empty();) {
          const auto merged = (*opened)->merge(left, list.attributes);
          if (!merged) return false;
          left = left.subspan(merged->taken);
        }
        if (!done.signal()) return false;
      }
      return false;
    }};
    done.close_writer();
    for (int i = 0; i < round; ++i) {
      REQUIRE(done.wait());
      ++acknowledged;
    }
    merger.kill();
    while (done.wait())
      ++acknowledged;

    const auto opened = open_sqlite(directory.path()).value()->sink();
    REQUIRE(opened.has_value());
    const auto stored = stored_lobbies(directory.path()).size();
    // The last batch, or a part of it, may have been committed without its acknowledgement.
    REQUIRE(stored >= acknowledged * 50);
    REQUIRE(stored <= (acknowledged + 1) * 50);
    for (std::uint32_t number = 0; number < acknowledged; ++number) {
      const auto list = batch(number);
      REQUIRE((*opened)->check(list.records, list.attributes)->unchanged == 50);
    }
  }
}

} // namespace
} // namespace matchcloud::store
