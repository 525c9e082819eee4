#pragma once

#include "model/catalog/catalog.hpp"
#include "store/object_name.hpp"
#include "store/secrets/secret_store.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::simulation {

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
