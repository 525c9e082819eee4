#include "tests/store/conformance/engines.hpp"

#include "base/clock.hpp"
#include "store/files/secret_files.hpp"
#include "store/open_store.hpp"
#include "store/postgres/postgres_secrets.hpp"
#include "tests/fixtures/servers/postgres_server.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/simulation/memory_store.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace matchcloud::store {

namespace {

class sqlite_store final : public fresh_store {
public:
  base::expected<std::shared_ptr<database>> open() const override {
    return open_sqlite(directory_.path());
  }
  std::shared_ptr<secret_store> secrets() const override {
    return std::make_shared<secret_files>(directory_.path());
  }

private:
  fixtures::temporary_directory directory_;
};

/// A database of its own on the server that the tests share.
class postgres_store final : public fresh_store {
public:
  base::expected<std::shared_ptr<database>> open() const override {
    postgres_settings settings;
    settings.url = url_;
    return open_postgres(settings);
  }
  std::shared_ptr<secret_store> secrets() const override {
    had(open()); // makes the table
    postgres_settings settings;
    settings.url = url_;
    return std::make_shared<postgres_secrets>(settings, base::secret_bytes{7});
  }

private:
  std::string url_ = fixtures::shared_postgres().new_database();
};

/// What the simulation's nodes have for a store.
class simulated_store final : public fresh_store {
public:
  base::expected<std::shared_ptr<database>> open() const override { return disk_->store(); }
  std::shared_ptr<secret_store> secrets() const override { return nullptr; }

private:
  std::unique_ptr<simulation::memory_store> disk_ = std::make_unique<simulation::memory_store>();
};

} // namespace

const std::vector<engine>& engines() {
  static const std::vector<engine> embedded{
      {"SQLite", true, [] { return std::make_unique<sqlite_store>(); }},
      {"the simulation", false, [] { return std::make_unique<simulated_store>(); }},
  };
  static const std::vector<engine> served{
      {"PostgreSQL", true, [] { return std::make_unique<postgres_store>(); }},
  };
  return std::getenv("MATCHCLOUD_TEST_POSTGRES") ? served : embedded;
}

std::vector<std::string> stored_lobbies(lobby_history& in) {
  std::vector<std::string> lines;
  for (const std::uint32_t game : {1, 2}) {
    history_reader to;
    to.take = [&](const model::history_lobby& each) {
      const auto stop = each.times.stop_ts ? std::to_string(*each.times.stop_ts) : "running";
      lines.push_back(to_string(each.lobby_id) + ' ' + std::to_string(game) + ' ' +
                      std::to_string(each.times.start_ts) + ' ' + stop + ' ' +
                      *each.attribute_columns);
      return true;
    };
    constexpr model::time_span ever{0, std::numeric_limits<std::uint64_t>::max()};
    const auto read = in.read({id_of(game), ever}, base::machine_clock(), to);
    REQUIRE(read.has_value());
  }
  std::ranges::sort(lines);
  return lines;
}

} // namespace matchcloud::store
