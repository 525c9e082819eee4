// Image downloads.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/shared_file.hpp"
#include "tests/service/media_file.hpp"
#include "tests/service/shared_servers.hpp"

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

answer get_image(std::string_view headers) {
  return ask_media("GET", stored_image().target(), headers);
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
}

TEST_CASE("downloads follow each other on one connection", "[operations]") {
  const auto& image = stored_image();
  raw_connection client{plain_server().data()};
  for (int i = 0; i < 3; ++i) {
    CHECK(client.ask(request("GET", image.target())).body == image.content);
    CHECK(client.ask(request("HEAD", image.target())).body.empty());
    CHECK(client.ask(request("GET", image.target(), {}, "Range: bytes=5-6\r\n")).body.size() == 2);
    CHECK(client.ask(request("GET", image.target(), {}, "If-None-Match: *\r\n")).status == 304);
    CHECK(client.ask(request("GET", regions_target)).status == 200);
  }
}

TEST_CASE("pipelined requests around downloads are answered in order", "[operations]") {
  const auto& image = stored_image();
  raw_connection client{plain_server("loops").data()};
  std::string all;
  for (int i = 0; i < 10; ++i)
    all += request("GET", image.target(), {}, "X-Request-Id: a" + std::to_string(i) + "\r\n") +
           request("GET", regions_target, {}, "X-Request-Id: b" + std::to_string(i) + "\r\n");
  client.send(all);
  for (int i = 0; i < 10; ++i) {
    const auto first = client.receive();
    CHECK(first.header("x-request-id") == "a" + std::to_string(i));
    CHECK(first.body == image.content);
    CHECK(client.receive().header("x-request-id") == "b" + std::to_string(i));
  }
}

TEST_CASE("one range of an image is served as a part", "[operations]") {
  const auto& image = stored_image();
  struct part {
    std::string text;
    std::size_t offset;
    std::size_t length;
  };
  for (const auto& [text, offset, length] :
       {part{"bytes=0-0", 0, 1}, part{"bytes=100-65635", 100, 65'536},
        part{"bytes=299990-", 299'990, 10}, part{"bytes=-7", 299'993, 7},
        part{"bytes=299990-999999999999999999999", 299'990, 10},
        part{"bytes=0-", 0, image_bytes}}) {
    CAPTURE(text);
    for (const auto& condition : {std::string{}, "If-Range: " + image.etag() + "\r\n"}) {
      const auto got = get_image("Range: " + text + "\r\n" + condition);
      CHECK(got.status == 206);
      CHECK(got.header("content-range") == "bytes " + std::to_string(offset) + "-" +
                                               std::to_string(offset + length - 1) + "/300000");
      CHECK(got.header("content-type") == "image/png");
      CHECK(got.header("etag") == image.etag());
      CHECK(got.body == image.content.substr(offset, length));
    }
  }
}

TEST_CASE("what is not the image that was meant gets 412, and dates do not count", "[operations]") {
  const auto& image = stored_image();
  const std::string range = "Range: bytes=0-1\r\n";
  const auto refused = get_image(range + "If-Match: \"other\"\r\nIf-None-Match: *\r\n");
  CHECK(refused.status == 412);
  CHECK(refused.problem_code() == "precondition_failed");
  CHECK(refused.header("etag") == image.etag());
  CHECK(refused.header("access-control-allow-origin") == "*");
  CHECK(get_image("If-Match: W/" + image.etag() + "\r\n").status == 412);
  CHECK(get_image(range + "If-Match: \"other\", " + image.etag() + "\r\n").status == 206);
  CHECK(get_image("If-Match: \"other\"\r\nIf-Match: " + image.etag() + "\r\n").status == 200);
  for (const std::string name : {"If-Unmodified-Since", "If-Modified-Since"})
    CHECK(get_image(name + ": Thu, 01 Jan 1970 00:00:00 GMT\r\n").status == 200);
}

TEST_CASE("an empty If-Range is no match, an empty If-Match no image's", "[operations]") {
  CHECK(get_image("Range: bytes=0-1\r\nIf-Range:\r\n").status == 200);
  CHECK(get_image("If-Match:\r\n").status == 412);
}

TEST_CASE("ranges that are not one get the whole image", "[operations]") {
  const auto& image = stored_image();
  for (const std::string header :
       {"Range: bytes=0-1,5-6", "Range: bytes=5-1", "Range: bytes", "Range: lines=0-1",
        "Range: bytes=a-b", "Range: bytes=0-1\r\nIf-Range: \"other\"",
        "Range: bytes=0-1\r\nIf-Range: Tue, 14 Nov 2023 22:13:20 GMT"}) {
    CAPTURE(header);
    const auto got = get_image(header + "\r\n");
    CHECK(got.status == 200);
    CHECK(got.header("content-range").empty());
    CHECK(got.body == image.content);
  }
}

TEST_CASE("a range behind the end is refused with the size", "[operations]") {
  for (const auto* request : {"bytes=300000-", "bytes=999999999999-", "bytes=-0"}) {
    CAPTURE(request);
    const auto got = get_image("Range: " + std::string{request} + "\r\n");
    CHECK(got.status == 416);
    CHECK(got.header("content-range") == "bytes */300000");
    CHECK(got.problem_code() == "range_not_satisfiable");
  }
}

TEST_CASE("who has an image is told that it is the same", "[operations]") {
  const auto& image = stored_image();
  for (const auto& tag : {image.etag(), "W/" + image.etag(), "\"x\", " + image.etag()}) {
    CAPTURE(tag);
    const auto got = get_image("If-None-Match: " + tag + "\r\nRange: bytes=0-1\r\n");
    CHECK(got.status == 304);
    CHECK(got.header("etag") == image.etag());
    CHECK(got.header("content-type").empty());
    // Content-Length is absent or the image's (RFC 9110 section 8.6).
    CHECK((got.header("content-length").empty() || got.header("content-length") == "300000"));
  }
  CHECK(get_image("If-None-Match: \"x\"\r\n").status == 200);
}

TEST_CASE("what is no image of this upload is not found, what is no upload is malformed",
          "[operations]") {
  const auto& image = stored_image();
  const std::string folder = "/media/avatars/" + image.upload_id + "/";
  for (const auto& target :
       {folder + std::string(32, '0') + ".png", folder + image.digest + ".jpg", folder + "x.png",
        folder + image.digest,
        "/media/avatars/00000000-0000-4000-8000-0000000000a2/" + image.digest + image.extension}) {
    CAPTURE(target);
    const auto got = ask_media("GET", target);
    CHECK(got.status == 404);
    CHECK(got.problem_code() == "media_not_found");
    CHECK(got.header("access-control-allow-origin") == "*");
    CHECK(got.header("cache-control") == "no-store");
  }
  const auto got = ask_media("GET", "/media/avatars/a1/" + image.digest + ".png");
  CHECK(got.status == 400);
  CHECK(got.problem_code() == "id_malformed");
  CHECK(ask_media("POST", image.target()).status == 405);
}

TEST_CASE("an image that was not there is found as soon as it is", "[operations]") {
  media_file late;
  late.extension = ".jpg";
  late.content = "late";
  late.refer(shared_world());
  std::filesystem::remove(late.path(shared_world()));
  CHECK(ask_media("GET", late.target()).status == 404);
  late.write(shared_world());
  const auto got = ask_media("GET", late.target());
  CHECK(got.body == "late");
  CHECK(got.header("content-type") == "image/jpeg");
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

TEST_CASE("OPTIONS tells pages of any origin what they may ask of images", "[operations]") {
  const auto got = ask_media("OPTIONS", stored_image().target(),
                             "Origin: https://a.example\r\nAccess-Control-Request-Method: GET\r\n");
  CHECK(got.status == 204);
  CHECK(got.header("allow") == "GET, HEAD, OPTIONS");
  CHECK(got.header("access-control-allow-origin") == "*");
}

TEST_CASE("images are below the base path like everything else", "[operations]") {
  raw_connection client{configured_server().data()};
  CHECK(client.ask(request("GET", "/mm" + stored_image().target())).status == 200);
  CHECK(client.ask(request("GET", stored_image().target())).problem_code() == "route_not_found");
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
