// The command `objects check`, and what a killed process leaves.
#include "store/sqlite/sqlite.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/objects/broken_bucket.hpp"
#include "tests/objects/bucket_clients.hpp"
#include "tests/service/lobby_lines.hpp"

#include <algorithm>
#include <csignal>

namespace {

using namespace matchcloud;
using namespace e2e;
using store::proxy_action;
using store::seen_request;
using kind = store::proxy_action::kind;

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

TEST_CASE("a check finds nothing wrong where nothing is") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const server of{{}, at.in};
  exported(of);
  const auto table = check(at.in);
  CHECK(table.exit_code == 0);
  CHECK(table.out == "3 images and 1 exports are referenced, 0 missing, 0 unreferenced\n");
  CHECK(table.errors.empty());
  CHECK(check(at.in, {"--format", "json"}).out ==
        R"({"images":3,"exports":1,"missing":[],"unreferred":[],"young":0})"
        "\n");
}

TEST_CASE("a check names what is missing, and exits with 1") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const server of{{}, at.in};
  exported(of);
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
  const store::fault_proxy proxy{at.bucket.settings.endpoint, [&](const seen_request& request) {
                                   return request.is("GET", "list-type=2") &&
                                                  request.target.find("media") != std::string::npos
                                              ? proxy_action{kind::answer, store::canned(200, page)}
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
    return request.is("GET", "uploads") ? proxy_action{kind::answer, store::canned(200, page)}
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
