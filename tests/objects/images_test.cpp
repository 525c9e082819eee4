// Images in a bucket, from the import to the clients that show them.
#include "tests/catch.hpp"
#include "tests/fixtures/png_image.hpp"
#include "tests/objects/bucket_clients.hpp"
#include "tests/objects/bucket_world.hpp"

#include <algorithm>

namespace {

using namespace matchcloud;
using namespace e2e;

const std::string own_upload = "10000000-0000-4000-8000-000000000001";

/// Imports an image as an avatar of the demo's game.
void import_image(const world& into, const std::string& name, const std::string& bytes) {
  into.directory().file(name, bytes);
  const auto line = R"({"game_id":")" + std::string{demo_game} + R"(","upload_id":")" + own_upload +
                    R"(","display_name":"A","create_ts":"2026-12-01T00:00:00Z","content_length":)" +
                    std::to_string(bytes.size()) + R"(,"complete":true,"file":")" + name + "\"}\n";
  const auto done = run({"import", "avatars", "--data-dir", into.data_dir(),
                         into.directory().file("avatars.jsonl", line)});
  INFO(done.errors);
  REQUIRE(done.exit_code == 0);
}

/// The target of the imported image, which is the newest.
std::string imported_target(const server& of) {
  const auto target = image_targets(of).front();
  REQUIRE(target.find(own_upload) != target.npos);
  return target;
}

std::string changed(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("imported images are in the bucket and nowhere else, and lead to the same bytes") {
  if (!store::has_s3_service()) return;
  const auto each_way = each_delivery();
  const bucket_world at;
  const auto image = fixtures::small_jpeg();
  import_image(at.in, "image.jpg", image);
  CHECK(names_below(at.bucket, "media/").size() == 4);
  CHECK_FALSE(has_files(at.in, "media"));

  const server of{each_way, at.in};
  CHECK(image_targets(of).size() == 4);
  const auto target = imported_target(of);
  const auto got = download(of, target);
  CHECK(got.status == 200);
  CHECK(got.body == image);
  const auto head = download(of, target, "HEAD");
  CHECK(head.status == 200);
  CHECK(head.body.empty());
  for (const auto& each : {got, head}) {
    CHECK(each.header("content-length") == std::to_string(image.size()));
    CHECK(each.header("content-type") == "image/jpeg");
    CHECK(each.header("content-disposition") ==
          "inline; filename=\"avatar-" + own_upload + ".jpg\"");
  }
  for (const auto& each : image_targets(of))
    CHECK(download(of, each).header("content-type").starts_with("image/"));
  CHECK_FALSE(has_files(at.in, "media"));
}

TEST_CASE("an image's redirect is for a minute, for one method and for one image") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const server of{{}, at.in};
  const auto targets = image_targets(of);
  const auto get = ask(of, "GET", targets.front());
  const auto head = ask(of, "HEAD", targets.front());
  for (const auto& each : {get, head}) {
    CHECK(each.status == 307);
    CHECK(each.header("cache-control") == "no-store");
    CHECK(each.header("access-control-allow-origin") == "*");
    CHECK(each.header("location").starts_with(at.bucket.settings.endpoint + "/"));
    CHECK(each.header("location").find("X-Amz-Expires=60&") != std::string::npos);
  }
  const auto url = get.header("location");
  CHECK(ask_url(url).status == 200);
  CHECK(ask_url(url, "HEAD").status == 403);
  CHECK(ask_url(head.header("location")).status == 403);
  CHECK(ask_url(head.header("location"), "HEAD").status == 200);
  CHECK(ask_url(changed(url, "X-Amz-Expires=60", "X-Amz-Expires=600")).status == 403);
  CHECK(ask_url(changed(url, "image%2Fpng", "text%2Fhtml")).status == 403);
  const auto other = location{ask(of, "GET", targets.back()).header("location")}.target;
  const auto own = location{url}.target;
  CHECK(ask_url(changed(url, path_of(own), path_of(other))).status == 403);
}

TEST_CASE("conditions and ranges of images hold with both deliveries") {
  if (!store::has_s3_service()) return;
  const auto each_way = each_delivery();
  const bucket_world at;
  const server of{each_way, at.in};
  const auto target = image_targets(of).front();
  const auto whole = download(of, target);
  REQUIRE(whole.status == 200);
  const auto part = download(of, target, "GET", "Range: bytes=10-19\r\n");
  CHECK(part.status == 206);
  CHECK(part.body == whole.body.substr(10, 10));
  CHECK(download(of, target, "GET", "If-None-Match: " + whole.header("etag") + "\r\n").status ==
        304);
}

TEST_CASE("an image that is not there is not found, and leads nowhere") {
  if (!store::has_s3_service()) return;
  const auto each_way = each_delivery();
  const bucket_world at;
  const server of{each_way, at.in};
  const auto target = "/media/avatars/" + own_upload + "/" + std::string(32, '0') + ".png";
  const auto got = ask(of, "GET", target);
  CHECK(got.status == 404);
  CHECK(got.problem_code() == "media_not_found");
  CHECK(got.header("location").empty());
  CHECK(got.header("access-control-allow-origin") == "*");
  CHECK(ask(of, "HEAD", target).status == 404);
  // Found as soon as it is there.
  import_image(at.in, "image.png", fixtures::small_png());
  CHECK(eventually([&] { return image_targets(of).size() == 4; }));
  CHECK(download(of, imported_target(of)).body == fixtures::small_png());
}

TEST_CASE("lists name the images where everybody may read them") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const std::string base = "https://cdn.example/a";
  const server of{{"--objects-images-url", base}, at.in};
  const auto targets = image_targets(of, base);
  CHECK(targets.size() == 3);
  // Behind the base stand the names of the objects.
  const auto names = names_below(at.bucket, "media/");
  for (const auto& each : targets)
    CHECK(std::ranges::find(names, each.substr(1)) != names.end());
}

TEST_CASE("redirects lead to the public endpoint") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const auto direct = at.bucket.settings.endpoint;
  const auto elsewhere = "http://localhost" + direct.substr(direct.rfind(':'));
  const server of{{"--objects-public-endpoint", elsewhere}, at.in};
  const auto image = ask(of, "GET", image_targets(of).front()).header("location");
  CHECK(image.starts_with(elsewhere + "/"));
  CHECK(ask_url(image).body.starts_with("\x89PNG"));
  const auto lobbies = ask(of, "GET", exported(of)).header("location");
  CHECK(lobbies.starts_with(elsewhere + "/"));
  CHECK(ask_url(lobbies).body.starts_with("lobby_id,"));
}

TEST_CASE("an import repeats nothing, and replaces an image by another") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  import_image(at.in, "image.png", fixtures::small_png(1));
  const auto before = names_below(at.bucket, "media/");
  import_image(at.in, "image.png", fixtures::small_png(1));
  CHECK(names_below(at.bucket, "media/") == before);
  import_image(at.in, "image.png", fixtures::small_png(2));
  const server of{{}, at.in};
  CHECK(download(of, imported_target(of)).body == fixtures::small_png(2));
}

} // namespace
