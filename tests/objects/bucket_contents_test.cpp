// Exports and images in a bucket, from the request to the bytes.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/png_image.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/objects/bucket_world.hpp"

#include <algorithm>
#include <vector>

namespace {

using namespace matchcloud;
using namespace e2e;

/// Bodies of many MB are not shown.
bool are_same_bytes(const std::string& a, const std::string& b) {
  return a == b;
}

TEST_CASE("an export is one object in the bucket, which its URL and the command export get") {
  if (!store::has_s3_service()) return;
  const auto each_way = each_delivery();
  const bucket_world at;
  const server of{each_way, at.in};
  const auto target = exported(of);
  const auto csv = csv_of(at.in);
  for (const auto* method : {"GET", "HEAD"}) {
    CAPTURE(method);
    const auto got = download(of, target, method);
    CHECK(got.status == 200);
    CHECK(are_same_bytes(got.body, method == std::string{"GET"} ? csv : std::string{}));
    CHECK(got.header("content-length") == std::to_string(csv.size()));
    CHECK(got.header("content-type") == "text/csv; charset=utf-8; header=present");
    CHECK(got.header("content-disposition") == "attachment; filename=\"lobby-history_" +
                                                   std::string{demo_game} +
                                                   "_0_1769904000000.csv\"");
    CHECK(got.header("content-encoding").empty());
  }
  CHECK(are_same_bytes(download(of, target, "GET", "Accept-Encoding: gzip\r\n").body, csv));
  const auto file = at.in.directory().path("http.csv");
  const auto done =
      run({"export", "--url", "http://" + of.data().authority(), "--game", std::string{demo_game},
           "--start", "0", "--end", "1769904000000", "-o", file});
  INFO(done.errors);
  CHECK(done.exit_code == 0);
  CHECK(are_same_bytes(fixtures::read_whole(file), csv));
  CHECK(names_below(at.bucket, "exports/").size() == 1);
  CHECK(at.bucket.unfinished() == 0);
  CHECK_FALSE(has_files(at.in, "exports"));
  CHECK_FALSE(has_files(at.in, "tmp"));

  if (const auto got = ask(of, "GET", target); got.status == 307) {
    CHECK(got.header("cache-control") == "no-store");
    CHECK(got.header("access-control-allow-origin").empty());
    CHECK(got.header("location").find("X-Amz-Expires=60&") != std::string::npos);
  }
  auto forged = target;
  forged.back() = forged.back() == '0' ? '1' : '0';
  CHECK(ask(of, "GET", forged).status == 403);
  CHECK(ask(of, "GET", forged).problem_code() == "signature_invalid");
}

TEST_CASE("exports are gone from the bucket and the store when their time is over") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const server of{{"--export-url-lifetime-ms", "1000"}, at.in};
  const auto target = exported(of);
  CHECK(download(of, target).status == 200);
  CHECK(eventually([&] { return ask(of, "GET", target).problem_code() == "url_expired"; }));
  CHECK(eventually([&] { return has_no_exports(at.bucket); }));
  CHECK(eventually([&] { return records_in(at.in).empty(); }));
  CHECK(of.metric("matchcloud_export_file_bytes") == 0);
}

TEST_CASE("an export of many windows has the same bytes, whole and in parts") {
  if (!store::has_s3_service()) return;
  const auto each_way = each_delivery();
  const s3_bucket bucket;
  const auto& in = large_world();
  const server of{each_way, in, told_of(bucket)};
  const auto& csv = large_csv();
  REQUIRE(csv.size() > bucket.settings.part_bytes);
  const auto target = exported(of);
  const auto whole = download(of, target);
  CHECK(are_same_bytes(whole.body, csv));

  const auto part = [&](std::size_t first, std::size_t last) {
    const auto got = download(of, target, "GET",
                              "Range: bytes=" + std::to_string(first) + "-" + std::to_string(last) +
                                  "\r\nIf-Range: " + whole.header("etag") + "\r\n");
    CAPTURE(first, last);
    CHECK(got.status == 206);
    CHECK(got.header("content-range") == "bytes " + std::to_string(first) + "-" +
                                             std::to_string(last) + "/" +
                                             std::to_string(csv.size()));
    CHECK(are_same_bytes(got.body, csv.substr(first, last - first + 1)));
  };
  constexpr std::size_t window = 1UL * 1024 * 1024;
  part(100, 199);
  part(window - 1, window);
  part(3 * window + 7, 6 * window + 7);
  part(csv.size() - 10, csv.size() - 1);
}

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
  const auto part = download(of, target, "GET", "Range: bytes=10-19\r\n");
  CHECK(part.status == 206);
  CHECK(part.body == image.substr(10, 10));
  CHECK(download(of, target, "GET", "If-None-Match: " + got.header("etag") + "\r\n").status == 304);
  CHECK_FALSE(has_files(at.in, "media"));
}

TEST_CASE("an image's redirect is for a minute and for one method") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const server of{{}, at.in};
  const auto target = image_targets(of).front();
  const auto get = ask(of, "GET", target);
  const auto head = ask(of, "HEAD", target);
  for (const auto& each : {get, head}) {
    CHECK(each.status == 307);
    CHECK(each.header("cache-control") == "no-store");
    CHECK(each.header("access-control-allow-origin") == "*");
    CHECK(each.header("location").starts_with(at.bucket.settings.endpoint + "/"));
    CHECK(each.header("location").find("X-Amz-Expires=60&") != std::string::npos);
  }
  CHECK(ask_url(get.header("location"), "HEAD").status == 403);
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

/// What is left of an answer's head is dropped; the body of that size follows.
std::string rest_of(raw_connection& client, std::size_t size) {
  std::string head;
  while (!head.ends_with("\r\n\r\n"))
    head += client.receive_bytes(1);
  constexpr std::size_t piece = 1UL * 1024 * 1024;
  std::string body;
  while (body.size() < size)
    body += client.receive_bytes(std::min(piece, size - body.size()));
  return body;
}

TEST_CASE("beyond the budget downloads that pass through are refused, the others are whole") {
  if (!store::has_s3_service()) return;
  constexpr std::size_t budget_bytes = 8UL * 1024 * 1024;
  constexpr std::size_t clients = 24;
  // AddressSanitizer keeps freed memory in quarantine, and ThreadSanitizer needs several shadow
  // words per word used.
  const std::size_t growth_limit_kib = (fixtures::programs_are_sanitized() ? 256UL : 32UL) * 1024;
  const s3_bucket bucket;
  server of{{"--objects-delivery", "through", "--byte-budget-bytes", std::to_string(budget_bytes)},
            large_world(),
            told_of(bucket)};
  const auto target = exported(of);
  const auto& csv = large_csv();
  const bool is_usable = ask(of, "GET", target).body == csv;
  CHECK(is_usable);
  const auto pid = of.process().pid();
  const auto before_kib = number_in_status(pid, "VmRSS");

  std::vector<raw_connection> slow;
  for (std::size_t i = 0; i < clients; ++i)
    slow.emplace_back(of.data(), std::string{}, 4096).send(request("GET", target));
  // Each has an answer, and takes no more of it for now.
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  std::vector<bool> is_admitted;
  for (auto& client : slow)
    is_admitted.push_back(client.receive_bytes(ok.size()) == ok);
  CHECK(of.metric("matchcloud_budget_used_bytes") <= budget_bytes);
  check_serves(of.data());

  std::size_t exact = 0;
  for (std::size_t i = 0; i < clients; ++i) {
    if (!is_admitted[i]) {
      CHECK(slow[i].receive_bytes(450).find("budget_exhausted") != std::string::npos);
      continue;
    }
    if (rest_of(slow[i], csv.size()) == csv) ++exact;
    CHECK(number_in_status(pid, "VmRSS") < before_kib + growth_limit_kib);
  }
  const auto admitted = std::ranges::count(is_admitted, true);
  // A window and a quarter each.
  CHECK(admitted >= 5);
  CHECK(admitted <= 6);
  CHECK(exact == static_cast<std::size_t>(admitted));
  slow.clear();
  CHECK(eventually([&] { return of.metric("matchcloud_budget_used_bytes") == 0; }));
  CHECK(ask(of, "HEAD", target).status == 200);
}

} // namespace
