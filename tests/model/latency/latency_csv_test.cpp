#include "model/latency/latency_csv.hpp"

#include "model/latency/cell.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/csv_reader.hpp"

#include <rapidcheck.h>

#include <cmath>
#include <optional>

namespace {

using namespace matchcloud;
using namespace matchcloud::model;
using matchcloud::fixtures::contains;

constexpr std::uint32_t now_minute = 29'400'000;

latency_cell cell_of(std::string_view kind, std::string_view text) {
  const auto cell = parse_latency_cell(kind, text);
  REQUIRE(cell.has_value());
  return *cell;
}

learned_entry entry(latency_cell cell, double milliseconds, std::uint16_t speakers = 6) {
  return {cell, "lon", {51.5, -0.125}, voices_of(milliseconds, speakers, now_minute - 60, cell, 0)};
}

std::string csv_of(const learned_entry& of) {
  std::string text;
  append_latency_csv(text, of);
  return text;
}

/// Lines of a file that a reader reads; each outlives what was read of it.
class reading {
public:
  explicit reading(const std::string& header) : header_outcome_{read_header(header)} {}

  const base::expected<void>& header() const { return header_outcome_; }
  bool has_addresses() const { return reader_.has_addresses(); }

  base::expected<std::optional<latency_row>> row(const std::string& text) {
    line_ = text;
    return reader_.read({2, line_, false});
  }
  std::string refusal(const std::string& text) {
    const auto read = row(text);
    return read ? "none" : read.error().detail;
  }

private:
  base::expected<void> read_header(const std::string& text) {
    line_ = text;
    return reader_.read_header({1, line_, false});
  }

  latency_csv_reader reader_{now_minute};
  std::string line_;
  base::expected<void> header_outcome_;
};

std::string header_refusal(const std::string& header) {
  const reading in{header};
  return in.header() ? "none" : in.header().error().detail;
}

const std::string header_line{latency_csv_header.substr(0, latency_csv_header.size() - 2)};

TEST_CASE("Entries of all kinds are written as rows of CSV") {
  CHECK(csv_of(entry(cell_of("network", "81.2.69.0/24"), 12.5)) ==
        "network,81.2.69.0/24,lon,12.5,,6.0,6,2025-11-24T15:00:00Z\r\n");
  CHECK(csv_of(entry(cell_of("place", "51.6,-0.2"), 12.5, 1)) ==
        "place,\"51.625,-0.125\",lon,12.5,,1.0,1,2025-11-24T15:00:00Z\r\n");
}

TEST_CASE("Networks of few reporters, and entries without voices, are not written") {
  std::string text = "before";
  CHECK_FALSE(append_latency_csv(text, entry(cell_of("network", "81.2.69.0/24"), 12, 4)));
  CHECK_FALSE(append_latency_csv(text, {}));
  CHECK(text == "before");
}

TEST_CASE("What is written is read as the same number of equal voices") {
  REQUIRE(rc::check("any entry", [] {
    const bool is_network = *rc::gen::arbitrary<bool>();
    const latency_cell cell =
        is_network ? network_cell(ip_address{*rc::gen::arbitrary<std::array<std::uint8_t, 16>>()})
                   : place_cell({*rc::gen::inRange(-900, 900) / 10.0,
                                 *rc::gen::inRange(-1'800, 1'800) / 10.0});
    const double value = *rc::gen::inRange(1'000, 2'000'000) / 1e3;
    const auto written = entry(cell, value, *rc::gen::inRange<std::uint16_t>(5, 17));
    const auto text = csv_of(written);
    const auto records = fixtures::read_csv(std::string{latency_csv_header} + text);
    RC_ASSERT(records.has_value() && records->size() == 2U);
    reading in{header_line};
    RC_ASSERT(in.header().has_value());
    const auto row = in.row(text.substr(0, text.size() - 2));
    RC_ASSERT(row.has_value() && row->has_value());
    RC_ASSERT(std::get<latency_cell>((*row)->client) == cell);
    RC_ASSERT((*row)->region_id == "lon");
    RC_ASSERT((*row)->minute == written.minute());
    RC_ASSERT((*row)->speakers == written.voices.size());
    RC_ASSERT(std::abs((*row)->milliseconds - value) < 0.1);
  }));
}

TEST_CASE("A row counts as at most its reports, its reporters and the voices of a cell") {
  reading in{header_line};
  const auto speakers = [&](const std::string& reports, const std::string& reporters) {
    return in.row("place,\"51.5,-0.1\",lon,23,," + reports + "," + reporters + ",")
        .value()
        ->speakers;
  };
  CHECK(speakers("", "") == 1);
  CHECK(speakers("8", "") == 8);
  CHECK(speakers("", "3") == 3);
  CHECK(speakers("8", "3") == 3);
  CHECK(speakers("2.6", "9") == 3);
  CHECK(speakers("0.1", "9") == 1);
  CHECK(speakers("200", "100") == voice_limit);
}

TEST_CASE("Rows with equal values are different networks, and the same rows the same") {
  const auto place = cell_of("place", "51.6,-0.2");
  auto all = voices_of(23, 3, now_minute, place, 0);
  merge(all, voices_of(23, 2, now_minute, place, 1));
  CHECK(all.size() == 5);
  merge(all, voices_of(23, 2, now_minute, place, 1));
  CHECK(all.size() == 5);
}

TEST_CASE("Rows of cells that earlier versions learned are nothing") {
  reading in{header_line};
  for (const std::string row : {"asn,AS13335,lon,,1.25,2.0,6,", "country,GB,lon,,1.2,3,3,"}) {
    const auto read = in.row(row);
    REQUIRE(read.has_value());
    CHECK_FALSE(read->has_value());
  }
}

TEST_CASE("Clients are named by coordinates or addresses, too, and columns have any order") {
  reading by_place{"ms,region,longitude,latitude"};
  REQUIRE(by_place.header().has_value());
  const auto place = by_place.row("23.1,lon,-0.12,51.5");
  REQUIRE(place.has_value());
  CHECK(std::get<coordinates>((*place)->client) == coordinates{51.5, -0.12});
  CHECK((*place)->milliseconds == 23.1);
  CHECK((*place)->speakers == 1);
  CHECK((*place)->minute == now_minute);
  reading by_address{"address,region,ms,reports,reported"};
  CHECK(by_address.has_addresses());
  const auto address = by_address.row("2001:db8::1,lon,9,2.5,2025-01-31");
  REQUIRE(address.has_value());
  CHECK(std::get<ip_address>((*address)->client) == *parse_ip_address("2001:db8::1"));
  CHECK((*address)->speakers == 3);
  CHECK((*address)->minute == 28'971'360);
}

TEST_CASE("A header that cannot be read is refused with what to do") {
  CHECK(contains(header_refusal("latitude,longitude,regoin,ms"),
                 "`regoin` is not a column. Did you mean `region`? The first line must name"));
  CHECK(contains(header_refusal("51.5,-0.1,lon,23"), "`51.5` is not a column. The first line"));
  CHECK(contains(header_refusal("ms,ms"), "The column `ms` appears twice. Remove one of them."));
  const std::string one_way = "Columns must say where the client is in one way";
  CHECK(contains(header_refusal("region,ms"), one_way));
  CHECK(contains(header_refusal("kind,region,ms"), one_way));
  CHECK(contains(header_refusal("latitude,region,ms"), one_way));
  CHECK(contains(header_refusal("address,latitude,longitude,region,ms"), one_way));
  CHECK(contains(header_refusal("address,ms"), "There is no column `region`."));
  CHECK(contains(header_refusal("address,region"), "There is no column `ms`."));
  CHECK(contains(header_refusal("address,region,ms,ratio"), "`ratio` is only for files"));
  CHECK(contains(header_refusal("kind,cell,region,ratio"), "There is no column `ms`."));
}

TEST_CASE("A row that cannot be read is refused with what to do") {
  reading in{header_line};
  const auto refusal = [&](const std::string& line) { return in.refusal(line); };
  CHECK(refusal("place,\"51.5,-0.1\",lon,23,,,,") == "none");
  CHECK(contains(refusal("place,51.5,-0.1,lon,23,,,,"),
                 "The line has 9 values, but the first line names 8 columns."));
  CHECK(contains(refusal("city,London,lon,23,,,,"),
                 "`city` is not a kind of cell. Allowed: network, place."));
  CHECK(contains(refusal("place,51.5,lon,23,,,,"),
                 "`51.5` is not a cell of the kind place. Use one such as 81.2.69.0/24"));
  CHECK(contains(refusal("place,\"51.5,-0.1\",lon,23,2,,,"), "Leave `ratio` empty."));
  CHECK(contains(refusal("place,\"51.5,-0.1\",,23,,,,"), "`region` is empty."));
  for (const std::string ms : {"", "x", "-1", "2000.1", "nan", "1e9"})
    CHECK(contains(refusal("place,\"51.5,-0.1\",lon," + ms + ",,,,"),
                   "Use milliseconds from 0 to 2000."));
  for (const std::string reports : {"0", "0.04", "201", "inf", "many"})
    CHECK(contains(refusal("place,\"51.5,-0.1\",lon,23,," + reports + ",,"),
                   "Use a number from 0.1 to 200."));
  CHECK(contains(refusal("place,\"51.5,-0.1\",lon,23,,,0,"), "`reporters` is `0`."));
  CHECK(contains(refusal("network,81.2.69.0/24,lon,23,,9,4,"),
                 "`reporters` is `4`. Networks of fewer than 5 clients are not kept"));
  CHECK(contains(refusal("network,81.2.69.0/24,lon,23,,9,,"), "`reporters` is empty. Networks"));
  CHECK(contains(refusal("place,\"51.5,-0.1\",lon,23,,,,yesterday"),
                 "`reported` is `yesterday`. Use a time such as"));
  CHECK(contains(refusal("place,\"51.5,-0.1\",lon,23,,,,2031-01-01"), "That is in the future."));
  CHECK(contains(refusal("place,\"51.5,-0.1,lon,23,,,,"), "A quoted value does not end"));
  reading by_place{"latitude,longitude,region,ms"};
  CHECK(contains(by_place.refusal("95,0,lon,1"), "latitude `95` and longitude `0` are not"));
  reading by_address{"address,region,ms"};
  CHECK(contains(by_address.refusal("81.2.69.142:80,lon,1"), "`81.2.69.142:80` is not an IP"));
}

TEST_CASE("A row of a time a little ahead counts as of now") {
  reading in{"address,region,ms,reported"};
  const auto row = in.row("192.0.2.1,lon,5,2025-11-24T20:00:00Z");
  REQUIRE(row.has_value());
  CHECK((*row)->minute == now_minute);
}

} // namespace
