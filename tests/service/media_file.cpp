#include "tests/service/media_file.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/png_image.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace matchcloud::e2e {

std::string media_file::path(const world& in) const {
  return in.data_dir() + "/media/" + digest.substr(30) + "/" + upload_id + "." + digest + extension;
}

void media_file::refer(const world& in) {
  static unsigned made = 0;
  char id[40];
  std::snprintf(id, sizeof id, "00000000-0000-4000-8000-%012x", 0xA0000U + ++made);
  upload_id = id;
  const fixtures::temporary_directory folder;
  folder.file("image" + extension,
              extension == ".png" ? fixtures::small_png(made) : fixtures::small_jpeg());
  const auto line =
      R"({"game_id":"00000000-0000-4000-8000-000000000002","upload_id":")" + upload_id +
      R"(","display_name":"Image","create_ts":1,"content_length":1,"complete":true,)" +
      R"("file":"image)" + extension + "\"}\n";
  const auto done =
      run({"import", "avatars", "--data-dir", in.data_dir(), folder.file("avatars.jsonl", line)});
  INFO(done.errors);
  REQUIRE(done.exit_code == 0);
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator{in.data_dir() + "/media"}) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(upload_id)) digest = name.substr(upload_id.size() + 1, 32);
  }
  REQUIRE(digest.size() == 32);
}

void media_file::write(const world& in) const {
  std::ofstream{path(in), std::ios::binary} << content;
}

} // namespace matchcloud::e2e
