// The effect of faults injected at `geoip.*`: an address keeps its old location, or has none.
#include "store/geoip/geoip.hpp"
#include "store/geoip/geoip_files.hpp"
#include "store/geoip/source_files.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/fixtures/replaced_file.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/tolerated_leaks.hpp"

#include <fstream>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::store {
namespace {

using namespace fixtures;
using base::fault_kind;
using base::fault_point;
using std::chrono::milliseconds;

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
  std::ifstream in{on.path, std::ios::binary};
  CHECK(std::string{std::istreambuf_iterator<char>{in}, {}} == bytes);
}

TEST_CASE("reading a replaced file is delayed, or stalled until the fault is taken away") {
  geoip_faults_bench on;
  {
    const skipped_delays delays;
    injected_fault slow{fault_point::geoip_reload, delayed_by(milliseconds{30})};
    CHECK(on.replace(2).empty());
    CHECK(delays.passed() == std::vector<std::chrono::microseconds>{milliseconds{30}});
  }
  CHECK(on.latitude() == 2);
  const auto old = on.files->in_force();
  rename_over(on.path, mmdb_of_place(3, 10));
  on.files->reload();
  wait_until_settled(on.path);
  check_stalls(
      fault_point::geoip_reload,
      [&] {
        on.files->reload();
        on.files->reload();
      },
      [&] { CHECK(old->locate(model::parse_ip_address("192.0.2.1").value())->latitude == 2); });
  CHECK(on.latitude() == 3);
}

} // namespace
} // namespace matchcloud::store
