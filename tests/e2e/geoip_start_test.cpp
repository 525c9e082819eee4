// What a start makes of GeoIP files, the next one finds in the data directory.
#include "tests/catch.hpp"
#include "tests/e2e/server.hpp"
#include "tests/fixtures/replaced_file.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;

/// The files of tables in the data directory that are whole.
std::vector<std::string> tables_in(const world& in) {
  std::vector<std::string> found;
  std::error_code none;
  for (const auto& each : std::filesystem::directory_iterator{in.data_dir() + "/geoip", none})
    if (each.path().extension() == ".tables") found.push_back(each.path().string());
  return found;
}

struct outcome {
  std::string regions;
  std::string log;
};

/// Serves until the tables of the GeoIP file are kept, and the log has `line` if that is not empty.
outcome serve_once(const world& in, const std::string& line) {
  fixtures::wait_until_settled(in.geoip());
  server serving{{"--geoip", in.geoip()}, in};
  outcome found;
  found.regions = raw_connection{serving.data()}.ask(request("GET", regions_target)).body;
  CHECK(eventually([&] { return serving.process().errors().find(line) != std::string::npos; }));
  CHECK(eventually([&] { return !tables_in(in).empty(); }));
  serving.process().signal(SIGTERM);
  CHECK(serving.process().exit_code() == 0);
  found.log = serving.process().errors();
  return found;
}

TEST_CASE("A second start takes the tables of GeoIP files that the first kept", "[operations]") {
  const world own;
  const auto first = serve_once(own, "the tables of " + own.geoip() + " were made in ");
  const auto kept = tables_in(own);
  REQUIRE(kept.size() == 1);
  CHECK(fixtures::mode_of(kept.front()) == 0600);
  const auto second = serve_once(own, "the tables of " + own.geoip() + " were read in ");
  CHECK(second.log.find(" were made in ") == std::string::npos);
  CHECK(second.regions == first.regions);

  const auto bytes = fixtures::read_whole(kept.front());
  auto damaged = bytes;
  damaged[300] ^= 1;
  fixtures::overwrite(kept.front(), damaged);
  serve_once(own, "the tables kept of " + own.geoip() + " are damaged; they are made again");
  fixtures::overwrite(kept.front(), std::string_view{bytes}.substr(0, bytes.size() / 2));
  const auto third = serve_once(own, "cut short or too long; the tables are made again");
  CHECK(third.regions == first.regions);
}

} // namespace
