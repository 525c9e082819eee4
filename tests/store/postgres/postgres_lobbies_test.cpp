// How PostgreSQL counts changes of lobbies.
#include "store/open_store.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/store/store_fixture.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::store {
namespace {

using fixtures::postgres_session;

base::expected<std::shared_ptr<database>> open(const std::string& url) {
  postgres_settings settings;
  settings.url = url;
  return open_postgres(settings);
}

struct postgres_lobbies_bench {
  std::string url = fixtures::shared_postgres().new_database();
  all_roles in{open(url)};
  postgres_session other{url};

  postgres_lobbies_bench() {
    had(in.catalog->import_document(lobby_catalog()));
    other.execute("SET search_path = matchcloud");
  }

  void merge(std::uint32_t number) const {
    merge_all(*in.sink, lobby_list{}.add(number, {1, 2}, kind_of(11)));
  }
  std::int64_t revision() const { return had(in.history->revisions(id_of(1))).lobbies; }
};

TEST_CASE("a game has no more rows of counts than sessions wrote at once", "[.postgres]") {
  postgres_lobbies_bench on;
  constexpr std::uint32_t writers = 6;
  std::atomic<std::uint32_t> done{0};
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t writer = 0; writer < writers; ++writer)
      threads.emplace_back([&, writer] {
        // A session for each, as if they were replaced all the time.
        for (std::uint32_t i = 0; i < 10; ++i) {
          const auto own = open(on.url);
          if (!own) return;
          lobby_list one;
          one.add(100 * writer + i, {1, 2}, kind_of(11));
          const auto into = (*own)->sink();
          if (into && (*into)->merge(one.records, one.attributes)) ++done;
        }
      });
  }
  CHECK(done == 10 * writers);
  CHECK(std::stoul(on.other.value("SELECT count(*) FROM lobby_changes")) <= writers);
  CHECK(on.other.value("SELECT sum(changes) FROM lobby_changes") == std::to_string(10 * writers));
}

TEST_CASE("a transaction that has counted a change keeps no other waiting", "[.postgres]") {
  postgres_lobbies_bench on;
  on.merge(1);
  on.other.execute("BEGIN; UPDATE lobby_changes SET changes = changes + 1");
  const auto before = on.revision();
  on.merge(2); // would fail after lock_timeout
  CHECK(on.revision() == before + 1);
  on.other.execute("COMMIT");
  CHECK(on.revision() == before + 2);
}

} // namespace
} // namespace matchcloud::store
