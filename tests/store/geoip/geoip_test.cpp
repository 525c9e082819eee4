#include "store/geoip/geoip.hpp"

#include "store/geoip/geoip_files.hpp"
#include "store/geoip/source_files.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <rapidcheck.h>

#include <array>
#include <filesystem>
#include <limits>

namespace {

using namespace matchcloud;
using namespace matchcloud::fixtures;
using model::coordinates;

model::ip_address ip(std::string_view text) {
  return model::parse_ip_address(text).value();
}

constexpr std::array<std::uint8_t, 16> documentation_v6{0x20, 0x01, 0x0d, 0xb8};

/// A database with 192.0.2.0/24 in London and 2001:db8::/32 in Sydney.
std::string two_places(mmdb_options options = {}) {
  mmdb_builder builder{options};
  builder.add_v4({192, 0, 2, 0}, 24, mmdb_nested_record(51.5074, -0.1278));
  if (options.ip_version == 6)
    builder.add_v6(documentation_v6, 32, mmdb_nested_record(-33.87, 151.21));
  return builder.build();
}

/// Opens the files the way a service does.
base::expected<std::shared_ptr<const store::geoip>>
open_geoip(const std::vector<std::string>& paths) {
  const auto files = store::geoip_files::open(paths);
  if (!files) return tl::unexpected{files.error()};
  return (*files)->in_force();
}

std::shared_ptr<const store::geoip> opened(const std::vector<std::string>& bytes) {
  const temporary_directory folder;
  std::vector<std::string> paths;
  for (const auto& each : bytes)
    paths.push_back(folder.file(std::to_string(paths.size()) + ".mmdb", each));
  return open_geoip(paths).value();
}

/// A database with `record` for 192.0.2.0/24, and a location elsewhere.
std::string file_with(const std::string& record) {
  mmdb_builder builder;
  builder.add_v4({192, 0, 2, 0}, 24, record);
  builder.add_v4({198, 51, 100, 0}, 24, mmdb_nested_record(7, 7));
  return builder.build();
}

/// The location of 192.0.2.1 when `record` is all that is known about it.
std::optional<coordinates> located(const std::string& record) {
  return opened({file_with(record)})->locate(ip("192.0.2.1"));
}

/// The reason why a file with these bytes is refused, without the file's name.
std::string refusal(const std::string& bytes) {
  const temporary_directory folder;
  const auto path = folder.file("refused.mmdb", bytes);
  const auto result = open_geoip({path});
  REQUIRE_FALSE(result);
  CHECK(result.error().code == base::errc::geoip_invalid);
  REQUIRE(result.error().detail.starts_with(path + ": "));
  return result.error().detail.substr(path.size() + 2);
}

TEST_CASE("Every size of record and both trees are read") {
  for (const unsigned record_size : {24U, 28U, 32U})
    for (const unsigned ip_version : {4U, 6U}) {
      const auto geoip = opened({two_places({ip_version, record_size})});
      CHECK(geoip->locate(ip("192.0.2.1")) == coordinates{51.5074, -0.1278});
      CHECK(geoip->locate(ip("::ffff:192.0.2.1")) == coordinates{51.5074, -0.1278});
      CHECK_FALSE(geoip->locate(ip("192.0.3.1")));
      const auto sydney = geoip->locate(ip("2001:db8::1"));
      CHECK(sydney.has_value() == (ip_version == 6));
    }
}

TEST_CASE("Coordinates are found in every schema and type") {
  CHECK(located(mmdb_nested_record(51.5, -0.125)) == coordinates{51.5, -0.125});
  CHECK(located(mmdb_flat_record(51.5F, -0.125F)) == coordinates{51.5, -0.125});
  CHECK(located(mmdb_map({{"latitude", mmdb_double(1.5)}, {"longitude", mmdb_float(-2.5F)}})) ==
        coordinates{1.5, -2.5});
  CHECK(located(mmdb_map(
            {{"latitude", mmdb_string("51.5074")}, {"longitude", mmdb_string("-0.1278")}})) ==
        coordinates{51.5074, -0.1278});
  CHECK(located(mmdb_map({{"latitude", mmdb_integer(mmdb_type::uint16, 51)},
                          {"longitude", mmdb_integer(mmdb_type::int32, 0xffffffff)}})) ==
        coordinates{51, -1});
  CHECK(located(mmdb_map({{"x", mmdb_array({mmdb_boolean(true), mmdb_string("y")})},
                          {"location", mmdb_map({{"latitude", mmdb_double(0)},
                                                 {"longitude", mmdb_double(0)}})}})) ==
        coordinates{0, 0});
  for (const auto& corner : {coordinates{90, 180}, coordinates{-90, -180}})
    CHECK(located(mmdb_nested_record(corner.latitude, corner.longitude)) == corner);
}

TEST_CASE("What is not a place on earth is unknown") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& record :
       {mmdb_nested_record(90.1, 0), mmdb_nested_record(0, -180.5), mmdb_nested_record(nan, 0),
        mmdb_nested_record(0, std::numeric_limits<double>::infinity()),
        mmdb_map({{"country_code", mmdb_string("ZZ")}}), mmdb_map({{"latitude", mmdb_double(1)}}),
        mmdb_map({{"latitude", mmdb_string("")}, {"longitude", mmdb_string("1")}}),
        mmdb_map({{"latitude", mmdb_string("1x")}, {"longitude", mmdb_string("1")}}),
        mmdb_map({{"latitude", mmdb_string("nan")}, {"longitude", mmdb_string("1")}}),
        mmdb_map({{"location", mmdb_string("latitude")}}), mmdb_string("51.5"), mmdb_map({})}) {
    const auto found = located(record);
    CHECK_FALSE(found);
  }
}

TEST_CASE("Pointers to keys and values are followed once") {
  mmdb_builder builder;
  const auto key = builder.add_value(mmdb_string("latitude"));
  const auto value = builder.add_value(mmdb_double(12.5));
  const auto record = mmdb_control(mmdb_type::map, 2) + mmdb_pointer(key) + mmdb_pointer(value) +
                      mmdb_string("longitude") + mmdb_pointer(value);
  builder.add_v4({192, 0, 2, 0}, 24, record);
  CHECK(opened({builder.build()})->locate(ip("192.0.2.1")) == coordinates{12.5, 12.5});

  mmdb_builder circular;
  circular.add_v4({192, 0, 2, 0}, 24, mmdb_pointer(0));
  CHECK(contains(refusal(circular.build()), "is damaged"));
}

/// A pointer to `offset` in the shortest encoding that can hold it.
std::string shortest_pointer(std::uint32_t offset) {
  const auto form = [](unsigned number, std::uint32_t distance, unsigned bytes) {
    const auto high = distance >> (8 * bytes);
    return std::string(1, static_cast<char>(0x20U | number << 3U | high)) +
           mmdb_big_endian(distance, bytes);
  };
  if (offset < 2'048) return form(0, offset, 1);
  if (offset < 526'336) return form(1, offset - 2'048, 2);
  return form(2, offset - 526'336, 3);
}

TEST_CASE("Pointers of every length lead where they say") {
  for (const std::uint32_t offset : {40U, 2'047U, 2'048U, 526'335U, 526'336U, 600'000U}) {
    INFO(offset);
    mmdb_builder builder;
    builder.add_value(std::string(offset, '\0')); // padding without fields
    REQUIRE(builder.add_value(mmdb_double(12.5)) == offset);
    builder.add_v4({192, 0, 2, 0}, 24,
                   mmdb_control(mmdb_type::map, 2) + mmdb_string("latitude") +
                       shortest_pointer(offset) + mmdb_string("longitude") + mmdb_double(3));
    CHECK(opened({builder.build()})->locate(ip("192.0.2.1")) == coordinates{12.5, 3});
  }
}

TEST_CASE("A record at the very end of the data is read") {
  mmdb_builder builder;
  builder.add_v4({192, 0, 2, 0}, 24, mmdb_nested_record(1, 2));
  const auto record = builder.add_value(mmdb_nested_record(1, 2));
  builder.add_v4({198, 51, 100, 0}, 24, mmdb_pointer(record));
  CHECK(opened({builder.build()})->locate(ip("198.51.100.1")) == coordinates{1, 2});
}

TEST_CASE("Values of every length are skipped") {
  for (const std::size_t length : {28U, 29U, 284U, 285U, 65'820U, 65'821U, 70'000U})
    CHECK(located(mmdb_map({{"name", mmdb_string(std::string(length, 'n'))},
                            {"latitude", mmdb_double(1)},
                            {"longitude", mmdb_double(2)}})) == coordinates{1, 2});
}

TEST_CASE("Keys that others are near are not taken for them") {
  // The key cache is indexed by the offset modulo 64.
  mmdb_builder builder;
  const auto latitude = builder.add_value(mmdb_string("latitude"));
  builder.add_value(std::string(64 - mmdb_string("latitude").size(), '\0'));
  const auto longitude = builder.add_value(mmdb_string("longitude"));
  REQUIRE(longitude == latitude + 64);
  builder.add_v4({192, 0, 2, 0}, 24,
                 mmdb_control(mmdb_type::map, 2) + mmdb_pointer(latitude) + mmdb_double(1) +
                     mmdb_pointer(longitude) + mmdb_double(2));
  CHECK(opened({builder.build()})->locate(ip("192.0.2.1")) == coordinates{1, 2});
}

std::optional<coordinates> country(std::string_view code) {
  const auto* const found = model::find_country(code);
  return found == nullptr ? std::nullopt : std::optional{found->at};
}

std::string iso_map(std::string_view code) {
  return mmdb_map({{"geoname_id", mmdb_integer(mmdb_type::uint32, 1)},
                   {"iso_code", mmdb_string(code)},
                   {"names", mmdb_map({{"en", mmdb_string("Somewhere")}})}});
}

TEST_CASE("A record without coordinates is where its country is") {
  CHECK(located(mmdb_map({{"country", iso_map("GB")}})) == country("GB"));
  CHECK(located(mmdb_map({{"country_code", mmdb_string("jp")}})) == country("JP"));
  CHECK(located(mmdb_map({{"country", mmdb_string("FR")}})) == country("FR"));
  CHECK(located(mmdb_map({{"registered_country", iso_map("DE")}})) == country("DE"));
  CHECK(located(mmdb_map({{"country", mmdb_string("United Kingdom")},
                          {"country_code", mmdb_string("GB")}})) == country("GB"));
  CHECK(located(mmdb_map({{"country", iso_map("SE")},
                          {"location", mmdb_map({{"time_zone", mmdb_string("Europe/Stockholm")}})},
                          {"registered_country", iso_map("US")}})) == country("SE"));
  CHECK(located(mmdb_map({{"country", iso_map("ZZ")}, {"registered_country", iso_map("NL")}})) ==
        country("NL"));
  CHECK(located(mmdb_map({{"country_code", mmdb_string("FR")},
                          {"latitude", mmdb_double(91)},
                          {"longitude", mmdb_double(0)}})) == country("FR"));
  // Checks the order of preference.
  CHECK(located(mmdb_map({{"country_code", mmdb_string("FR")}, {"country", iso_map("SE")}})) ==
        country("SE"));
  CHECK(located(mmdb_map({{"country", mmdb_string("DE")}, {"country_code", mmdb_string("FR")}})) ==
        country("FR"));
  CHECK(located(mmdb_map({{"registered_country", iso_map("US")},
                          {"country", mmdb_string("DE")}})) == country("DE"));
  CHECK(located(mmdb_map({{"country_code", mmdb_string("FR")},
                          {"country_code", mmdb_string("DE")}})) == country("FR"));
  CHECK_FALSE(located(mmdb_map({{"country", iso_map("XX")}})));
  CHECK_FALSE(located(mmdb_map({{"continent", iso_map("EU")}})));
}

TEST_CASE("Of several files the first with coordinates decides, else the first with a country") {
  mmdb_builder first{{4, 24}};
  first.add_v4({192, 0, 2, 0}, 25, mmdb_flat_record(1, 1));
  first.add_v4({192, 0, 2, 128}, 25, mmdb_map({{"country_code", mmdb_string("FR")}}));
  first.add_v4({203, 0, 113, 0}, 25, mmdb_map({{"country_code", mmdb_string("FR")}}));
  mmdb_builder third{{4, 28}};
  third.add_v4({203, 0, 113, 0}, 24, mmdb_map({{"country_code", mmdb_string("DE")}}));
  const auto geoip = opened({first.build(), two_places(), third.build()});
  CHECK(geoip->locate(ip("192.0.2.1")) == coordinates{1, 1});
  CHECK(geoip->locate(ip("192.0.2.200")) == coordinates{51.5074, -0.1278});
  CHECK(geoip->locate(ip("2001:db8::1")) == coordinates{-33.87, 151.21});
  CHECK(geoip->locate(ip("203.0.113.1")) == country("FR"));
  CHECK(geoip->locate(ip("203.0.113.200")) == country("DE"));
  CHECK_FALSE(geoip->locate(ip("198.51.100.1")));
}

TEST_CASE("A description tells the file that decided and whether the place is exact") {
  const temporary_directory folder;
  mmdb_builder countries;
  countries.add_v4({0, 0, 0, 0}, 0, mmdb_map({{"country", iso_map("gb")}}));
  const auto coarse_path = folder.file("countries.mmdb", countries.build());
  const auto exact_path = folder.file("cities.mmdb", two_places());
  const auto geoip = open_geoip({coarse_path, exact_path}).value();
  const auto exact = geoip->describe(ip("2002:c000:0201::1"));
  CHECK(exact.looked_up == ip("192.0.2.1"));
  CHECK(exact.at == coordinates{51.5074, -0.1278});
  CHECK(exact.is_exact);
  CHECK(exact.country.empty()); // the file that decided names none that is known
  CHECK(exact.file == exact_path);
  CHECK(exact.asn == 0);
  CHECK(exact.asn_file.empty());
  const auto coarse = geoip->describe(ip("203.0.113.1"));
  CHECK(coarse.looked_up == ip("203.0.113.1"));
  CHECK(coarse.at == country("GB"));
  CHECK_FALSE(coarse.is_exact);
  CHECK(coarse.country == "GB");
  CHECK(coarse.file == coarse_path);
  const auto unknown = geoip->describe(ip("2001:db9::1"));
  CHECK_FALSE(unknown.at);
  CHECK(unknown.country.empty());
  CHECK(unknown.file.empty());
}

/// What is told of the country of 192.0.2.1 when `record` is all that is known about it.
std::string country_by(const std::string& record) {
  const auto geoip = opened({file_with(record)});
  return std::string{geoip->country_of(geoip->find(ip("192.0.2.1")))};
}

TEST_CASE("The country of a place is kept whether the place is exact or not") {
  const auto at = [](std::pair<std::string_view, std::string> country) {
    return mmdb_map({country, {"latitude", mmdb_double(51.5)}, {"longitude", mmdb_double(-0.125)}});
  };
  CHECK(country_by(at({"country_code", mmdb_string("GB")})) == "GB");
  CHECK(country_by(at({"country_code", mmdb_string("uk")})) == "GB");
  CHECK(country_by(at({"country", mmdb_string("FR")})) == "FR");
  CHECK(country_by(at({"country", iso_map("SE")})) == "SE");
  CHECK(country_by(at({"registered_country", iso_map("DE")})) == "DE");
  CHECK(country_by(at({"country_code", mmdb_string("XX")})).empty());
  CHECK(country_by(at({"time_zone", mmdb_string("Europe/London")})).empty());
  CHECK(country_by(mmdb_map({{"country", iso_map("JP")},
                             {"location", mmdb_map({{"latitude", mmdb_double(1)},
                                                    {"longitude", mmdb_double(2)}})}})) == "JP");
  CHECK(country_by(mmdb_map({{"country_code", mmdb_string("CH")}})) == "CH");
  CHECK(opened({two_places()})->country_of(0).empty());
}

TEST_CASE("Countries are told by file and place, the same coordinates in two countries apart") {
  const auto in = [](std::string_view code, double latitude) {
    return mmdb_map({{"country_code", mmdb_string(code)},
                     {"latitude", mmdb_double(latitude)},
                     {"longitude", mmdb_double(7)}});
  };
  mmdb_builder first{{4, 24}};
  first.add_v4({192, 0, 2, 0}, 25, in("CH", 47));
  first.add_v4({192, 0, 2, 128}, 25, in("FR", 47));
  mmdb_builder second;
  second.add_v4({198, 51, 100, 0}, 24, in("DE", 47));
  second.add_v4({198, 51, 101, 0}, 24, mmdb_map({{"country_code", mmdb_string("IT")}}));
  second.add_v6(documentation_v6, 32, mmdb_nested_record(1, 2));
  const auto geoip = opened({first.build(), second.build()});
  const auto told = [&](std::string_view text) {
    return std::string{geoip->country_of(geoip->find(ip(text)))};
  };
  CHECK(told("192.0.2.1") == "CH");
  CHECK(told("192.0.2.129") == "FR");
  CHECK(told("198.51.100.1") == "DE");
  CHECK(told("198.51.101.1") == "IT");
  CHECK(told("2001:db8::1").empty());
  CHECK(geoip->locate(ip("192.0.2.1")) == geoip->locate(ip("198.51.100.1")));
}

TEST_CASE("IPv6 addresses that carry an IPv4 address are where that is") {
  const auto both = opened({two_places()});
  const auto v4_only = opened({two_places({4, 24})});
  for (const auto& geoip : {both, v4_only})
    for (const auto* text : {"::ffff:192.0.2.1", "2002:c000:0201::1", "2002:c000:0201:7::",
                             "64:ff9b::192.0.2.1", "2001:0:1:2:3:4:3fff:fdfe"}) {
      INFO(text);
      CHECK(geoip->locate(ip(text)) == coordinates{51.5074, -0.1278});
    }
  // A file's record for the carrier network itself locates the relay, not the user.
  mmdb_builder relays;
  relays.add_v6({0x20, 0x02}, 16, mmdb_nested_record(5, 5));
  CHECK_FALSE(opened({relays.build()})->locate(ip("2002:c000:0201::1")));
}

TEST_CASE("What is no database is refused, and the error names the file") {
  const temporary_directory folder;
  const auto whole = two_places();
  // The root's record points behind the data.
  auto lost = two_places({4, 24});
  lost.replace(0, 3, "\xff\xff\xff");
  const std::vector<std::string> refused{
      folder.path("missing.mmdb"),
      folder.path(""),
      folder.file("empty.mmdb", ""),
      folder.file("garbage.mmdb", std::string(5000, 'x')),
      folder.file("half.mmdb", whole.substr(0, whole.size() / 2)),
      folder.file("end.mmdb", whole.substr(0, whole.size() - 1)),
      folder.file("tail.mmdb", whole.substr(whole.size() / 2)),
      folder.file("lost.mmdb", lost),
  };
  const auto good = folder.file("good.mmdb", whole);
  for (const auto& path : refused) {
    const auto result = open_geoip({good, path});
    INFO(path);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == base::errc::geoip_invalid);
    CHECK(result.error().detail.starts_with(path + ": "));
    CHECK(result.error().detail.size() > path.size() + 2);
    // Errors in a file's content advise fetching it again.
    const bool is_content =
        std::filesystem::is_regular_file(path) && std::filesystem::file_size(path) > 0;
    CHECK(result.error().detail.ends_with("; download it again") == is_content);
  }
}

/// A million nested arrays: deeper than any stack.
std::string bottomless_value() {
  std::string bytes;
  for (int i = 0; i < 1'000'000; ++i)
    bytes += mmdb_control(mmdb_type::array, 1);
  return bytes;
}

std::string with_metadata(const std::string& metadata) {
  return std::string(2000, '\0') + "\xab\xcd\xefMaxMind.com" + metadata;
}

TEST_CASE("Nesting without end is refused, in a record and in the metadata") {
  const auto deep = bottomless_value();
  for (const auto& record : {mmdb_control(mmdb_type::map, 1) + mmdb_string("a") + deep, deep})
    CHECK(contains(refusal(file_with(record)), "the record at byte 0 "));
  CHECK(contains(refusal(std::string(5000, 'x')), "not a MaxMind database, or it was truncated"));
  CHECK(contains(refusal(with_metadata(mmdb_control(mmdb_type::map, 1) +
                                       mmdb_string("description") + deep.substr(0, 120'000))),
                 "metadata is damaged"));
  // The last marker counts.
  CHECK(contains(refusal(with_metadata(mmdb_map({}) + "\xab\xcd\xefMaxMind.com" +
                                       mmdb_control(mmdb_type::map, 1) +
                                       mmdb_string("description") + deep.substr(0, 120'000))),
                 "metadata is damaged"));
}

TEST_CASE("Pointers that lead in a circle are refused") {
  const auto leading_to = [](std::uint32_t offset) {
    return mmdb_control(mmdb_type::map, 1) + mmdb_string("a") + mmdb_pointer(offset);
  };
  // From the first map to the second, and back.
  const auto size = static_cast<std::uint32_t>(leading_to(0).size());
  mmdb_builder pair;
  pair.add_value(leading_to(size));
  pair.add_v4({192, 0, 2, 0}, 24, leading_to(0));
  CHECK(contains(refusal(pair.build()), "is damaged"));
  CHECK(contains(refusal(with_metadata(leading_to(0))), "metadata is damaged"));
}

TEST_CASE("More nodes than the file can have are refused, also as many as overflow 32 bits") {
  auto bytes = two_places({6, 24});
  const auto at = bytes.find("node_count") + 10;
  const auto behind = mmdb_string("record_size");
  bytes.replace(at, bytes.find(behind) - at,
                mmdb_integer(mmdb_type::uint32, (std::uint64_t{1} << 32U) / 6));
  CHECK(contains(refusal(bytes), "nodes that fit into the file; download it again"));
}

TEST_CASE("A damaged record is refused, whatever else is sound") {
  const auto value_of = [](const std::string& value) {
    return mmdb_control(mmdb_type::map, 1) + mmdb_string("a") + value;
  };
  for (const auto& record : {
           // They claim more than there is.
           std::string{"\xff\xff\xff\xff"},
           std::string{"\x5f\xff\xff\xff"},
           std::string{"\x3f\xff\xff\xff\xff"},
           mmdb_control(mmdb_type::map, 16'000'000) + mmdb_string("a"),
           value_of(std::string(1, '\x64') + "four"), // a double of four bytes
           value_of(mmdb_pointer(1'000'000)),         // points behind the data
           value_of(mmdb_control(mmdb_type::uint16, 3) + "abc"),
           value_of(std::string("\x00\x05", 2)), // a cache container
           // A map whose keys are no strings.
           mmdb_control(mmdb_type::map, 1) + mmdb_double(1) + mmdb_double(1),
       }) {
    const auto why = refusal(file_with(record));
    INFO(why);
    CHECK(contains(why, "the record at byte 0 of its data section is damaged"));
  }
}

TEST_CASE("Records end where the metadata begin") {
  auto bytes = two_places({4, 24});
  const auto marker = bytes.find("\xab\xcd\xefMaxMind.com");
  auto cut = bytes;
  cut.erase(marker - 1, 1); // makes the marker's first byte the last record's last byte
  CHECK(contains(refusal(cut), "of its data section is damaged"));
  // The metadata are a valid value, but not a record.
  const std::size_t section = 24 * 6 + 16; // behind 24 nodes
  for (const std::size_t behind : {0U, 14U}) {
    bytes.replace(0, 3, mmdb_big_endian(24 + 16 + marker - section + behind, 3));
    CHECK(contains(refusal(bytes), "node 0 of its search tree points nowhere"));
  }
}

TEST_CASE("A record of too many fields is refused") {
  auto record = mmdb_control(mmdb_type::array, 5'000);
  for (int i = 0; i < 5'000; ++i)
    record += mmdb_boolean(true);
  CHECK(contains(refusal(file_with(record)), "more than 4096 fields"));
}

TEST_CASE("Records within one another are read no longer than a file of their size deserves") {
  // Records of some thirty bytes that all point to one map of 3,000 fields.
  const auto nested_in_one = [](unsigned records) {
    mmdb_builder builder;
    const auto shared = builder.add_value(mmdb_control(mmdb_type::map, 1'500) + [] {
      std::string bytes;
      for (int i = 0; i < 1'500; ++i)
        bytes += mmdb_string("k") + mmdb_boolean(true);
      return bytes;
    }());
    for (unsigned i = 0; i < records; ++i) {
      // Each record has different bytes, or it would be stored only once.
      const auto record = mmdb_control(mmdb_type::map, 2) + mmdb_string("location") +
                          mmdb_pointer(shared) + mmdb_string("n") +
                          mmdb_integer(mmdb_type::uint32, i);
      builder.add_v4({10, 0, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)}, 32,
                     record);
    }
    builder.add_v4({198, 51, 100, 0}, 24, mmdb_nested_record(7, 7));
    return builder.build();
  };
  CHECK(opened({nested_in_one(20)})->locate(ip("198.51.100.1")) == coordinates{7, 7});
  CHECK(contains(refusal(nested_in_one(2'000)), "takes too long"));
}

TEST_CASE("A tree that would be walked again and again is refused") {
  // Both branches of each of 24 nodes lead to the next one, and the last leads back to the second.
  auto bytes = two_places({4, 24});
  for (std::uint32_t node = 0; node < 24; ++node) {
    const auto next = mmdb_big_endian(node == 23 ? 1 : node + 1, 3);
    bytes.replace(node * 6, 6, next + next);
  }
  // One network has a record, or the database has no places.
  bytes.replace(0, 3, mmdb_big_endian(24 + 16, 3));
  CHECK(contains(refusal(bytes), "in a way that no real database does; download it again"));
}

TEST_CASE("Files damaged anywhere are refused or harmless") {
  const temporary_directory folder;
  const auto probe = [&folder](const std::string& bytes) {
    const auto result = open_geoip({folder.file("damaged.mmdb", bytes)});
    if (!result) return;
    for (const auto* text : {"192.0.2.1", "2001:db8::1", "255.255.255.255", "::", "ff::"}) {
      const auto found = (*result)->locate(ip(text));
      RC_ASSERT(!found || (found->latitude >= -90 && found->latitude <= 90));
    }
  };
  REQUIRE(rc::check("any bytes changed", [&probe] {
    auto bytes = two_places({6, *rc::gen::element(24U, 28U, 32U)});
    const auto changes = *rc::gen::inRange(1, 6);
    for (int i = 0; i < changes; ++i)
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
    probe(bytes);
  }));
  REQUIRE(rc::check("behind the tree changed", [&probe] {
    auto bytes = two_places();
    const auto from = bytes.size() - 500;
    for (int i = 0; i < 3; ++i)
      bytes[*rc::gen::inRange(from, bytes.size())] = *rc::gen::arbitrary<char>();
    probe(bytes);
  }));
  const auto whole = two_places();
  for (std::size_t size = 0; size < whole.size(); ++size)
    probe(whole.substr(0, size));
}

} // namespace
