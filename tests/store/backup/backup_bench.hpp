#pragma once

#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"
#include "store/backup/make_backup.hpp"
#include "store/backup/restore.hpp"
#include "store/backup/verify.hpp"
#include "store/files/secret_files.hpp"
#include "store/media/images.hpp"
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

  /// Stores a finished export, as a service does. Returns the path of its object.
  std::string add_export(std::uint32_t number) const {
    const std::string csv = "a,b\r\n";
    const auto exports = had(from.open()->exports());
    auto record =
        had(exports->claim_export({{id_of(1), {0, 1}}, id_of(number), id_of(77), {}, 0, 9})).record;
    had(had(open_objects(from.place))->put_new(object_of(record), csv, "text/csv"));
    record.is_complete = true;
    record.size_bytes = csv.size();
    record.sha256 = base::hexadecimal(base::sha256(csv));
    record.snapshot = history_snapshot{{1, 2}, 3};
    CHECK(had(exports->complete_export(record)));
    return from.place.data_dir + "/" + object_of(record).text();
  }
  secret_versions make_secret() const { return had(secret_files{from.place.data_dir}.load()); }

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

/// Writes the manifest again for the files that are in the folder now, as if this program had made
/// the backup of them.
inline void describe_again(const std::string& backup) {
  auto manifest = had(parse_manifest(fixtures::read_whole(backup + "/manifest.json")));
  for (auto& each : manifest.files) {
    const auto bytes = fixtures::read_whole(backup + "/" + each.name);
    each = {each.name, bytes.size(), base::hexadecimal(base::sha256(bytes))};
  }
  backed_up_store::write(backup + "/manifest.json", render_manifest(manifest));
}

/// As version 0.2.0 wrote it.
inline void unprotect(const std::string& backup) {
  auto text = fixtures::read_whole(backup + "/manifest.json");
  text.resize(text.rfind(",\"sha256\""));
  text.replace(text.find("\"format\":2"), 10, "\"format\":1");
  backed_up_store::write(backup + "/manifest.json", text + "}\n");
}

/// The findings of one kind, as `WHAT: DETAIL`.
inline std::vector<std::string> all_of(const findings& in, finding::kind is) {
  std::vector<std::string> lines;
  for (const auto& each : in)
    if (each.is == is) lines.push_back(each.what + ": " + each.detail);
  return lines;
}

} // namespace matchcloud::store
