#include "store/geoip/source_files.hpp"

#include "store/geoip/asn_csv.hpp"
#include "store/geoip/geoip.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <rapidcheck.h>

namespace matchcloud::store {
namespace {

using namespace fixtures;

model::ip_address asn_address(std::string_view text) {
  return model::parse_ip_address(text).value();
}

std::shared_ptr<const asn_file> opened_asns(const std::string& bytes) {
  const temporary_directory folder;
  return asn_file::open(folder.file("asn", bytes)).value();
}

std::uint32_t asn_in(const asn_file& file, std::string_view text) {
  return file.find(asn_address(text));
}

/// The reason why a file with these bytes is refused, without the file's name.
std::string asn_refusal(const std::string& bytes) {
  const temporary_directory folder;
  const auto path = folder.file("refused", bytes);
  const auto result = asn_file::open(path);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == base::errc::geoip_invalid);
  REQUIRE(result.error().detail.starts_with(path + ": "));
  return result.error().detail.substr(path.size() + 2);
}

std::string asn_record(const std::string& number) {
  return mmdb_map({{"autonomous_system_number", number},
                   {"autonomous_system_organization", mmdb_string("Example")}});
}

std::string asn_database(mmdb_options options = {}) {
  mmdb_builder builder{options};
  builder.add_v4({192, 0, 2, 0}, 24, asn_record(mmdb_integer(mmdb_type::uint32, 64'496)));
  builder.add_v4({198, 51, 100, 0}, 25, asn_record(mmdb_integer(mmdb_type::uint32, 64'511)));
  if (options.ip_version == 6)
    builder.add_v6({0x20, 0x01, 0x0d, 0xb8}, 32,
                   asn_record(mmdb_integer(mmdb_type::uint32, 65'536)));
  return builder.build();
}

TEST_CASE("a MaxMind database of autonomous systems is read") {
  for (const unsigned record_size : {24U, 28U, 32U})
    for (const unsigned ip_version : {4U, 6U}) {
      const auto file = opened_asns(asn_database({ip_version, record_size}));
      CHECK(asn_in(*file, "192.0.2.1") == 64'496);
      CHECK(asn_in(*file, "198.51.100.127") == 64'511);
      CHECK(asn_in(*file, "198.51.100.128") == 0);
      CHECK(asn_in(*file, "2001:db8::1") == (ip_version == 6 ? 65'536U : 0U));
      REQUIRE(file->database());
      CHECK(file->database()->database_type == "matchcloud-test");
      CHECK(file->database()->build_epoch == 1'700'000'000);
    }
}

TEST_CASE("the number of an autonomous system is read in every type, if it is one") {
  const auto number_of = [](const std::string& value) {
    mmdb_builder builder;
    builder.add_v4({192, 0, 2, 0}, 24, asn_record(value));
    builder.add_v4({198, 51, 100, 0}, 24, asn_record(mmdb_integer(mmdb_type::uint32, 1)));
    return asn_in(*opened_asns(builder.build()), "192.0.2.1");
  };
  CHECK(number_of(mmdb_integer(mmdb_type::uint16, 1'299)) == 1'299);
  CHECK(number_of(mmdb_integer(mmdb_type::uint32, 399'999)) == 399'999);
  CHECK(number_of(mmdb_integer(mmdb_type::uint32, (1U << 31U) - 1)) == (1U << 31U) - 1);
  CHECK(number_of(mmdb_string("13335")) == 13'335);
  for (const auto& none :
       {mmdb_integer(mmdb_type::uint32, 0), mmdb_integer(mmdb_type::uint32, 1U << 31U),
        mmdb_integer(mmdb_type::uint32, 4'294'967'294), mmdb_double(1.5), mmdb_double(-1),
        mmdb_double(1e300), mmdb_string("AS13335"), mmdb_boolean(true), mmdb_map({})})
    CHECK(number_of(none) == 0);
}

TEST_CASE("a file of ranges as CSV is read, IPv4 and IPv6 in any order") {
  const auto file =
      opened_asns("2001:db8::,2001:db8:ffff:ffff:ffff:ffff:ffff:ffff,65536,Example\n"
                  "\"1.0.0.0\",\"1.0.0.255\",\"13335\",\"Cloudflare, \"\"Inc\"\"\"\r\n"
                  "\n"
                  "0.0.0.3,0.0.0.9,7\n"
                  "255.255.255.255,255.255.255.255,8,\n");
  CHECK_FALSE(file->database());
  for (const auto& [text, number] : {std::pair{"2001:db8::", 65'536U},
                                     {"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", 65'536U},
                                     {"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", 0U},
                                     {"2001:db9::", 0U},
                                     {"1.0.0.0", 13'335U},
                                     {"::ffff:1.0.0.255", 13'335U},
                                     {"1.0.1.0", 0U},
                                     {"0.255.255.255", 0U},
                                     {"0.0.0.2", 0U},
                                     {"0.0.0.3", 7U},
                                     {"0.0.0.9", 7U},
                                     {"0.0.0.10", 0U},
                                     {"255.255.255.255", 8U},
                                     {"255.255.255.254", 0U},
                                     {"::3", 0U}}) {
    INFO(text);
    CHECK(asn_in(*file, text) == number);
  }
}

TEST_CASE("ranges at both ends of both families, and more than a table can have, are told") {
  const auto file = opened_asns("0.0.0.0,255.255.255.255,1\n"
                                "255.255.255.0,255.255.255.255,2\n"
                                "::,ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff,3\n"
                                "::fffe:ffff:ffff:ffff,::fffe:ffff:ffff:ffff,4\n");
  CHECK(asn_in(*file, "0.0.0.0") == 1);
  CHECK(asn_in(*file, "255.255.254.255") == 1);
  CHECK(asn_in(*file, "255.255.255.255") == 2);
  CHECK(asn_in(*file, "::") == 3);
  CHECK(asn_in(*file, "::fffe:ffff:ffff:ffff") == 4);
  CHECK(asn_in(*file, "::1:0:0:0") == 3);
  CHECK(asn_in(*file, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff") == 3);

  asn_csv many;
  base::expected<void> read;
  for (std::size_t i = 0; read && i <= asn_csv::range_limit / 2; ++i) {
    // Each has a gap before the next.
    const auto text = std::to_string(1 + (i >> 15U & 0xffU)) + "." +
                      std::to_string(i >> 7U & 0xffU) + "." + std::to_string(i << 1U & 0xffU) +
                      "." + std::to_string(i >> 23U);
    read = base::attempt([&] { many.read(text + "," + text + ",1\n"); });
  }
  REQUIRE_FALSE(read);
  CHECK(contains(read.error().detail, "there are more than 2097152 ranges and gaps; join "));
}

TEST_CASE("a line that is no range is refused with its number and what to write") {
  const std::string good = "1.0.0.0,1.0.0.255,13335,Cloudflare\n";
  const auto why = [&good](const std::string& line) {
    return asn_refusal(good + line + "\n" + good);
  };
  CHECK(why("1.0.0,1.0.0.255,13335") ==
        "line 2: `1.0.0` is not an IP address; each line must begin with the first address, the "
        "last address and the number of the autonomous system, such as 1.0.0.0,1.0.0.255,13335");
  CHECK(why("16777216,16777471,13335").starts_with("line 2: `16777216` is not an IP address; "));
  CHECK(why("1.0.0.0/24,13335,Cloudflare").starts_with("line 2: `1.0.0.0/24` is not an IP "));
  CHECK(why("1.0.0.0").starts_with("line 2: `\"\"` is not an IP address; "));
  CHECK(why("1.0.0.0,1.0.0.255").starts_with("line 2: `\"\"` is not the number of an autonomous "));
  CHECK(why("1.0.0.0,1.0.0.255,AS13335")
            .starts_with("line 2: `AS13335` is not the number of an autonomous system, from 0 to "
                         "4294967295; each line must begin with "));
  CHECK(why("1.0.0.0,1.0.0.255,4294967296").starts_with("line 2: `4294967296` is not the number"));
  CHECK(why("1.0.0.0,1.0.0.255,-1").starts_with("line 2: `-1` is not the number"));
  CHECK(why("1.0.0.255,1.0.0.0,13335") ==
        "line 2: its range ends with 1.0.0.0, before it begins with 1.0.0.255; swap the two");
  CHECK(why("1.0.0.0,2001:db8::,13335")
            .starts_with("line 2: its range begins with an IPv4 address and ends with an IPv6 "));
  CHECK(why(std::string(5'000, '1')).starts_with("line 2: it has more than 4096 bytes"));
  CHECK(why("1.0.0.0,1.0.0.255,1," + std::string(4'077, 'x'))
            .starts_with("line 2: it has more than 4096 bytes"));
  CHECK(asn_in(*opened_asns("1.0.0.0,1.0.0.255,1," + std::string(4'076, 'x') + "\n"), "1.0.0.1") ==
        1);
}

TEST_CASE("CSV that ends within a line, or has no numbers, is refused") {
  CHECK(asn_refusal("1.0.0.0,1.0.0.255,13335,A\n1.0.1.0,1.0.1.255,133") ==
        "line 2: it does not end with a line end, so the file was probably truncated; download it "
        "again");
  for (const auto* none : {"\n\n", "1.0.0.0,1.0.0.255,0,\n", "1.0.0.0,1.0.0.255,4294967295,\n"})
    CHECK(asn_refusal(none) == "no line has the number of an autonomous system");
}

TEST_CASE("the kind of a file is told by its content, and what is neither kind is refused") {
  CHECK(contains(asn_refusal("PK\x03\x04" + std::string(100, 'x')), "it is packed with zip. "));
  CHECK(contains(asn_refusal(std::string(5'000, '\0')),
                 "it is not a MaxMind database, or it was truncated"));
  const auto whole = asn_database();
  CHECK(contains(asn_refusal(whole.substr(0, whole.size() / 2)), "; download it again"));
  const temporary_directory folder;
  const auto csv = folder.file("named.mmdb", "1.0.0.0,1.0.0.255,13335\n");
  CHECK(asn_in(*asn_file::open(csv).value(), "1.0.0.1") == 13'335);
  const auto database = folder.file("named.csv", whole);
  CHECK(asn_in(*asn_file::open(database).value(), "192.0.2.1") == 64'496);
  CHECK(asn_file::open(folder.path("missing")).error().detail.starts_with(folder.path("missing")));
}

TEST_CASE("databases of places and of autonomous systems are not taken for each other") {
  mmdb_builder places;
  places.add_v4({192, 0, 2, 0}, 24, mmdb_nested_record(1, 2));
  CHECK(asn_refusal(places.build()) ==
        "it is a database of the type `matchcloud-test`, none of whose records has the number of "
        "an autonomous system; use a database of autonomous systems, such as GeoLite2 ASN "
        "(databases of places belong into geoip)");
  const temporary_directory folder;
  const auto wrong = mmdb_file::open(folder.file("asn.mmdb", asn_database()));
  REQUIRE_FALSE(wrong);
  CHECK(contains(wrong.error().detail, "coordinates or a known country"));
  CHECK(contains(wrong.error().detail, "(autonomous systems belong into geoip-asn)"));
  mmdb_builder empty;
  empty.add_value(mmdb_nested_record(1, 1));
  CHECK(contains(mmdb_file::open(folder.file("a.mmdb", empty.build())).error().detail,
                 "`matchcloud-test`"));
}

TEST_CASE("autonomous systems are told of many addresses at once, by the embedded one") {
  const temporary_directory folder;
  const auto path = folder.file("asn.csv", "192.0.2.0,192.0.2.255,64496\n"
                                           "2001:db8::,2001:db8::ffff,65536\n");
  const auto known = geoip::of({}, asn_file::open(path).value());
  const std::vector wanted{asn_address("192.0.2.7"),          asn_address("2002:c000:0207::1"),
                           asn_address("64:ff9b::192.0.2.7"), asn_address("2001:db8::1"),
                           asn_address("198.51.100.1"),       asn_address("2001:db9::1")};
  std::array<std::uint32_t, geoip::at_once> numbers{};
  numbers.fill(9);
  known->asns(wanted, numbers);
  CHECK(std::vector(numbers.begin(), numbers.begin() + 7) ==
        std::vector<std::uint32_t>{64'496, 64'496, 64'496, 65'536, 0, 0, 9});
  CHECK(known->find(wanted[0]) == 0);
  const auto told = known->describe(wanted[1]);
  CHECK(told.asn == 64'496);
  CHECK(told.asn_file == path);
  CHECK_FALSE(told.at);
  CHECK(known->describe(wanted[5]).asn == 0);
  CHECK(known->describe(wanted[5]).asn_file == path);

  geoip::of({})->asns(wanted, numbers);
  CHECK(std::vector(numbers.begin(), numbers.begin() + 7) ==
        std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 9});
}

TEST_CASE("a table of any ranges has what a walk over them finds") {
  REQUIRE(rc::check("look-ups and the last range that has the address", [] {
    // Addresses of two bytes' difference, so that ranges meet.
    const auto address_at = [](bool v4, std::uint32_t number) {
      model::ip_address made = asn_address(v4 ? "10.1.0.0" : "2001:db8::");
      made.bytes[15] = static_cast<std::uint8_t>(number);
      made.bytes[14] = static_cast<std::uint8_t>(number >> 8U);
      return made;
    };
    struct line {
      bool v4 = false;
      std::uint32_t first = 0;
      std::uint32_t last = 0;
      std::uint32_t asn = 0;
    };
    std::vector<line> lines;
    std::string text = "192.0.2.1,192.0.2.1,1\n";
    for (int count = *rc::gen::inRange(0, 12); count > 0; --count) {
      const auto a = *rc::gen::inRange<std::uint32_t>(0, 1U << 16U);
      const auto b = *rc::gen::inRange<std::uint32_t>(0, 1U << 16U);
      lines.push_back({*rc::gen::arbitrary<bool>(), std::min(a, b), std::max(a, b),
                       *rc::gen::inRange<std::uint32_t>(0, 4)});
      const auto& made = lines.back();
      text += to_string(address_at(made.v4, made.first)) + "," +
              to_string(address_at(made.v4, made.last)) + "," + std::to_string(made.asn) + "\n";
    }
    const auto file = opened_asns(text);
    const auto check = [&](bool v4, std::uint32_t number) {
      std::uint32_t wanted = 0;
      for (const auto& each : lines)
        if (each.v4 == v4 && each.first <= number && number <= each.last) wanted = each.asn;
      RC_ASSERT(asn_in(*file, to_string(address_at(v4, number))) == wanted);
    };
    for (const auto& each : lines)
      for (const auto edge : {each.first, each.last})
        for (const auto near : {edge, edge + 1, edge - 1})
          check(each.v4, near & 0xFFFFU);
  }));
}

} // namespace
} // namespace matchcloud::store
