#include "store/geoip.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <rapidcheck.h>

namespace {

using namespace matchcloud;
using namespace matchcloud::fixtures;
using model::coordinates;

model::ip_address address(std::string_view text) {
  return model::parse_ip_address(text).value();
}

constexpr std::array<std::uint8_t, 16> documentation_v6{0x20, 0x01, 0x0d, 0xb8};

/// 192.0.2.0/24 in London, 2001:db8::/32 in Sydney.
std::string two_places(mmdb_options options = {}) {
  mmdb_builder builder{options};
  builder.add_v4({192, 0, 2, 0}, 24, mmdb_nested_record(51.5074, -0.1278));
  if (options.ip_version == 6)
    builder.add_v6(documentation_v6, 32, mmdb_nested_record(-33.87, 151.21));
  return builder.build();
}

std::shared_ptr<const store::geoip> opened(const std::vector<std::string>& bytes) {
  const temporary_directory folder;
  std::vector<std::string> paths;
  for (const auto& each : bytes)
    paths.push_back(folder.file(std::to_string(paths.size()) + ".mmdb", each));
  return store::geoip::open(paths).value();
}

/// Where 192.0.2.1 is when all that is known is `record`.
std::optional<coordinates> located(const std::string& record) {
  mmdb_builder builder;
  builder.add_v4({192, 0, 2, 0}, 24, record);
  return opened({builder.build()})->locate(address("192.0.2.1"));
}

TEST_CASE("Every size of record and both trees are read") {
  for (const unsigned record_size : {24U, 28U, 32U})
    for (const unsigned ip_version : {4U, 6U}) {
      const auto geoip = opened({two_places({ip_version, record_size})});
      CHECK(geoip->locate(address("192.0.2.1")) == coordinates{51.5074, -0.1278});
      CHECK(geoip->locate(address("::ffff:192.0.2.1")) == coordinates{51.5074, -0.1278});
      CHECK_FALSE(geoip->locate(address("192.0.3.1")));
      const auto sydney = geoip->locate(address("2001:db8::1"));
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
}

TEST_CASE("Each record is read by its own schema") {
  mmdb_builder builder;
  builder.add_v4({192, 0, 2, 0}, 24, mmdb_nested_record(1, 2));
  builder.add_v4({198, 51, 100, 0}, 24, mmdb_flat_record(3, 4));
  const auto geoip = opened({builder.build()});
  CHECK(geoip->locate(address("192.0.2.1")) == coordinates{1, 2});
  CHECK(geoip->locate(address("198.51.100.1")) == coordinates{3, 4});
}

TEST_CASE("What is not a place on earth is unknown") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& record :
       {mmdb_nested_record(90.1, 0), mmdb_nested_record(0, -180.5), mmdb_nested_record(nan, 0),
        mmdb_nested_record(0, std::numeric_limits<double>::infinity()),
        mmdb_map({{"country_code", mmdb_string("GB")}}), mmdb_map({{"latitude", mmdb_double(1)}}),
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
  CHECK(opened({builder.build()})->locate(address("192.0.2.1")) == coordinates{12.5, 12.5});

  mmdb_builder circular;
  circular.add_v4({192, 0, 2, 0}, 24, mmdb_pointer(0));
  CHECK_FALSE(opened({circular.build()})->locate(address("192.0.2.1")));
}

TEST_CASE("Of several files the first with coordinates decides") {
  mmdb_builder first{{4, 24}};
  first.add_v4({192, 0, 2, 0}, 25, mmdb_flat_record(1, 1));
  first.add_v4({192, 0, 2, 128}, 25, mmdb_map({{"country_code", mmdb_string("GB")}}));
  const auto geoip = opened({first.build(), two_places()});
  CHECK(geoip->locate(address("192.0.2.1")) == coordinates{1, 1});
  CHECK(geoip->locate(address("192.0.2.200")) == coordinates{51.5074, -0.1278});
  CHECK(geoip->locate(address("2001:db8::1")) == coordinates{-33.87, 151.21});
  CHECK_FALSE(geoip->locate(address("203.0.113.1")));
}

TEST_CASE("Without files every place is unknown") {
  const auto geoip = store::geoip::open({}).value();
  CHECK_FALSE(geoip->locate(address("192.0.2.1")));
}

TEST_CASE("A file that is overwritten or removed does not disturb what is open") {
  const temporary_directory folder;
  const auto path = folder.file("a.mmdb", two_places());
  const auto geoip = store::geoip::open({path}).value();
  folder.file("a.mmdb", "short");
  CHECK(geoip->locate(address("192.0.2.1")) == coordinates{51.5074, -0.1278});
  std::filesystem::remove(path);
  CHECK(geoip->locate(address("2001:db8::1")) == coordinates{-33.87, 151.21});
}

TEST_CASE("What is no database is refused, and the error names the file") {
  const temporary_directory folder;
  const auto whole = two_places();
  // A record of the root that points behind the data.
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
    const auto result = store::geoip::open({good, path});
    INFO(path);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == base::errc::geoip_invalid);
    CHECK(result.error().detail.starts_with(path + ": "));
    CHECK(result.error().detail.size() > path.size() + 2);
  }
}

/// A thousand thousand arrays of one in another: deeper than any stack.
std::string bottomless_value() {
  std::string bytes;
  for (int i = 0; i < 1'000'000; ++i)
    bytes += mmdb_control(mmdb_type::array, 1);
  return bytes;
}

TEST_CASE("Nesting without end is unknown in a record and refused in the metadata") {
  const auto deep = bottomless_value();
  CHECK_FALSE(located(mmdb_control(mmdb_type::map, 1) + mmdb_string("a") + deep));
  CHECK_FALSE(located(deep));

  const temporary_directory folder;
  const auto bytes = std::string(2000, '\0') + "\xab\xcd\xefMaxMind.com" +
                     mmdb_control(mmdb_type::map, 1) + mmdb_string("description") +
                     deep.substr(0, 120'000);
  const auto result = store::geoip::open({folder.file("deep.mmdb", bytes)});
  REQUIRE_FALSE(result);
  CHECK(result.error().code == base::errc::geoip_invalid);
}

TEST_CASE("A record that claims more than there is, is unknown") {
  for (const auto* head : {"\xff\xff\xff\xff", "\x5f\xff\xff\xff", "\x3f\xff\xff\xff\xff"})
    CHECK_FALSE(located(head));
  CHECK_FALSE(located(mmdb_control(mmdb_type::map, 16'000'000) + mmdb_string("a")));
}

TEST_CASE("Damaged files are refused or harmless") {
  const temporary_directory folder;
  const auto probe = [&folder](const std::string& bytes) {
    const auto result = store::geoip::open({folder.file("damaged.mmdb", bytes)});
    if (!result) return;
    for (const auto* text : {"192.0.2.1", "2001:db8::1", "255.255.255.255", "::", "ff::"}) {
      const auto found = (*result)->locate(address(text));
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
