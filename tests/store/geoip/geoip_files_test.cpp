#include "store/geoip/geoip_files.hpp"

#include "store/geoip/geoip.hpp"
#include "store/geoip/mmdb_source.hpp"
#include "store/geoip/sealed_file.hpp"
#include "store/geoip/source_files.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/fixtures/replaced_file.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/tolerated_leaks.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::store {
namespace {

using namespace fixtures;
using strings = std::vector<std::string>;

/// The latitude of 192.0.2.1, in which the databases of this file differ.
std::optional<double> latitude_by(const geoip& known) {
  const auto found = known.locate(model::parse_ip_address("192.0.2.1").value());
  return found ? std::optional{found->latitude} : std::nullopt;
}

std::string at_latitude(double latitude) {
  return mmdb_of_place(latitude, 10);
}

/// Watched files in a folder, and the accumulated results of all looks.
struct geoip_files_bench {
  temporary_directory folder;
  strings paths;
  std::shared_ptr<geoip_files> files;
  strings taken;
  strings refused;

  explicit geoip_files_bench(const strings& contents = {at_latitude(1)}) {
    for (const auto& bytes : contents)
      paths.push_back(folder.file(std::to_string(paths.size()) + ".mmdb", bytes));
    open();
  }

  void open() {
    for (const auto& path : paths)
      wait_until_settled(path);
    files = geoip_files::open(paths).value();
  }
  const std::string& path() const { return paths.front(); }
  std::optional<double> latitude() const { return latitude_by(*files->in_force()); }

  void reload() {
    const auto found = files->reload();
    for (const auto& file : found.taken)
      taken.push_back(file.path);
    for (const auto& reason : found.refused)
      refused.push_back(base::to_string(reason));
  }
  /// Looks until a replaced file is noticed and, once it is stable, opened.
  void settle() {
    reload();
    for (const auto& each : paths)
      wait_until_settled(each);
    reload();
    reload();
  }
  void check_kept(double was, const std::string& why) {
    settle();
    settle();
    CHECK(taken.empty());
    REQUIRE(refused.size() == 1);
    INFO(refused[0]);
    CHECK(refused[0].find(path() + ": ") != std::string::npos);
    CHECK(refused[0].find(why) != std::string::npos);
    CHECK(latitude() == was);
  }
};

TEST_CASE("files that nobody touches are opened once") {
  geoip_files_bench on;
  const auto at_start = on.files->in_force();
  for (int i = 0; i < 10; ++i)
    on.reload();
  CHECK(on.taken.empty());
  CHECK(on.refused.empty());
  CHECK(on.files->in_force() == at_start);
}

TEST_CASE("a file that another was renamed over is taken up, and the old one stays usable") {
  geoip_files_bench on;
  const auto before = on.files->in_force();
  rename_over(on.path(), at_latitude(2));
  on.settle();
  CHECK(on.taken == strings{on.path()});
  CHECK(on.latitude() == 2.0);
  CHECK(latitude_by(*before) == 1.0);
  on.settle();
  CHECK(on.taken.size() == 1);
}

TEST_CASE("a file is not read before two looks found it the same") {
  geoip_files_bench on;
  const auto whole = at_latitude(4);
  for (const auto part : {3U, 2U}) {
    overwrite(on.path(), std::string_view{whole}.substr(0, whole.size() / part));
    wait_until_settled(on.path());
    on.reload();
  }
  overwrite(on.path(), whole);
  wait_until_settled(on.path());
  on.reload();
  CHECK(on.latitude() == 1.0);
  on.reload();
  CHECK(on.latitude() == 4.0);
  CHECK(on.refused.empty());
}

TEST_CASE("a file that stays half written is refused, and taken up once it is whole") {
  geoip_files_bench on;
  const auto whole = at_latitude(5);
  overwrite(on.path(), std::string_view{whole}.substr(0, whole.size() / 2));
  on.check_kept(1, "");
  overwrite(on.path(), whole);
  on.settle();
  CHECK(on.taken.size() == 1);
  CHECK(on.latitude() == 5.0);
}

TEST_CASE("what is no database is refused, once, and the old one stays") {
  geoip_files_bench on;
  SECTION("garbage") {
    rename_over(on.path(), std::string(5'000, 'x'));
    on.check_kept(1, "");
  }
  SECTION("emptiness") {
    overwrite(on.path(), "");
    on.check_kept(1, "empty");
  }
  SECTION("nothing at all") {
    std::filesystem::remove(on.path());
    on.check_kept(1, "No such file");
  }
  std::filesystem::remove(on.path());
  rename_over(on.path(), at_latitude(6));
  on.settle();
  CHECK(on.latitude() == 6.0);
  CHECK(on.refused.size() == 1);
}

TEST_CASE("each bad replacement is told of, also the same one after a good one") {
  geoip_files_bench on;
  for (std::size_t i = 1; i <= 3; ++i) {
    overwrite(on.path(), std::string(100 + i, 'x'));
    on.settle();
    CHECK(on.refused.size() == i);
  }
  rename_over(on.path(), at_latitude(2));
  on.settle();
  overwrite(on.path(), std::string(100, 'x'));
  on.settle();
  CHECK(on.refused.size() == 4);
  CHECK(on.latitude() == 2.0);
}

TEST_CASE("a link that leads elsewhere is followed, as Kubernetes replaces files of config maps") {
  geoip_files_bench on;
  const auto set = [&](const std::string& version, double latitude) {
    std::filesystem::create_directory(on.folder.path(version));
    const auto file = on.folder.file(version + "/places.mmdb", at_latitude(latitude));
    wait_until_settled(file);
    std::filesystem::create_directory_symlink(version, on.folder.path("..data.new"));
    std::filesystem::rename(on.folder.path("..data.new"), on.folder.path("..data"));
  };
  set("..1", 1);
  std::filesystem::create_symlink("..data/places.mmdb", on.folder.path("places.mmdb"));
  on.paths = {on.folder.path("places.mmdb")};
  on.open();
  on.settle();
  CHECK(on.taken.empty());
  set("..2", 2);
  on.settle();
  CHECK(on.latitude() == 2.0);
  std::filesystem::remove_all(on.folder.path("..1"));
  on.settle();
  CHECK(on.taken.size() == 1);
  CHECK(on.refused.empty());
}

TEST_CASE("another file of the same size and time is another file") {
  geoip_files_bench on;
  struct stat was {};
  REQUIRE(::stat(on.path().c_str(), &was) == 0);
  SECTION("renamed over") {
    overwrite(on.path() + ".new", at_latitude(7));
    copy_times(was, on.path() + ".new");
    std::filesystem::rename(on.path() + ".new", on.path());
  }
  SECTION("overwritten in place") {
    overwrite(on.path(), at_latitude(7));
    copy_times(was, on.path());
  }
  struct stat is {};
  REQUIRE(::stat(on.path().c_str(), &is) == 0);
  REQUIRE(is.st_size == was.st_size);
  REQUIRE(is.st_mtim.tv_nsec == was.st_mtim.tv_nsec);
  on.settle();
  CHECK(on.latitude() == 7.0);
}

TEST_CASE("a file that is written while the process starts is not taken for what was opened") {
  temporary_directory folder;
  const auto path = folder.file("a.mmdb", at_latitude(1));
  const auto files = geoip_files::open({path}).value();
  overwrite(path, at_latitude(2)); // the same size, maybe within the same clock tick
  wait_until_settled(path);
  files->reload();
  files->reload();
  CHECK(latitude_by(*files->in_force()) == 2.0);
}

TEST_CASE("of several files only those are opened that were replaced") {
  // The first file knows the address, so the second has no effect until the first no longer does.
  geoip_files_bench on{{at_latitude(1), at_latitude(2), at_latitude(3)}};
  mmdb_builder elsewhere;
  elsewhere.add_v4({198, 51, 100, 0}, 24, mmdb_nested_record(9, 9));
  std::filesystem::remove(on.paths[1]); // could not be opened again, which is not needed
  rename_over(on.paths[0], elsewhere.build());
  on.settle();
  CHECK(on.taken == strings{on.paths[0]});
  CHECK(on.refused.size() == 1);
  CHECK(on.latitude() == 2.0);
  rename_over(on.paths[1], elsewhere.build());
  on.settle();
  CHECK(on.taken == strings{on.paths[0], on.paths[1]});
  CHECK(on.latitude() == 3.0);
}

TEST_CASE("a replaced database is freed by a look, never by who used it last") {
  geoip_files_bench on;
  auto user = on.files->in_force();
  const std::weak_ptr<const geoip> observed = user;
  rename_over(on.path(), at_latitude(2));
  on.settle();
  on.reload();
  CHECK(latitude_by(*user) == 1.0);
  user = nullptr;
  CHECK_FALSE(observed.expired());
  on.reload();
  CHECK(observed.expired());
}

/// Replaces the file up to the limit while users still hold each earlier database.
std::vector<std::shared_ptr<const geoip>> replaced_while_in_use(geoip_files_bench& on) {
  std::vector<std::shared_ptr<const geoip>> users;
  for (std::size_t i = 0; i < geoip_files::retired_limit; ++i) {
    users.push_back(on.files->in_force());
    rename_over(on.path(), at_latitude(static_cast<double>(i) + 2));
    on.settle();
  }
  return users;
}

TEST_CASE("with too many replaced databases in use no more are opened, until they are let go") {
  geoip_files_bench on;
  auto users = replaced_while_in_use(on);
  CHECK(on.taken.size() == geoip_files::retired_limit);
  rename_over(on.path(), at_latitude(50));
  on.settle();
  REQUIRE(on.refused.size() == 1);
  CHECK(on.refused[0].find("still in use") != std::string::npos);
  CHECK(on.latitude() == static_cast<double>(geoip_files::retired_limit) + 1);
  users.clear();
  for (unsigned i = 0; i < geoip_files::looks_until_retry; ++i)
    on.reload();
  CHECK(on.latitude() == 50.0);
}

TEST_CASE("a refused file is tried again after a while, in silence") {
  geoip_files_bench on;
  overwrite(on.path(), "garbage");
  on.settle();
  for (unsigned i = 0; i < 3 * geoip_files::looks_until_retry; ++i)
    on.reload();
  CHECK(on.refused.size() == 1);
}

/// The autonomous system of 192.0.2.1.
std::uint32_t asn_by(const geoip& known) {
  const auto wanted = model::parse_ip_address("192.0.2.1").value();
  std::uint32_t number = 0;
  known.asns({&wanted, 1}, {&number, 1});
  return number;
}

std::string csv_of(std::uint32_t asn) {
  return "192.0.2.0,192.0.2.255," + std::to_string(asn) + ",Example\n";
}

std::string database_of(std::uint32_t asn) {
  mmdb_builder builder;
  builder.add_v4({192, 0, 2, 0}, 24,
                 mmdb_map({{"autonomous_system_number", mmdb_integer(mmdb_type::uint32, asn)}}));
  return builder.build();
}

TEST_CASE("a file of autonomous systems is watched like the others, and alone works, too") {
  geoip_files_bench on;
  auto places = on.paths;
  const auto asn_path = on.folder.file("asn", csv_of(1));
  on.paths.push_back(asn_path);
  wait_until_settled(asn_path);
  bool is_alone = false;
  SECTION("with a file of places") {}
  SECTION("alone") {
    places.clear();
    is_alone = true;
  }
  on.files = geoip_files::open(places, asn_path).value();
  const auto asn = [&on] { return asn_by(*on.files->in_force()); };
  const auto latitude = is_alone ? std::nullopt : std::optional{1.0};
  CHECK(asn() == 1);
  CHECK(on.latitude() == latitude);
  rename_over(asn_path, csv_of(2));
  on.settle();
  CHECK(on.taken == strings{asn_path});
  CHECK(asn() == 2);
  rename_over(asn_path, database_of(3)); // the kind is told by the content
  on.settle();
  CHECK(asn() == 3);
  overwrite(asn_path, csv_of(4) + "192.0.2.0,");
  on.settle();
  REQUIRE(on.refused.size() == 1);
  CHECK(on.refused[0].find(asn_path + ": line 2: it does not end with a line end") !=
        std::string::npos);
  CHECK(asn() == 3);
  CHECK(on.latitude() == latitude);
  CHECK(on.taken.size() == 2);
  rename_over(asn_path, csv_of(5));
  on.settle();
  CHECK(asn() == 5);
}

TEST_CASE("without files there is nothing to look at") {
  const auto files = geoip_files::open({}).value();
  CHECK(files->reload().in_force == files->in_force());
  CHECK_FALSE(latitude_by(*files->in_force()));
}

// -- faults that are injected at `geoip.*`: an address keeps its old location, or has none -------

using base::fault_kind;
using base::fault_point;

struct geoip_faults_bench {
  temporary_directory folder;
  std::string path = folder.file("a.mmdb", mmdb_of_place(1, 10));
  std::shared_ptr<geoip_files> files;

  geoip_faults_bench() {
    wait_until_settled(path);
    files = geoip_files::open({path}).value();
  }
  std::optional<double> latitude() const {
    const auto found = files->in_force()->locate(model::parse_ip_address("192.0.2.1").value());
    return found ? std::optional{found->latitude} : std::nullopt;
  }
  /// Replaces the file and looks until it is read. Returns the errors if it was refused.
  std::vector<base::error> replace(double latitude) {
    rename_over(path, mmdb_of_place(latitude, 10));
    auto refused = files->reload().refused;
    wait_until_settled(path);
    for (int i = 0; i < 2; ++i)
      for (auto& each : files->reload().refused)
        refused.push_back(std::move(each));
    return refused;
  }
};

TEST_CASE("an address whose look-up fails is unknown, until the fault is taken away") {
  const geoip_faults_bench on;
  auto second = rule_of(fault_kind::error);
  second.every = 2;
  injected_fault fails{fault_point::geoip_lookup, second};
  CHECK(on.latitude() == 1);
  CHECK(on.latitude() == std::nullopt);
  CHECK(on.latitude() == 1);
  CHECK(fails.hits() == 1);
  fails.take_away();
  CHECK(on.latitude() == 1);
  CHECK(on.latitude() == 1);
}

TEST_CASE("a replaced file that fails to be read is refused, and the old one stays in force") {
  geoip_faults_bench on;
  injected_fault fails{fault_point::geoip_reload, once(rule_of(fault_kind::error))};
  CHECK(fails.passes() == 0);
  const auto refused = on.replace(2);
  CHECK(fails.hits() == 1);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].code == base::errc::geoip_invalid);
  CHECK(refused[0].detail == on.path + ": a fault is injected at geoip.reload");
  CHECK(on.latitude() == 1);
  CHECK(on.replace(3).empty());
  CHECK(on.latitude() == 3);
}

TEST_CASE("whichever bit of a replaced file is read wrong, it is refused or taken, and told") {
  const temporary_directory folder;
  const auto bytes = mmdb_of_place(1, 10);
  const auto path = folder.file("a.mmdb", bytes);
  const auto wanted = model::parse_ip_address("192.0.2.1").value();
  // libmaxminddb 1.7 leaks 4.6 kB if a language in the metadata is not a string (fixed by its pull
  // request 356).
  const tolerated_leaks of_library;
  std::size_t refused = 0;
  std::size_t wrong = 0;
  for (std::uint64_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const auto opened = mmdb_file::open(path, bit);
    if (!opened) {
      ++refused;
      continue;
    }
    const auto number = (*opened)->find_number(wanted);
    if (number == 0 || (*opened)->places()[number - 1].at != model::coordinates{1, 10}) ++wrong;
  }
  CHECK(refused > 0);
  CHECK(wrong > 0);
  CHECK(refused + wrong < 8 * bytes.size()); // the others change names, or zeros after numbers
  CHECK(mmdb_file::open(path).has_value());
}

TEST_CASE("a corrupted reload changes the copy and not the file") {
  geoip_faults_bench on;
  injected_fault corrupted{fault_point::geoip_reload, once(rule_of(fault_kind::corrupt))};
  on.replace(2);
  CHECK(corrupted.hits() == 1);
  const auto bytes = mmdb_of_place(2, 10);
  CHECK(read_whole(on.path) == bytes);
}

// -- the copies that are read

std::string text_in(const sealed_file& file) {
  return {file.bytes().begin(), file.bytes().end()};
}

TEST_CASE("A sealed copy is the file as it was, whatever happens to it, and nobody can write it") {
  const temporary_directory folder;
  const auto size = GENERATE(1U, 1U << 20U, (1U << 20U) + 1, 3'000'000U);
  std::string text(size, 'x');
  text.back() = 'y';
  const auto path = folder.file("a", text);
  auto copied = sealed_file::copy(path).value();
  std::filesystem::resize_file(path, 0);
  std::filesystem::remove(path);
  const auto moved = std::move(copied);
  CHECK(text_in(moved) == text);
  CHECK(std::filesystem::file_size(moved.path()) == size);
  const int writing = ::open(moved.path().c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(writing >= 0);
  CHECK(::write(writing, "z", 1) == -1);
  CHECK(::ftruncate(writing, 0) == -1);
  ::close(writing);
}

TEST_CASE("One bit of a corrupted copy is wrong") {
  const temporary_directory folder;
  const auto copied = sealed_file::copy(folder.file("a", "abc"), 8 + 24).value();
  CHECK(text_in(copied) == "acc");
}

TEST_CASE("What cannot be copied is refused with the reason alone") {
  const temporary_directory folder;
  CHECK(sealed_file::copy(folder.path("none")).error().detail == "open: No such file or directory");
  CHECK(sealed_file::copy(folder.path()).error().detail == "not a regular file");
  CHECK(sealed_file::copy(folder.file("empty", "")).error().detail == "the file is empty");
}

// -- files that are packed

using namespace std::string_literals;

std::string packing_of(const std::string& beginning) {
  return describe_packing(
      {reinterpret_cast<const std::uint8_t*>(beginning.data()), beginning.size()});
}

TEST_CASE("what packs files is told by its first bytes") {
  const std::string rest(1'000, 'x');
  CHECK(packing_of("\x1f\x8b\x08"s + rest).starts_with("packed with gzip. Unpack it (gzip -d) "));
  CHECK(packing_of("PK\x03\x04"s + rest).starts_with("packed with zip. Unpack it (unzip) "));
  CHECK(packing_of("BZh9"s + rest).starts_with("packed with bzip2. "));
  CHECK(packing_of("\xfd\x37zXZ\0"s + rest).starts_with("packed with xz. "));
  CHECK(packing_of("\x28\xb5\x2f\xfd"s + rest).starts_with("packed with zstd. "));
  CHECK(packing_of(std::string(257, '\0') + "ustar" + rest).starts_with("a tar archive. "));
}

TEST_CASE("what is not packed, or too short to tell, is nothing") {
  for (const auto& bytes : {""s, "\x1f"s, "PK"s, "\0\0\1\0\0\2"s, "BZ"s,
                            std::string(257, '\0') + "ustar", std::string(4'096, '\0')})
    CHECK(packing_of(bytes).empty());
  CHECK(packing_of("\x1f\x8b"s).starts_with("packed with gzip"));
}

} // namespace
} // namespace matchcloud::store
