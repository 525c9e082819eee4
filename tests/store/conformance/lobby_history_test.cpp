#include "tests/store/conformance/engines.hpp"
#include "tests/store/history_fixture.hpp"

#include <limits>

namespace matchcloud::store {
namespace {

using numbers = std::vector<std::uint32_t>;

constexpr auto still_running = std::nullopt;
constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
constexpr auto limit = model::timestamp_limit_ms;

TEST_CASE("an export has who was alive in its span, by start, then by id", "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}
                          .add(1, {1'000, 2'000}, kind_of(11))
                          .add(9, {500, 1'001}, kind_of(12))
                          .add(3, {500, 5'000}, kind_of(11, "iad"))
                          .add(4, {100, 1'000}, kind_of(11))   // ends when the span begins
                          .add(5, {2'000, 3'000}, kind_of(11)) // begins when the span ends
                          .add(6, {1'000, 1'000}, kind_of(11)) // zero length, at its begin
                          .add(7, {2'000, 2'000}, kind_of(11)) // zero length, at its end
                          .add(8, {900, 900}, kind_of(11))     // zero length, before
                          .add(20, {1'500, still_running}, kind_of(11))
                          .add(21, {0, still_running}, kind_of(11))
                          .add(22, {2'000, still_running}, kind_of(11))
                          .add(30, {1'000, 2'000}, kind_of(21))); // of another game
  const auto written = write_all(*in.history, {1'000, 2'000}, 10'000);
  CHECK(numbers_of(written) == numbers{21, 3, 9, 1, 6, 20});
  CHECK(written.summary.has_running);
  CHECK_FALSE(write_all(*in.history, {4'000, 4'500}, 10'000).rows().empty());
  CHECK(write_all(*in.history, {1'000, 1'000}, 10'000).csv == model::lobby_csv_header);
}

TEST_CASE("a row says what the catalog and the reports say", "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}.add(1, {1'000, 2'000}, kind_of(11, "iad", "a,\"b\"\r\n")));
  const auto written = write_all(*in.history, {1'500, 9'000}, 10'000);
  CHECK(written.rows().at(0) ==
        fixtures::csv_record{
            "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-00000000000b", "prod",
            "iad", "Ashburn", "basic-1d1", "00000000-0000-0000-0000-000000000007", "1.0",
            "a,\"b\"\r\n", "1970-01-01T00:00:01.000Z", "1970-01-01T00:00:02.000Z", "1000", "500"});
  CHECK_FALSE(written.summary.has_running);
}

TEST_CASE("spans may begin and end anywhere in the unsigned 64 bits", "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}
                          .add(1, {0, 0}, kind_of(11))
                          .add(2, {0, 1}, kind_of(11))
                          .add(3, {0, limit}, kind_of(11))
                          .add(4, {limit, limit}, kind_of(11))
                          .add(5, {limit - 1, limit}, kind_of(11))
                          .add(6, {limit, still_running}, kind_of(11))
                          .add(7, {0, still_running}, kind_of(11)));
  const auto find = [&](std::uint64_t begin, std::uint64_t end) {
    return numbers_of(write_all(*in.history, {begin, end}, limit));
  };
  const numbers all{1, 2, 3, 7, 5, 4, 6};
  constexpr std::uint64_t end = limit;
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  CHECK(find(0, largest) == all);
  CHECK(find(0, half) == all);
  CHECK(find(0, half - 1) == all);
  CHECK(find(0, end + 1) == all);
  CHECK(find(0, end) == numbers{1, 2, 3, 7, 5});
  CHECK(find(0, 1) == numbers{1, 2, 3, 7});
  CHECK(find(1, 2) == numbers{3, 7});
  CHECK(find(end - 1, end) == numbers{3, 7, 5});
  CHECK(find(end, end + 1) == numbers{7, 4, 6});
  for (const auto begin : {end + 1, half - 1, half, largest - 1})
    CHECK(find(begin, largest) == numbers{7, 6});
  for (const auto both : {std::uint64_t{0}, end, half, largest})
    CHECK(find(both, both).empty());
}

TEST_CASE("names are those of now, also of what was removed", "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}.add(1, {1'000, 2'000}, kind_of(12)));
  auto renamed = lobby_catalog();
  renamed.namespaces[1].name = "renamed";
  renamed.regions[0].region_display_name = "Main, Hesse";
  REQUIRE(in.catalog->import_document(renamed).has_value());
  const auto before = in.history->revisions(id_of(1));
  using model::element_key;
  using model::element_kind;
  REQUIRE(
      in.catalog->remove(*element_key::parse(element_kind::game_namespace, to_string(id_of(12)))));
  REQUIRE(in.catalog->remove(*element_key::parse(element_kind::region, "fra")));
  const auto written = write_all(*in.history, {0, largest}, 10'000);
  CHECK(written.rows().at(0).at(2) == "renamed");
  CHECK(written.rows().at(0).at(4) == "Main, Hesse");
  CHECK(written.summary.snapshot.revisions.catalog > before->catalog);
  CHECK(written.summary.snapshot.revisions.lobbies == before->lobbies);
}

TEST_CASE("a lobby is found by its game and its id", "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}
                          .add(1, {1'000, 2'000}, kind_of(11, "iad", "a,\"b\"\r\n"))
                          .add(2, {1'500, still_running}, kind_of(12))
                          .add(3, {1'000, 2'000}, kind_of(21))); // of another game
  const auto ended = had(in.history->find_lobby(id_of(1), id_of(1)));
  REQUIRE(ended);
  CHECK(ended->times == model::lobby_times{1'000, 2'000});
  const auto row = write_all(*in.history, {0, 3'000}, 3'000).rows().at(0);
  const auto columns = fixtures::read_csv(ended->attribute_columns + "\r\n");
  REQUIRE(columns);
  CHECK(columns->at(0) == fixtures::csv_record{row.begin() + 1, row.begin() + 9});
  const auto still = had(in.history->find_lobby(id_of(1), id_of(2)));
  REQUIRE(still);
  CHECK(still->times == model::lobby_times{1'500, still_running});
  CHECK_FALSE(had(in.history->find_lobby(id_of(1), id_of(3))));
  CHECK(had(in.history->find_lobby(id_of(2), id_of(3))));
  CHECK_FALSE(had(in.history->find_lobby(id_of(1), id_of(4))));

  auto renamed = lobby_catalog();
  renamed.namespaces[0].name = "renamed";
  REQUIRE(in.catalog->import_document(renamed).has_value());
  const auto later = had(in.history->find_lobby(id_of(1), id_of(1)));
  CHECK(later->attribute_columns.find("renamed") != std::string::npos);
}

TEST_CASE("revisions are the game's and the catalog's", "[engines]") {
  const store_for_lobbies in;
  const auto before = in.history->revisions(id_of(1));
  REQUIRE(before.has_value());
  CHECK(before->lobbies == 0);
  CHECK(before->catalog == in.catalog->revision());
  merge_all(*in.sink, lobby_list{}.add(1, {1, 2}, kind_of(21)));
  CHECK(in.history->revisions(id_of(1)) == before);
  merge_all(*in.sink, lobby_list{}.add(2, {1, 2}, kind_of(11)));
  const auto after = in.history->revisions(id_of(1));
  CHECK(after->lobbies > before->lobbies);
  CHECK(write_all(*in.history, {0, 1}, 5).summary.snapshot.revisions == *after);
}

TEST_CASE("what others write while an export reads is wholly out of it", "[engines]") {
  const store_for_lobbies in;
  lobby_list list;
  for (std::uint32_t i = 0; i < 500; ++i)
    list.add(2 * i, {i * 10, i * 10 + 1'000}, kind_of(11));
  merge_all(*in.sink, list.add(9'000, {2'000, still_running}, kind_of(11)));
  const model::export_query query{id_of(1), {0, largest}};
  const auto before = write_all(*in.history, query.span, 100'000);

  const all_roles other{in.open()};
  std::string csv;
  history_snapshot told;
  const auto write_meanwhile = [&](const history_snapshot& snapshot) {
    told = snapshot;
    lobby_list news;
    for (std::uint32_t i = 0; i < 500; ++i)
      news.add(2 * i + 1, {i * 10, i * 10 + 9}, kind_of(11));
    merge_all(*other.sink, news.add(9'000, {2'000, 3'000}, kind_of(11)));
    auto renamed = lobby_catalog();
    renamed.namespaces[0].name = "renamed";
    REQUIRE(other.catalog->import_document(renamed).has_value());
  };
  const history_output to{write_meanwhile,
                          [&](std::string_view bytes, std::uint64_t) -> base::expected<void> {
                            csv += bytes;
                            return {};
                          },
                          {}};
  const auto done = write_lobby_history(*in.history, query, fixed_clock{100'000}, to);
  REQUIRE(done.has_value());
  CHECK(csv == before.csv);
  CHECK(done->snapshot.revisions == told.revisions);
  CHECK(told.revisions == before.summary.snapshot.revisions);

  const auto after = write_all(*in.history, query.span, 100'000);
  CHECK(after.rows().size() == 1'001);
  CHECK_FALSE(after.summary.has_running);
  CHECK(after.summary.snapshot.revisions.lobbies > told.revisions.lobbies);
}

/// Merges 5,000 lobbies of game 1: several chunks of CSV.
void merge_many(lobby_sink& into) {
  lobby_list list;
  for (std::uint32_t i = 0; i < 5'000; ++i)
    list.add(i, {i, i + 5'000}, kind_of(11));
  merge_all(into, list);
}

TEST_CASE("an export comes in pieces that count its rows, begun before the first", "[engines]") {
  const store_for_lobbies in;
  merge_many(*in.sink);
  int begun = 0;
  std::vector<std::size_t> sizes;
  std::uint64_t last_rows = 0;
  std::string csv;
  const history_output to{[&](const history_snapshot&) { begun += sizes.empty() ? 1 : 100; },
                          [&](std::string_view bytes, std::uint64_t rows) -> base::expected<void> {
                            CHECK(rows >= last_rows);
                            csv += bytes;
                            // The chunks so far hold the header line and one line per row.
                            CHECK(std::ranges::count(csv, '\n') == std::int64_t(rows) + 1);
                            sizes.push_back(bytes.size());
                            last_rows = rows;
                            return {};
                          },
                          {}};
  const auto done =
      write_lobby_history(*in.history, {id_of(1), {0, largest}}, fixed_clock{9'000}, to);
  REQUIRE(done.has_value());
  CHECK(begun == 1);
  CHECK(last_rows == 5'000);
  CHECK(done->rows == 5'000);
  CHECK(done->bytes == csv.size());
  CHECK(sizes.size() > 2);
  CHECK(*std::ranges::max_element(sizes) < 300'000);
}

TEST_CASE("a writer that fails ends the export with its error, and the store goes on",
          "[engines]") {
  const store_for_lobbies in;
  merge_many(*in.sink);
  int calls = 0;
  const history_output to{{},
                          [&](std::string_view, std::uint64_t) -> base::expected<void> {
                            ++calls;
                            return base::fail(base::errc::exports_full, "no room");
                          },
                          {}};
  const auto done =
      write_lobby_history(*in.history, {id_of(1), {0, largest}}, fixed_clock{9'000}, to);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error() == base::error{base::errc::exports_full, "no room"});
  CHECK(calls == 1);
  merge_all(*in.sink, lobby_list{}.add(9'999, {1, 2}, kind_of(11)));
  CHECK(write_all(*in.history, {0, largest}, 9'000).rows().size() == 5'001);
}

TEST_CASE("an export that nobody wants is given up at once, while it finds and while it does not",
          "[engines]") {
  const store_for_lobbies in;
  lobby_list list;
  // All lobbies have one duration class, so that a span after them scans them without finding any.
  for (std::uint32_t i = 0; i < 30'000; ++i)
    list.add(i, {i, i + 70'000}, kind_of(11));
  merge_all(*in.sink, list);
  const bool finding = GENERATE(true, false);
  const model::export_query query{id_of(1), {finding ? 0U : 100'000U, 130'000}};
  int request = 0;
  const auto whole = try_to_write(*in.history, query, 0, [&] { return ++request < 0; });
  REQUIRE(whole.has_value());
  CHECK(whole->rows().size() == (finding ? 30'000 : 0));
  // A server scans on its own: what it does not find is asked about only while it takes long.
  CHECK(request >= (finding ? 6 : 1));
  for (int at = 1; at <= request; at += 2) {
    int now = 0;
    const auto ended = try_to_write(*in.history, query, 0, [&] { return ++now == at; });
    CHECK(now == (ended ? now : at));
    CHECK(ended.has_value() == (now < at));
    if (!ended) CHECK(ended.error().code == base::errc::cancelled);
  }
  merge_all(*in.sink, lobby_list{}.add(99'999, {1, 2}, kind_of(21)));
  CHECK(write_all(*in.history, query.span, 0).csv == whole->csv);
}

} // namespace
} // namespace matchcloud::store
