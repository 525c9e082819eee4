#include "model/lobbies/lobby_csv.hpp"

#include "model/text/timestamp.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/csv_reader.hpp"

#include <limits>
#include <rapidcheck.h>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace matchcloud;
using model::history_lobby;
using model::lobby_times;
using model::time_span;
using model::timestamp_limit_ms;

constexpr auto largest_ms = std::numeric_limits<std::uint64_t>::max();
constexpr auto running = std::nullopt;

model::lobby_attributes some_kind() {
  return {*model::parse_uuid("6f6b9a52-1f2e-4c55-9b0e-2f7c1f6d8a02"),
          *model::parse_uuid("3c8c8d64-6a0f-4d5c-8f3a-5a3b6c7d8e03"),
          "fra",
          "basic-1d1",
          "1.4.2",
          "duel"};
}

std::string row_of(const lobby_times& times, const time_span& span, std::int64_t snapshot_ts,
                   const std::string& columns = "-") {
  const history_lobby lobby{*model::parse_uuid("0b24cf2f-3d3d-4a17-8e2e-0d7d2f0d9a01"), times,
                            &columns};
  std::string out = "before|";
  model::append_lobby_csv(out, lobby, span, snapshot_ts);
  REQUIRE(out.starts_with("before|"));
  return out.substr(7);
}

/// The last column of a row: the uptime.
std::string uptime_of(const lobby_times& times, const time_span& span,
                      std::int64_t snapshot_ts = timestamp_limit_ms) {
  const auto read = fixtures::read_csv(row_of(times, span, snapshot_ts));
  REQUIRE(read.has_value());
  return read->at(0).back();
}

TEST_CASE("a row has its columns in the order of the header") {
  const auto columns = model::csv_attribute_columns(some_kind(), "prod", "Frankfurt");
  const auto csv = std::string{model::lobby_csv_header} +
                   row_of({1'767'225'600'000, 1'767'226'200'001}, {0, largest_ms}, 0, columns);
  CHECK(csv == "lobby_id,namespace_id,namespace_name,region_id,region_name,tier,version_id,"
               "version_name,game_mode,start_ts,stop_ts,total_uptime_ms,query_uptime_ms\r\n"
               "0b24cf2f-3d3d-4a17-8e2e-0d7d2f0d9a01,6f6b9a52-1f2e-4c55-9b0e-2f7c1f6d8a02,prod,"
               "fra,Frankfurt,basic-1d1,3c8c8d64-6a0f-4d5c-8f3a-5a3b6c7d8e03,1.4.2,duel,"
               "2026-01-01T00:00:00.000Z,2026-01-01T00:10:00.001Z,600001,600001\r\n");
}

TEST_CASE("a lobby that runs has neither stop nor total, and counts up to the snapshot") {
  CHECK(row_of({1'000, running}, {0, largest_ms}, 61'000)
            .ends_with(",-,1970-01-01T00:00:01.000Z,,,60000\r\n"));
  CHECK(uptime_of({1'000, running}, {0, largest_ms}, 999) == "0");
  CHECK(uptime_of({1'000, running}, {0, 5'000}, 4'999) == "3999");
  CHECK(uptime_of({1'000, running}, {0, 5'000}, 60'000) == "4000");
  CHECK(uptime_of({1'000, running}, {3'000, 5'000}, 60'000) == "2000");
  CHECK(uptime_of({1'000, running}, {3'000, 5'000}, 2'000) == "0");
  CHECK(uptime_of({1'000, running}, {0, 5'000}, -1) == "0");
}

TEST_CASE("the part of a lobby's life in the span is exact to the millisecond, whatever the span") {
  CHECK(uptime_of({1'000, 2'000}, {0, 3'000}) == "1000");
  CHECK(uptime_of({1'000, 2'000}, {1'999, 3'000}) == "1");
  CHECK(uptime_of({1'000, 2'000}, {0, 1'001}) == "1");
  CHECK(uptime_of({1'000, 2'000}, {1'200, 1'500}) == "300");
  CHECK(uptime_of({1'000, 1'000}, {1'000, 1'001}) == "0");
  CHECK(uptime_of({0, timestamp_limit_ms}, {0, largest_ms}) == "253402300799999");
  CHECK(uptime_of({0, timestamp_limit_ms}, {0, std::uint64_t{1} << 63}) == "253402300799999");
  CHECK(uptime_of({0, timestamp_limit_ms}, {timestamp_limit_ms - 1, largest_ms}) == "1");
  CHECK(uptime_of({0, timestamp_limit_ms}, {largest_ms - 1, largest_ms}) == "0");
  CHECK(uptime_of({0, running}, {std::uint64_t{1} << 63, largest_ms}) == "0");
}

TEST_CASE("texts are quoted where RFC 4180 demands it and nowhere else") {
  const auto name_column = [](std::string_view name) {
    const auto columns = model::csv_attribute_columns(some_kind(), name, "Frankfurt");
    const auto begin = std::string_view{"6f6b9a52-1f2e-4c55-9b0e-2f7c1f6d8a02,"}.size();
    return columns.substr(begin, columns.find(",fra,Frankfurt") - begin);
  };
  CHECK(name_column("plain") == "plain");
  CHECK(name_column("") == "");
  CHECK(name_column(" a b ") == " a b ");
  CHECK(name_column("it's; \t=1+1") == "it's; \t=1+1");
  CHECK(name_column("\xF0\x9F\x98\x80") == "\xF0\x9F\x98\x80");
  CHECK(name_column("a,b") == "\"a,b\"");
  CHECK(name_column("a\rb") == "\"a\rb\"");
  CHECK(name_column("a\nb") == "\"a\nb\"");
  CHECK(name_column("\"") == "\"\"\"\"");
  CHECK(name_column("say \"hi\"") == "\"say \"\"hi\"\"\"");
  CHECK(name_column("\"\"") == "\"\"\"\"\"\"");
}

TEST_CASE("property: every text comes back from the CSV as it was") {
  REQUIRE(rc::check([] {
    const auto text = [] {
      return *rc::gen::container<std::string>(
          rc::gen::element('a', '"', ',', '\r', '\n', ' ', '\xC3', '\xA9'));
    };
    auto kind = some_kind();
    kind.version_name = text();
    kind.game_mode = text();
    kind.region_id = text();
    kind.tier = text();
    const auto name = text();
    const auto region_name = text();
    const auto row =
        row_of({5, 7}, {0, 10}, 0, model::csv_attribute_columns(kind, name, region_name));
    const auto read = fixtures::read_csv(row);
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->size() == 1U);
    RC_ASSERT(
        read->front() ==
        (fixtures::csv_record{"0b24cf2f-3d3d-4a17-8e2e-0d7d2f0d9a01", to_string(kind.namespace_id),
                              name, kind.region_id, region_name, kind.tier,
                              to_string(kind.version_id), kind.version_name, kind.game_mode,
                              "1970-01-01T00:00:00.005Z", "1970-01-01T00:00:00.007Z", "2", "2"}));
  }));
}

TEST_CASE("for spreadsheets an apostrophe stands before what begins a formula") {
  const auto cell = [](std::string_view name) {
    const auto columns =
        model::csv_attribute_columns(some_kind(), name, "Frankfurt", model::csv_dialect::excel);
    const auto read = fixtures::read_csv(columns + "\r\n");
    REQUIRE(read.has_value());
    return read->at(0).at(1);
  };
  for (const std::string begin :
       {"=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"}) {
    INFO(begin);
    CHECK(cell(begin + "1") == "'" + begin + "1");
    CHECK(cell("  " + begin + "1") == "  '" + begin + "1");
    CHECK(cell("a;" + begin + "1; " + begin) == "a;'" + begin + "1; '" + begin);
    CHECK(cell("a;\"" + begin + "1;") == "a;\"'" + begin + "1;");
    CHECK(cell("\" \"" + begin + "1") == "\" \"'" + begin + "1");
    CHECK(cell("a\t" + begin + "1") == "a\t'" + begin + "1");
    CHECK(cell("a" + begin + "1") == "a" + begin + "1");
  }
  for (const std::string plain : {"", " ", "duel", "1.4-rc+1", "a=b", "'=1", "\uff1c1", "a, =b"})
    CHECK(cell(plain) == plain);
  CHECK(model::csv_beginning(model::csv_dialect::exact) == model::lobby_csv_header);
  CHECK(model::csv_beginning(model::csv_dialect::excel) ==
        "\xEF\xBB\xBF" + std::string{model::lobby_csv_header});
}

TEST_CASE("property: no cell for a spreadsheet begins a formula, and without apostrophes it is the "
          "text") {
  REQUIRE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::element('a', '=', '+', '-', '@', '\t', '\r', '\n', ';', ' ', ',', '"'));
    const auto columns =
        model::csv_attribute_columns(some_kind(), text, "Frankfurt", model::csv_dialect::excel);
    const auto read = fixtures::read_csv(columns + "\r\n");
    RC_ASSERT(read.has_value());
    auto cell = read->at(0).at(1);
    for (std::string_view rest = cell;;) {
      const auto first = rest.find_first_not_of(" \"");
      RC_ASSERT(first == rest.npos ||
                std::string_view{"=+-@\t\r\n"}.find(rest[first]) == std::string_view::npos);
      const auto next = rest.find_first_of(";\t\r\n");
      if (next == rest.npos) break;
      rest.remove_prefix(next + 1);
    }
    std::erase(cell, '\'');
    RC_ASSERT(cell == text);
  }));
}

TEST_CASE("the CSV reader of the tests is strict") {
  using fixtures::read_csv;
  CHECK(read_csv("a,b\r\n\"c\"\"\",\r\n") ==
        std::vector<fixtures::csv_record>{{"a", "b"}, {"c\"", ""}});
  for (const auto* text : {"a", "a\n", "a\r", "a,b\r\nc\r\n", "a\"b\r\n", "\"a\r\n", "\"a\"b\r\n",
                           "a\rb\r\n", "a,", "a\r\nb"}) {
    INFO(text);
    CHECK_FALSE(read_csv(text).has_value());
  }
}

using matchcloud::model::csv_row_counter;

std::uint64_t rows_of(std::string_view text) {
  csv_row_counter counter;
  counter.add(text);
  return counter.rows();
}

/// A field in RFC 4180 notation.
std::string written(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field)
    text.append(c == '"' ? 2 : 1, c);
  return text + "\"";
}

} // namespace

TEST_CASE("the row counter counts line ends outside quotes") {
  CHECK(rows_of("") == 0);
  CHECK(rows_of("a,b\r\n") == 1);
  CHECK(rows_of("a,b\r\nc,d\r\n") == 2);
  CHECK(rows_of("a,\"b\r\nc\"\r\n\"\n\n\",\r\n") == 2);
  CHECK(rows_of("\"say \"\"x\r\n\"\"\"\r\n") == 1);
  CHECK(rows_of("\"\"\r\n\"\"\r\n") == 2);
}

TEST_CASE("the row counter counts a row that has begun") {
  CHECK(rows_of("a") == 1);
  CHECK(rows_of("a\r\nb") == 2);
  CHECK(rows_of("\"") == 1);
  CHECK(rows_of("a\r\n\"x\r\n") == 2);
  csv_row_counter counter;
  counter.add("a\r");
  CHECK(counter.rows() == 1);
  counter.add("\n");
  CHECK(counter.rows() == 1);
  counter.add("\"");
  CHECK(counter.rows() == 2);
}

TEST_CASE("property: rows are counted whatever is in the fields and wherever pieces are cut") {
  REQUIRE(rc::check([] {
    const auto field =
        rc::gen::container<std::string>(rc::gen::element('"', ',', '\r', '\n', 'a', ' ', '\xF0'));
    const auto rows = *rc::gen::container<std::vector<std::vector<std::string>>>(
        rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(field)));
    std::string text;
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i)
        text.append(i == 0 ? "" : ",").append(written(row[i]));
      text += "\r\n";
    }
    const auto sizes = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 9)));
    csv_row_counter counter;
    std::size_t turn = 0;
    for (std::size_t at = 0; at < text.size(); at += sizes[turn++ % sizes.size()]) {
      counter.add(std::string_view{text}.substr(at, sizes[turn % sizes.size()]));
      counter.add({});
    }
    RC_ASSERT(counter.rows() == rows.size());
  }));
}
