// Exports in a bucket, from the request to the bytes.
#include "tests/catch.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/objects/bucket_clients.hpp"
#include "tests/objects/bucket_world.hpp"

namespace {

using namespace matchcloud;
using namespace e2e;

/// Bodies of many MB are not shown.
bool are_same_bytes(const std::string& a, const std::string& b) {
  return a == b;
}

TEST_CASE("an export is one object, and its URL stays that of the service") {
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
  CHECK(names_below(at.bucket, "exports/").size() == 1);
  CHECK(at.bucket.unfinished() == 0);
  CHECK_FALSE(has_files(at.in, "exports"));
  CHECK_FALSE(has_files(at.in, "tmp"));

  auto forged = target;
  forged.back() = forged.back() == '0' ? '1' : '0';
  CHECK(ask(of, "GET", forged).status == 403);
  CHECK(ask(of, "GET", forged).problem_code() == "signature_invalid");
}

TEST_CASE("an export's redirect is for a minute and for one method") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const server of{{}, at.in};
  const auto target = exported(of);
  const auto get = ask(of, "GET", target);
  CHECK(get.status == 307);
  CHECK(get.header("cache-control") == "no-store");
  CHECK(get.header("access-control-allow-origin").empty());
  const auto url = get.header("location");
  CHECK(url.find("X-Amz-Expires=60&") != url.npos);
  CHECK(ask_url(url).status == 200);
  CHECK(ask_url(url, "HEAD").status == 403);
  CHECK(ask_url(ask(of, "HEAD", target).header("location"), "HEAD").status == 200);
}

TEST_CASE("the same export is asked for twice and made once") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const server of{{}, at.in};
  const auto first = exported(of);
  CHECK(path_of(exported(of)) == path_of(first));
  CHECK(of.metric("matchcloud_exports_reused_total") == 1);
  CHECK(names_below(at.bucket, "exports/").size() == 1);
  CHECK(of.metric("matchcloud_export_file_bytes") == csv_of(at.in).size());
}

TEST_CASE("a second process on the store and the bucket serves what the first one made") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  std::string target;
  const server second{{"--objects-delivery", "through"}, at.in};
  {
    const server first{{}, at.in};
    target = exported(first);
    CHECK(are_same_bytes(download(second, target).body, csv_of(at.in)));
  }
  // It outlives who made it.
  CHECK(are_same_bytes(download(second, target).body, csv_of(at.in)));
  const server third{{}, at.in};
  CHECK(are_same_bytes(download(third, target).body, csv_of(at.in)));
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

TEST_CASE("a download that was cut is resumed to the same bytes") {
  if (!store::has_s3_service()) return;
  const auto delivery = GENERATE("redirect", "through");
  CAPTURE(delivery);
  const s3_bucket bucket;
  const auto& in = large_world();
  const server of{{"--objects-delivery", delivery}, in, told_of(bucket)};
  const auto target = exported(of);
  const auto& csv = large_csv();
  // The client hangs up in the middle of the third window.
  constexpr std::size_t had = 2'500'000;
  std::string bytes;
  {
    const auto sent = ask(of, "HEAD", target);
    const auto url = sent.status == 307 ? ask(of, "GET", target).header("location")
                                        : "http://" + of.data().authority() + target;
    const location where{url};
    raw_connection client{where.to};
    client.send("GET " + where.target + " HTTP/1.1\r\nHost: " + where.authority + "\r\n\r\n");
    const auto begin = client.receive_bytes(had);
    bytes = begin.substr(begin.find("\r\n\r\n") + 4);
    client.reset();
  }
  const auto rest =
      download(of, target, "GET", "Range: bytes=" + std::to_string(bytes.size()) + "-\r\n");
  CHECK(rest.status == 206);
  CHECK(are_same_bytes(bytes + rest.body, csv));
  CHECK(eventually([&] { return of.metric("matchcloud_budget_used_bytes") == 0; }));
}

TEST_CASE("what passes through answers conditions by itself") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const server of{{"--objects-delivery", "through"}, at.in};
  const auto target = exported(of);
  const auto csv = csv_of(at.in);
  const auto etag = ask(of, "GET", target).header("etag");
  CHECK(ask(of, "GET", target, "If-None-Match: " + etag + "\r\n").status == 304);
  CHECK(ask(of, "GET", target, "If-Match: \"other\"\r\n").status == 412);
  const std::string range = "Range: bytes=100-199\r\n";
  const auto part = ask(of, "GET", target, range + "If-Range: " + etag + "\r\n");
  CHECK(part.status == 206);
  CHECK(part.body == csv.substr(100, 100));
  CHECK(ask(of, "GET", target, range + "If-Range: \"other\"\r\n").status == 200);
  CHECK(ask(of, "GET", target, "Range: bytes=99999999-\r\n").status == 416);
}

TEST_CASE("the command export gets an export over HTTP with both deliveries") {
  if (!store::has_s3_service()) return;
  const auto delivery = GENERATE("redirect", "through");
  CAPTURE(delivery);
  const bucket_world at;
  const server of{{"--objects-delivery", delivery}, at.in};
  const auto file = at.in.directory().path("http.csv");
  const auto done =
      run({"export", "--url", "http://" + of.data().authority(), "--game", std::string{demo_game},
           "--start", "0", "--end", "1769904000000", "-o", file});
  INFO(done.errors);
  CHECK(done.exit_code == 0);
  CHECK(are_same_bytes(fixtures::read_whole(file), csv_of(at.in)));
}

} // namespace
