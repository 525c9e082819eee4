// Image downloads.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/shared_file.hpp"
#include "tests/service/media_file.hpp"
#include "tests/service/server.hpp"

#include <filesystem>
#include <fstream>

namespace {

using namespace matchcloud::e2e;

constexpr std::size_t image_bytes = 300'000;

/// An image in the data directory that all servers share.
const media_file& stored_image() {
  static const media_file image = [] {
    media_file made;
    made.content = matchcloud::fixtures::numbered_bytes(image_bytes);
    made.put(shared_world());
    return made;
  }();
  return image;
}

answer ask_media(std::string_view method, const std::string& target, std::string_view headers = {},
                 const std::string& transport = "loops") {
  raw_connection client{plain_server(transport).data()};
  return client.ask(request(method, target, {}, headers));
}

TEST_CASE("an image is downloaded whole, with everything that caches and pages need",
          "[operations][shipped]") {
  const auto transport = GENERATE("loops", "httplib");
  const auto& image = stored_image();
  for (const auto* method : {"GET", "HEAD"}) {
    CAPTURE(transport, method);
    const auto got = ask_media(method, image.target(), {}, transport);
    CHECK(got.status == 200);
    CHECK(got.header("content-type") == "image/png");
    CHECK(got.header("content-length") == std::to_string(image_bytes));
    CHECK(got.header("etag") == image.etag());
    CHECK(got.header("accept-ranges") == "bytes");
    CHECK(got.header("cache-control") == "public, max-age=31536000, immutable");
    CHECK(got.header("cross-origin-resource-policy") == "cross-origin");
    CHECK(got.header("x-content-type-options") == "nosniff");
    CHECK(got.header("access-control-allow-origin") == "*");
    CHECK(got.header("content-disposition") ==
          "inline; filename=\"avatar-" + image.upload_id + ".png\"");
    CHECK(got.header("x-request-id").size() == 32);
    CHECK((got.body == image.content) == (method == std::string{"GET"}));
  }
  const auto get = [&](const std::string& headers) {
    return ask_media("GET", image.target(), headers);
  };
  const auto part = get("Range: bytes=100-65635\r\nIf-Range: " + image.etag() + "\r\n");
  CHECK(part.status == 206);
  CHECK(part.header("content-range") == "bytes 100-65635/300000");
  CHECK(part.body == image.content.substr(100, 65'536));
  CHECK(get("Range: bytes=300000-\r\n").status == 416);
  CHECK(get("If-None-Match: " + image.etag() + "\r\n").status == 304);
  CHECK(get("If-Match: \"other\"\r\n").status == 412);
}

TEST_CASE("no path leads out of the images", "[operations]") {
  const auto& image = stored_image();
  const std::string folder = "/media/avatars/" + image.upload_id + "/";
  for (const auto& target :
       {folder + "..%2f..%2f..%2fetc%2fpasswd", folder + "%2e%2e%2f%2e%2e%2fmatchcloud.db",
        folder + "../../../etc/passwd", folder + "..", folder + "%2fetc%2fpasswd",
        folder + "..%5c..%5cetc", folder + image.digest + ".png%00.txt",
        std::string{"/media/avatars/..%2f..%2fetc/passwd"}, std::string{"/media/avatars/../../etc"},
        folder + image.digest + ".png%2f..%2f" + image.digest + ".png"}) {
    CAPTURE(target);
    const auto got = ask_media("GET", target);
    CHECK((got.status == 404 || got.status == 400));
    CHECK(got.header("content-type") == "application/problem+json");
  }
  // A symbolic link among the images is not served either.
  media_file link;
  link.refer(shared_world());
  const auto where = link.path(shared_world());
  std::filesystem::remove(where);
  std::filesystem::create_symlink(image.path(shared_world()), where);
  CHECK(ask_media("GET", link.target()).status == 404);
}

std::size_t descriptors_of(pid_t pid, const std::string& path) {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator{"/proc/" + std::to_string(pid) + "/fd"}) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry.path(), gone) == path) ++count;
  }
  return count;
}

TEST_CASE("a thousand slow downloads share one descriptor, no memory and no threads",
          "[limits][plain][shipped]") {
  constexpr std::size_t downloads = 1'000;
  // Buffering half an image per client would be 1 GB. AddressSanitizer keeps freed memory in
  // quarantine, and ThreadSanitizer needs several shadow words per word used.
#if defined(__SANITIZE_THREAD__)
  const std::size_t growth_limit_kib = 128UL * 1024;
#else
  const std::size_t growth_limit_kib =
      (matchcloud::fixtures::programs_are_sanitized() ? 64UL : 16UL) * 1024;
#endif
  media_file large;
  large.content = matchcloud::fixtures::numbered_bytes(2'000'000);
  large.put(shared_world());
  server of{{"--loops", "2"}};
  // Warms up the allocator and the pools before memory is measured.
  for (int i = 0; i < 10; ++i) {
    raw_connection client{of.data()};
    CHECK(client.ask(request("GET", large.target())).body == large.content);
    check_serves(of.data());
  }
  const auto pid = of.process().pid();
  const auto before_kib = number_in_status(pid, "VmRSS");
  const auto threads = number_in_status(pid, "Threads");

  std::vector<raw_connection> slow;
  slow.reserve(downloads);
  for (std::size_t i = 0; i < downloads; ++i)
    slow.emplace_back(of.data(), std::string{}, 4096).send(request("GET", large.target()));
  // Each client has received its head and is in the middle of its image.
  for (auto& client : slow)
    REQUIRE(client.receive_bytes(1'000).starts_with("HTTP/1.1 200 OK\r\n"));
  check_serves(of.data());
  CHECK(number_in_status(pid, "VmRSS") < before_kib + growth_limit_kib);
  CHECK(number_in_status(pid, "Threads") == threads);
  CHECK(descriptors_of(pid, large.path(shared_world())) == 1);
  CHECK(of.metric("matchcloud_budget_used_bytes") == 0);

  // All slow clients continue at once while others are served.
  raw_connection other{of.data()};
  for (std::size_t taken = 1'000; taken < 101'000; taken += 20'000) {
    for (auto& client : slow)
      client.receive_bytes(20'000);
    CHECK(other.ask(request("GET", regions_target)).status == 200);
  }
  CHECK(number_in_status(pid, "VmRSS") < before_kib + growth_limit_kib);
  CHECK(number_in_status(pid, "Threads") == threads);
  CHECK(descriptors_of(pid, large.path(shared_world())) == 1);
  slow.clear();
  CHECK(eventually([&] { return of.metric("matchcloud_connections") == 1; }));
}

} // namespace
