// What PostgreSQL makes of the same reports as the embedded store.
#include "store/open_store.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/history_fixture.hpp"

#include <rapidcheck.h>

#include <limits>
#include <random>
#include <thread>

namespace matchcloud::store {
namespace {

constexpr auto ever = std::numeric_limits<std::uint64_t>::max();

std::shared_ptr<database> open_served(const std::string& url) {
  postgres_settings settings;
  settings.url = url;
  return had(open_postgres(settings));
}

/// A store of each engine with the same catalog.
struct both {
  fixtures::temporary_directory directory;
  std::string url = fixtures::shared_postgres().new_database();
  all_roles embedded{open_sqlite(directory.path())};
  all_roles served{open_served(url)};

  both() {
    for (auto* each : {&embedded, &served})
      had(each->catalog->import_document(lobby_catalog()));
  }
};

/// Reports of few lobbies, most of them several times and some running, over a span of any scale.
lobby_list any_reports() {
  lobby_list list;
  const auto scale = std::int64_t{1} << *rc::gen::inRange(3, 40);
  const auto count = *rc::gen::inRange(1, 60);
  for (int i = 0; i < count; ++i) {
    const auto number = *rc::gen::inRange<std::uint32_t>(0, 25);
    const auto start = *rc::gen::inRange<std::int64_t>(0, scale);
    model::lobby_times times{start, std::nullopt};
    if (*rc::gen::inRange(0, 4) != 0)
      times.stop_ts = start + *rc::gen::inRange<std::int64_t>(0, scale);
    list.add(number, times, kind_of(number % 2 == 0 ? 11 : 21, number % 3 == 0 ? "fra" : "iad"));
  }
  return list;
}

TEST_CASE("property: PostgreSQL exports the same bytes as the embedded store", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const both of;
  REQUIRE(rc::check([&] {
    const auto reports = any_reports();
    merge_all(*of.embedded.sink, reports);
    merge_all(*of.served.sink, reports);
    const auto begin = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40);
    const auto length = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40);
    for (const auto& span : {model::time_span{0, ever}, model::time_span{begin, begin + length}}) {
      const auto one = write_all(*of.embedded.history, span, 1'000'000);
      const auto other = write_all(*of.served.history, span, 1'000'000);
      RC_ASSERT(one.csv == other.csv);
    }
  }));
}

TEST_CASE("the same lines sent by two at once settle to what one makes of them", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const both of;
  constexpr std::uint32_t lobbies = 4'000;
  lobby_list list;
  for (std::uint32_t i = 0; i < 3 * lobbies; ++i) {
    const std::int64_t start = 1'000 + i % 7;
    list.add(i % lobbies, {start, i % 5 == 0 ? std::nullopt : std::optional{start + i}},
             kind_of(11));
  }
  merge_all(*of.embedded.sink, list);
  // Asserts nothing: Catch2 2 allows that on one thread only.
  const auto send = [&](std::uint32_t seed) -> base::expected<lobby_merge> {
    postgres_settings settings;
    settings.url = of.url;
    const auto sink = open_postgres(settings).and_then([](const auto& own) { return own->sink(); });
    if (!sink) return tl::unexpected(sink.error());
    auto shuffled = list.records;
    std::shuffle(shuffled.begin(), shuffled.end(), std::minstd_rand{seed});
    return merge_rest(**sink, shuffled, list.attributes);
  };
  base::expected<lobby_merge> others;
  std::jthread other{[&] { others = send(1); }};
  had(send(2));
  other.join();
  had(others);
  CHECK(write_all(*of.served.history, {0, ever}, 50'000).csv ==
        write_all(*of.embedded.history, {0, ever}, 50'000).csv);
}

TEST_CASE("one transaction takes a bounded number of reports of one lobby", "[.postgres]") {
  if (!fixtures::postgres_installed()) return;
  const both of;
  lobby_list list;
  for (std::int64_t i = 0; i < 30; ++i)
    list.add(1, {1'000 - i, 2'000 + i}, kind_of(11));
  const auto first = had(of.served.sink->merge(list.records, list.attributes));
  CHECK(first.taken == 8);
  CHECK(first.accepted == 8);
  const auto all = merge_all(*of.served.sink, list);
  CHECK(all.accepted == 22);
  CHECK(all.unchanged == 8);
}

} // namespace
} // namespace matchcloud::store
