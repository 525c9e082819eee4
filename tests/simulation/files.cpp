#include "tests/simulation/files.hpp"

#include "store/files/secret_files.hpp"
#include "store/files/stable_file.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/simulation/database.hpp"

#include <filesystem>
#include <stdexcept>
#include <thread>

namespace matchcloud::simulation {

namespace {

namespace fs = std::filesystem;

std::string parent_directory() {
  std::error_code failed;
  return fs::is_directory("/dev/shm", failed) ? "/dev/shm" : fs::temp_directory_path().string();
}

} // namespace

files::files() : directory_{parent_directory()} {
  make_images();
  make_databases();
  auto keys = store::secret_ring::open(std::make_shared<store::secret_files>(path()));
  if (!keys) throw std::runtime_error{base::to_string(keys.error())};
  keys_ = *std::move(keys);
}

void files::make_images() {
  chance random{1};
  for (const std::size_t size : {100, 3'000, 400'000}) {
    image made;
    made.key.upload_id = numbered(static_cast<std::uint32_t>(size));
    for (auto& byte : made.key.name.digest)
      byte = static_cast<std::uint8_t>(random.next());
    for (std::size_t i = 0; i < size; ++i)
      made.bytes += static_cast<char>(random.next());
    const auto where = store::media_path(path(), made.key);
    fs::create_directories(fs::path{where}.parent_path());
    std::ofstream{where, std::ios::binary} << made.bytes;
    images_.push_back(std::move(made));
  }
}

void files::make_databases() {
  for (std::size_t number = 0; number < databases(); ++number) {
    fixtures::mmdb_builder builder;
    for (std::uint8_t client = 1; client <= located_clients; ++client) {
      const auto where = location(number, client);
      builder.add_v4({192, 0, 2, client}, 32,
                     fixtures::mmdb_nested_record(where.latitude, where.longitude));
    }
    directory_.file("geoip-" + std::to_string(number), builder.build());
  }
  // A file that was just written is not opened at once, by real time. From here on, looks at the
  // files depend on simulated time alone.
  while (store::file_state::of(database_path(databases() - 1)).is_fresh())
    std::this_thread::yield();
}

std::string files::database_path(std::size_t number) const {
  return directory_.path("geoip-" + std::to_string(number));
}

model::coordinates files::location(std::size_t database, std::uint8_t client) {
  return {static_cast<double>(client) * 10 + static_cast<double>(database),
          static_cast<double>(client) * 30 - 60};
}

} // namespace matchcloud::simulation
