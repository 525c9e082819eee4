#pragma once

#include "model/catalog/catalog.hpp"
#include "store/object_name.hpp"
#include "store/secrets/secret_store.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/simulation/memory_store.hpp"
#include "tests/simulation/seed.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::simulation {

/// The simulated disk: a store that others change by chance. One thread.
class database final : public memory_store {
public:
  explicit database(std::uint64_t seed);

  /// Each call makes one further state and returns a description for the trace. `now_ts`:
  /// milliseconds since 1970.
  std::string change_catalog();
  std::string change_avatars();
  std::string change_lobbies(std::int64_t now_ts);

  /// Merges the first of `records`, or all of them, into the ingested lobbies.
  store::lobby_merge merge_lobbies(std::span<const model::lobby_record> records,
                                   const model::lobby_attributes_table& attributes) override;
  /// The lobbies of ingests, apart from those that are exported: no state is kept of them.
  const lobby_map& ingested() const noexcept { return ingested_; }

  std::vector<taken_snapshot> snapshots;

private:
  chance random_;
  lobby_map ingested_;
  std::int64_t last_revision_ = 1;
  std::uint32_t last_id_ = 1'000;
};

/// The games. The last one is removed and added repeatedly.
const std::vector<model::uuid>& known_games();
/// The hosts whose pages may request listings.
const std::vector<std::string>& known_domains();

model::uuid numbered(std::uint32_t number);

/// The last GeoIP database: it is installed when everything is healed, and never before.
inline constexpr std::size_t healing_database = 3;

/// The files that all seeds share and none changes: images, signing keys, GeoIP databases. In
/// memory if the machine has `/dev/shm`.
class files {
public:
  struct image {
    store::image_key key;
    std::string bytes;
  };

  files();

  const std::string& path() const noexcept { return directory_.path(); }
  const std::vector<image>& images() const noexcept { return images_; }
  /// GeoIP databases that replace each other, by number; `location` is where one locates the client
  /// whose address ends in `client`.
  static constexpr std::size_t databases() noexcept { return healing_database + 1; }
  std::string database_path(std::size_t number) const;
  static model::coordinates location(std::size_t database, std::uint8_t client);
  const std::shared_ptr<store::secret_ring>& keys() const noexcept { return keys_; }

private:
  void make_images();
  void make_databases();

  fixtures::temporary_directory directory_;
  std::vector<image> images_;
  std::shared_ptr<store::secret_ring> keys_;
};

/// The clients that the databases can locate: the last byte of their address.
inline constexpr std::uint8_t located_clients = 4;

} // namespace matchcloud::simulation
