// Variables that are set to nothing, as compose files do where there is no value.
#include "tests/e2e/process/wrapped_service.hpp"
#include "tests/service/page_table.hpp"

#include <csignal>

namespace {

using namespace matchcloud;
using namespace e2e;

TEST_CASE("empty variables count as absent, those of each key", "[lifecycle]") {
  environment empty;
  for (auto name : first_column("docs/configuration.md", "keys")) {
    for (auto& c : name)
      c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    empty.push_back("MATCHCLOUD_" + name + "=");
  }
  REQUIRE(empty.size() > 100);
  empty.emplace_back("MATCHCLOUD_NO_KEY=");
  server of{{}, shared_world(), empty};
  check_serves(of.data());
  CHECK_FALSE(contains(of.process().errors(), "MATCHCLOUD_"));
  of.process().signal(SIGTERM);
  CHECK(of.process().exit_code() == 0);
}

TEST_CASE("an empty variable does not hide what a file says", "[lifecycle]") {
  const world own;
  const auto file = own.directory().file("service.toml", "base-path = \"/file\"\n");
  const server of{{"--config", file}, own, {"MATCHCLOUD_BASE_PATH="}};
  CHECK(raw_connection{of.data()}.ask(request("GET", "/file" + regions_target)).status == 200);
}

TEST_CASE("empty variables of libraries count as absent, too", "[lifecycle]") {
  const fixtures::temporary_directory folder;
  // To libpq an empty one of these is a wrong value.
  const environment empty{
      "PGSSLMODE=", "PGCHANNELBINDING=", "PGTARGETSESSIONATTRS=", "PGGSSENCMODE="};
  const auto refused =
      run(arguments{"serve", "--data-dir", folder.path(), "--listen", "127.0.0.1:0", "--ops-listen",
                    "127.0.0.1:0", "--start-wait-ms", "0"} +
              waits_for_store,
          empty);
  CHECK(refused.exit_code == 1);
  INFO(refused.errors);
  CHECK(contains(refused.errors, "refused"));
  CHECK_FALSE(contains(refused.errors, "invalid"));
}

TEST_CASE("an empty variable of a token or of authorities is none", "[lifecycle]") {
  const environment empty{"MATCHCLOUD_TOKEN=", "MATCHCLOUD_CA_FILE=", "MATCHCLOUD_STORE=",
                          "SSL_CERT_FILE=", "SSL_CERT_DIR="};
  CHECK(run({"token", "list", "--data-dir", shared_world().data_dir()}, empty).exit_code == 0);
  const server of;
  const auto loaded =
      run({"--rate", "50", "--duration", "200ms", "http://" + of.data().authority()}, empty, {},
          fixtures::load_program());
  INFO(loaded.errors);
  CHECK(loaded.exit_code == 0);
}

} // namespace
