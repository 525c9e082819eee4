#pragma once

#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"
#include "store/backup/make_backup.hpp"
#include "store/backup/restore.hpp"
#include "store/backup/verify.hpp"
#include "store/files/secret_files.hpp"
#include "store/media/put_image.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/store/copy/copied_store.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace matchcloud::store {

/// A store of all kinds of content, with three images, an export and secrets.
struct backed_up_store {
  copied_store from;
  std::string backup = from.directory.path("backup");
  std::string other = from.directory.path("other");
  std::vector<image_key> images;

  explicit backed_up_store(std::uint32_t seed = 1, std::uint32_t lobbies = 200) {
    fill(from, seed, lobbies);
    for (std::uint32_t number = 1; number <= 3; ++number)
      images.push_back(add_image(number, "image " + std::to_string(number)));
  }

  /// Stores an image as an avatar's import does, and the avatar.
  image_key add_image(std::uint32_t number, const std::string& bytes) const {
    image_key key;
    key.upload_id = id_of(number);
    const auto digest = base::sha256(bytes);
    std::copy_n(digest.begin(), key.name.digest.size(), key.name.digest.begin());
    had(put_image(*had(open_objects(from.place)), key, bytes));
    model::avatar avatar;
    avatar.upload_id = key.upload_id;
    avatar.game_id = id_of(1);
    avatar.display_name = "A";
    avatar.complete = true;
    avatar.image = key.name;
    had(had(from.open()->avatars())->put(std::vector{avatar}));
    return key;
  }
  std::string image_path(std::size_t number, const std::string& in) const {
    return in + "/" + object_of(images.at(number)).text();
  }

  /// A finished export, as a service leaves it.
  std::string add_export(std::uint32_t number) const {
    const auto id = model::to_string(id_of(number));
    const auto folder = from.place.data_dir + "/exports/" + id;
    std::filesystem::create_directories(folder);
    write(folder + "/lobby-history.csv", "a,b\r\n");
    write(folder + "/about.json",
          R"({"export_id":")" + id + R"(","game_id":")" + id +
              R"(","query_start":0,"query_end":1,"keep_until_ts":9,"csv_bytes":5})" + "\n");
    return folder;
  }
  secret_versions make_secret() const {
    return had(secret_files{from.place.data_dir}.load(secret_name::signing_keys));
  }

  static void write(const std::string& path, std::string_view bytes) {
    std::ofstream{path, std::ios::binary | std::ios::trunc}.write(
        bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  base::expected<backup_manifest> back_up(bool with_secrets = false,
                                          const copy_watch& watch = {}) const {
    return make_backup({from.place, backup, with_secrets, "1.2.3"}, watch);
  }
  store_place other_place() const {
    store_place place;
    place.data_dir = other;
    return place;
  }
  base::expected<restored> restore(const copy_watch& watch = {}) const {
    return restore_backup(backup, other_place(), watch);
  }
};

/// The findings of one kind, as `WHAT: DETAIL`.
inline std::vector<std::string> all_of(const findings& in, finding::kind is) {
  std::vector<std::string> lines;
  for (const auto& each : in)
    if (each.is == is) lines.push_back(each.what + ": " + each.detail);
  return lines;
}

/// The tables, without the audit log, in which a restore has an entry more.
inline std::vector<table_facts> content(std::vector<table_facts> tables) {
  std::erase_if(tables, [](const table_facts& each) { return each.name == "audit"; });
  return tables;
}

} // namespace matchcloud::store
