// kill -9 of image imports at random instants, while a service lists and serves the images.
#include "tests/catch.hpp"
#include "tests/faults/busy_clients.hpp"
#include "tests/faults/chances.hpp"
#include "tests/faults/service_calls.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/png_image.hpp"

#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>

namespace matchcloud::faults {

namespace {

using namespace e2e;

constexpr std::size_t images_per_import = 40;
const std::string list_target = "/cloud/games/" + second_game + "/avatars";

/// An image with a different size for each number.
std::string image_of(std::size_t number) {
  return fixtures::small_png(1'000 + number * 997 % 60'000);
}

/// Writes the lines of an import and the images that they name.
std::string write_import(const world& in, std::size_t first) {
  std::string lines;
  for (auto number = first; number < first + images_per_import; ++number) {
    const auto name = std::to_string(number) + ".png";
    in.directory().file(name, image_of(number));
    lines += R"({"game_id":")" + second_game + R"(","upload_id":")" + upload_id(number) +
             R"(","display_name":"A","create_ts":"2026-01-01T00:00:00Z","content_length":7,)" +
             R"("complete":true,"file":")" + name + "\"}\n";
  }
  return in.directory().file("avatars-" + std::to_string(first) + ".jsonl", lines);
}

/// Downloads every listed image and returns their number; throws if one differs from what was
/// imported.
std::size_t check_images(const address& from) {
  const auto listed = get(from, list_target);
  const auto document = parse_json(listed.body);
  if (listed.status != 200 || !document.IsObject()) throw wrong_answer{"a list: " + listed.body};
  const auto avatars = document["custom_avatars"].GetArray();
  for (const auto& each : avatars) {
    const auto url = text_at(each, "url");
    const auto image = get(from, url.substr(url.find("/media/")));
    const auto number = std::stoull(text_at(each, "upload_id").substr(24));
    if (image.status != 200 || image.body != image_of(number))
      throw wrong_answer{url + ": " + std::to_string(image.status) + ", " +
                         std::to_string(image.body.size()) + " bytes"};
  }
  return avatars.Size();
}

TEST_CASE("kill -9 of imports at any instant: every image that is listed is whole", "[kill]") {
  chances by{"kill -9 of imports"};
  const auto rounds = setting("MATCHCLOUD_SOAK_KILLS", kills);
  const world own;
  server of{{"--loops", "1"}, own};
  const auto import_of = [&](std::uint64_t round) -> arguments {
    return {"import", "avatars", "--data-dir", own.data_dir(),
            write_import(own, round * images_per_import)};
  };
  // The first import is not killed, to measure how long one takes here.
  std::vector<arguments> imports{import_of(0)};
  const auto begun = clock::now();
  REQUIRE(run(imports.front()).exit_code == 0);
  const auto usual = std::chrono::ceil<milliseconds>(clock::now() - begun);
  std::size_t ended = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    CAPTURE(round);
    imports.push_back(import_of(round));
    busy_clients readers;
    readers.add([from = of.data()] { check_images(from); });
    {
      child_process importing{imports.back()};
      if (importing.exit_code(deadline{by.up_to(usual * 3 / 2)})) ++ended;
      importing.signal(SIGKILL);
    }
    REQUIRE(readers.finish() == "");
    CHECK_NOTHROW(check_images(of.data()));
  }
  std::size_t before = 0;
  CHECK_NOTHROW(before = check_images(of.data()));
  for (const auto& each : imports)
    REQUIRE(run(each).exit_code == 0);
  CHECK(eventually([&] { return check_images(of.data()) == imports.size() * images_per_import; }));
  CHECK(std::filesystem::is_empty(own.data_dir() + "/tmp"));
  std::cout << "faults: " << rounds - ended << " of " << rounds << " imports killed, which take "
            << usual.count() << " ms; " << before << " images of "
            << imports.size() * images_per_import << " were listed then" << std::endl;
}

} // namespace

} // namespace matchcloud::faults
