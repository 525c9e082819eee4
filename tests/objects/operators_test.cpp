// What operators do with a store whose images and exports are in a bucket: `matchcloud doctor`,
// backups and restores, and `objects check`, also of what a killed process leaves.
#include "store/sqlite/sqlite.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/objects/broken_bucket.hpp"
#include "tests/service/diagnosis.hpp"
#include "tests/service/lobby_lines.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>

namespace {

using namespace matchcloud;
using namespace e2e;
using store::canned;
using store::canned_error;
using store::fault_proxy;
using store::proxy_action;
using store::seen_request;
using kind = store::proxy_action::kind;

constexpr auto answers = kind::answer;

const environment keys{"AWS_ACCESS_KEY_ID=AKID", "AWS_SECRET_ACCESS_KEY=hush-hush",
                       "AWS_REGION=", "AWS_DEFAULT_REGION="};

/// What doctor says where that service has the bucket.
diagnosis on_service(const fault_proxy& at, const arguments& more = {}) {
  const fixtures::temporary_directory folder;
  return doctor(folder.path("data"),
                kernels_ports +
                    arguments{"--objects", "s3://bucket/games", "--objects-path-style",
                              "--objects-endpoint", at.url()} +
                    more,
                keys);
}

/// An empty bucket, of which some requests are refused.
proxy_action empty_but(const seen_request& request, const std::string& refused) {
  if (request.target.find(refused) != std::string::npos)
    return {answers, canned_error(403, "AccessDenied")};
  if (request.target.find("list-type=2") != std::string::npos)
    return {answers,
            canned(200, "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")};
  if (request.target.find("uploads") != std::string::npos)
    return {answers, canned(200, "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>"
                                 "</ListMultipartUploadsResult>")};
  return {answers, canned_error(404, "NoSuchKey")};
}

/// An empty bucket, which answers writes and removals like this.
fault_proxy::plan empty_with(const std::string& write, const std::string& removal) {
  return [=](const seen_request& request) {
    if (request.method == "PUT") return proxy_action{answers, write};
    if (request.method == "DELETE") return proxy_action{answers, removal};
    return empty_but(request, "nothing");
  };
}

TEST_CASE("doctor leaves a bucket as it is, and writes to it only if it is to") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const auto before = names_in(at.bucket);
  for (const bool is_writing : {false, true}) {
    CAPTURE(is_writing);
    const auto got =
        doctor(at.in.data_dir(), kernels_ports + (is_writing ? arguments{"--write"} : arguments{}));
    INFO(got.shown());
    CHECK(got.exit_code() == 0);
    CHECK(got.has("bucket", "ok",
                  is_writing ? "can be read, listed and written"
                             : "can be read and listed; writing was not tried"));
    CHECK(names_in(at.bucket) == before);
  }
}

TEST_CASE("doctor says what fails when it tries to write, and not that serve waits for it") {
  const auto stored = canned(200, {}, "ETag: \"x\"\r\n");
  const auto denied = canned_error(403, "AccessDenied");
  const auto check = [](const fault_proxy& at, const std::string& part) {
    const auto got = on_service(at, {"--write"});
    INFO(got.shown());
    CHECK(got.exit_code() == 1);
    CHECK(got.has("bucket", "error", part));
    CHECK_FALSE(got.has("bucket", "error", "keep trying"));
  };
  {
    const fault_proxy at{{}, empty_with(denied, canned(204))};
    check(at, "cannot store the object: HTTP status 403");
    CHECK(at.count("DELETE") == 0);
  }
  {
    const fault_proxy at{{}, empty_with(stored, canned(204))};
    check(at, "was written twice. Use a service with conditional writes");
    CHECK(at.count("PUT", "/doctor/") == 2);
    CHECK(at.count("DELETE", "/doctor/") == 1);
  }
  const fault_proxy at{{}, empty_with(stored, denied)};
  check(at, "Remove s3://bucket/games/doctor/");
}

TEST_CASE("doctor says what of a bucket cannot be read, and asks by reading alone") {
  const fault_proxy at{{},
                       [](const seen_request& request) { return empty_but(request, "uploads"); }};
  const auto got = on_service(at);
  INFO(got.shown());
  CHECK(got.has("bucket", "error", "cannot list unfinished uploads: HTTP status 403"));
  CHECK(std::ranges::all_of(at.seen(), [](const seen_request& each) {
    return each.method == "HEAD" || each.method == "GET";
  }));
}

TEST_CASE("doctor does not wait long for a bucket that does not answer") {
  const fault_proxy at{{}, [](const seen_request&) { return proxy_action{kind::hang}; }};
  const deadline soon{milliseconds{15'000}};
  const auto got = on_service(at);
  CHECK_FALSE(soon.passed());
  INFO(got.shown());
  CHECK(got.has("bucket", "error", "s3://bucket/"));
  CHECK(got.has("store", "ok"));
}

// -- backups

command_result good(const arguments& words, const environment& added = {}) {
  auto got = run(words, added);
  INFO(got.errors);
  REQUIRE(got.exit_code == 0);
  return got;
}

/// The rows and digests of what `verify` read, by table.
std::map<std::string, std::string> tables_of(const command_result& got) {
  std::map<std::string, std::string> found;
  const auto json = parse_json(got.out);
  for (const auto& each : json["tables"].GetArray())
    found[each["table"].GetString()] =
        std::to_string(each["rows"].GetUint64()) + " " + each["sha256"].GetString();
  found.erase("audit"); // each restore has an entry more
  return found;
}

TEST_CASE("a backup has the images of a bucket, and goes into files or another bucket") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  {
    const server of{{}, at.in};
    exported(of);
  }
  const fixtures::temporary_directory beside;
  const auto backup = beside.path("backup");
  const auto made = good({"backup", backup, "--data-dir", at.in.data_dir()});
  CHECK(made.out.find("3 images, ") != std::string::npos);
  good({"verify", backup});
  const auto before =
      tables_of(good({"verify", "--data-dir", at.in.data_dir(), "--format", "json"}));

  const auto files = beside.path("files");
  good({"restore", backup, "--data-dir", files});
  CHECK(tables_of(good({"verify", "--data-dir", files, "--format", "json"})) == before);

  const s3_bucket other;
  const auto data_dir = beside.path("other");
  const auto done = good({"restore", backup, "--data-dir", data_dir}, told_of(other));
  CHECK(names_in(other) == names_below(at.bucket, "media/"));
  CHECK_FALSE(std::filesystem::exists(data_dir + "/media"));
  CHECK(tables_of(good({"verify", "--data-dir", data_dir, "--format", "json"}, told_of(other))) ==
        before);
}

TEST_CASE("an image that the bucket has lost or damaged is found") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const auto image = names_below(at.bucket, "media/").front();
  const auto name = *store::object_name::parse(image);
  const auto objects = at.bucket.open();
  REQUIRE(objects->remove(name).has_value());
  const bool is_there = GENERATE(false, true);
  if (is_there) REQUIRE(objects->put_new(name, "x", "image/png").has_value());
  const auto found = run({"verify", "--data-dir", at.in.data_dir()});
  CHECK(found.exit_code == 1);
  CHECK(found.out.find(is_there ? "damaged" : "missing") != std::string::npos);
  CHECK(found.out.find(image) != std::string::npos);
  const fixtures::temporary_directory beside;
  CHECK(run({"backup", beside.path("backup"), "--data-dir", at.in.data_dir()}).exit_code == 1);
}

// -- objects check

const std::string stray = "media/0f/10000000-0000-4000-8000-0000000000ff."
                          "0000000000000000000000000000000f.png";

command_result check(const world& in, const arguments& flags = {}) {
  arguments all{"objects", "check", "--data-dir", in.data_dir()};
  all.insert(all.end(), flags.begin(), flags.end());
  return run(all);
}

store::object_name named(const std::string& text) {
  const auto name = store::object_name::parse(text);
  REQUIRE(name.has_value());
  return *name;
}

void put(const s3_bucket& into, const std::string& name) {
  REQUIRE(into.open()->put_new(named(name), "x", "image/png").has_value());
}

/// A listing of a bucket's unfinished uploads that has them for old.
std::string old_uploads(const s3_bucket& of) {
  std::string page = "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>";
  of.open()->list_uploads([&](const store::s3_listed& each) {
    page += "<Upload><Key>" + each.key + "</Key><UploadId>" + each.upload_id +
            "</UploadId><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload>";
    return true;
  });
  return page + "</ListMultipartUploadsResult>";
}

TEST_CASE("a check names what is missing, and exits with 1") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const server of{{}, at.in};
  exported(of);
  const auto good = check(at.in);
  CHECK(good.exit_code == 0);
  CHECK(good.out == "3 images and 1 exports are referenced, 0 missing, 0 unreferenced\n");
  CHECK(good.errors.empty());
  CHECK(check(at.in, {"--format", "json"}).out ==
        R"({"images":3,"exports":1,"missing":[],"unreferred":[],"young":0})"
        "\n");

  const auto image = names_below(at.bucket, "media/").front();
  const auto lobbies = names_below(at.bucket, "exports/").front();
  const auto objects = at.bucket.open();
  REQUIRE(objects->remove(named(image)).has_value());
  REQUIRE(objects->remove(named(lobbies)).has_value());
  const auto table = check(at.in);
  CHECK(table.exit_code == 1);
  CHECK(table.out.find(image) != std::string::npos);
  CHECK(table.out.find(lobbies) != std::string::npos);
  CHECK(table.out.find("2 missing") != std::string::npos);
  CHECK(table.errors.find("2 referenced objects are missing") != std::string::npos);
  const auto json = check(at.in, {"--format", "json", "--remove"});
  CHECK(json.exit_code == 1);
  const auto document = parse_json(json.out);
  REQUIRE(document.IsObject());
  REQUIRE(document["missing"].Size() == 2);
  CHECK(text_at(document["missing"][0], "name") == lobbies);
  CHECK(text_at(document["missing"][1], "name") == image);
  CHECK(document["removed"].GetUint64() == 0);
}

TEST_CASE("what nothing refers to is removed once it is old") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  put(at.bucket, stray);
  const auto young = check(at.in, {"--remove", "--age-hours", "1"});
  CHECK(young.exit_code == 0);
  CHECK(young.out == "3 images and 0 exports are referenced, 0 missing, 0 unreferenced, 0 "
                     "removed, 1 younger than 1 h ignored\n");
  CHECK(names_below(at.bucket, "media/").size() == 4);

  // A listing that has it for old.
  const auto page = "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>" +
                    at.bucket.settings.location.prefix + stray +
                    "</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>1</Size>"
                    "</Contents></ListBucketResult>";
  const fault_proxy proxy{at.bucket.settings.endpoint, [&](const seen_request& request) {
                            return request.is("GET", "list-type=2") &&
                                           request.target.find("media") != std::string::npos
                                       ? proxy_action{kind::answer, canned(200, page)}
                                       : proxy_action{};
                          }};
  const auto found = check(at.in, {"--objects-endpoint", proxy.url()});
  CHECK(found.exit_code == 0);
  CHECK(found.out.find(stray) != std::string::npos);
  CHECK(found.out.find("1 unreferenced\n") != std::string::npos);
  CHECK(names_below(at.bucket, "media/").size() == 4);
  const auto removed = check(at.in, {"--objects-endpoint", proxy.url(), "--remove"});
  CHECK(removed.exit_code == 0);
  CHECK(removed.out.find("1 unreferenced, 1 removed\n") != std::string::npos);
  CHECK(names_below(at.bucket, "media/").size() == 3);
  CHECK(check(at.in).exit_code == 0);
}

TEST_CASE("an export whose process was killed is taken over, or forgotten when it is old") {
  if (!store::has_s3_service()) return;
  const world in;
  const auto file = in.directory().file("lobbies.jsonl", lobby_lines(40'000));
  REQUIRE(run({"import", "lobbies", "--data-dir", in.data_dir(), file}).exit_code == 0);
  broken_bucket at{{}, in};
  at.fault.set([](const seen_request& request) {
    return request.is("PUT", "partNumber=2") ? proxy_action{kind::hang} : proxy_action{};
  });
  raw_connection client{at.of.data()};
  client.send(request("POST", export_path, all_lobbies));
  REQUIRE(eventually([&] { return at.proxy.count("PUT", "partNumber=2") > 0; }));
  at.of.process().signal(SIGKILL);
  CHECK(at.of.process().exit_code() == 128 + SIGKILL);
  CHECK(names_below(at.bucket(), "exports/").empty());
  CHECK(at.bucket().unfinished() == 1);
  const auto records = records_in(in);
  REQUIRE(records.size() == 1);
  CHECK_FALSE(records.front().is_complete);

  // Its lease is 10 s.
  const server second{{"--export-timeout-ms", "20000"}, in, told_of(at.bucket())};
  CHECK(second.metric("matchcloud_export_file_bytes") == 0);
  const auto target = exported(second);
  CHECK(download(second, target).status == 200);
  const auto made = names_below(at.bucket(), "exports/");
  REQUIRE(made.size() == 1);
  CHECK(made.front().ends_with("/2"));
  CHECK(records_in(in).size() == 1);
  // One that was begun two hours ago, which nobody asks for, was given up.
  auto database = store::sqlite_connection::open(in.data_dir() + "/matchcloud.db");
  database.execute(
      "INSERT INTO exports (export_id, game_id, query_start, query_end, generation, begun_ts) "
      "SELECT randomblob(16), game_id, 0, 1, 1, begun_ts - 7200000 FROM exports",
      "note an old one");
  REQUIRE(records_in(in).size() == 2);
  const server third{{}, in, told_of(at.bucket())};
  CHECK(eventually([&] { return records_in(in).size() == 1; }));
  CHECK(records_in(in).front().is_complete);
  CHECK(download(third, target).status == 200);

  // What is left of it goes once it is old.
  at.fault.set([page = old_uploads(at.bucket())](const seen_request& request) {
    return request.is("GET", "uploads") ? proxy_action{kind::answer, canned(200, page)}
                                        : proxy_action{};
  });
  const auto removed = run({"objects", "check", "--data-dir", in.data_dir(), "--objects-endpoint",
                            at.proxy.url(), "--remove"},
                           told_of(at.bucket()));
  CHECK(removed.out.find(", 1 removed") != std::string::npos);
  CHECK(at.bucket().unfinished() == 0);
  CHECK(download(third, target).status == 200);
}

} // namespace
