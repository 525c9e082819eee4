// Avatars from the import to the clients that show them.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/png_image.hpp"
#include "tests/service/shared_servers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>

namespace {

using namespace matchcloud;
using namespace e2e;

std::string avatars_target(const std::string& game) {
  return "/cloud/games/" + game + "/avatars";
}

std::string upload_id(std::size_t number) {
  const auto digits = std::to_string(number);
  return "10000000-0000-4000-8000-" + std::string(12 - digits.size(), '0') + digits;
}

std::string line_of_avatar(std::size_t upload, const std::string& rest) {
  return R"({"game_id":")" + second_game + R"(","upload_id":")" + upload_id(upload) +
         R"(","display_name":"A","create_ts":"2026-01-01T00:00:00Z","content_length":7,)" + rest +
         "}\n";
}

const std::string incomplete = R"("complete":false)";

std::string with_image(const std::string& file) {
  return R"("complete":true,"file":")" + file + '"';
}

command_result import_avatars(const world& into, const std::string& lines,
                              const arguments& flags = {}) {
  arguments all{"import", "avatars", "--data-dir", into.data_dir()};
  all.insert(all.end(), flags.begin(), flags.end());
  all.push_back(into.directory().file("avatars.jsonl", lines));
  return run(all);
}

answer get_avatars(const address& from, const std::string& target) {
  raw_connection client{from};
  return client.ask(request("GET", target));
}

/// The avatars of the second game.
std::vector<std::string> listed_ids(const server& of) {
  std::vector<std::string> ids;
  const auto document = parse_json(get_avatars(of.data(), avatars_target(second_game)).body);
  if (!document.IsObject() || !document.HasMember("custom_avatars")) return {"no listing"};
  for (const auto& each : document["custom_avatars"].GetArray())
    ids.push_back(text_at(each, "upload_id"));
  return ids;
}

/// The path of a URL of this server.
std::string path_of(const std::string& url, const server& of) {
  const auto base = "http://" + of.data().authority();
  REQUIRE(url.starts_with(base + "/"));
  return url.substr(base.size());
}

TEST_CASE("the demo game lists five avatars, newest first, and the complete ones download",
          "[operations][shipped]") {
  const auto transport = GENERATE("loops", "httplib");
  const auto& of = plain_server(transport);
  const auto got = get_avatars(of.data(), avatars_target(std::string{demo_game}));
  CHECK(got.status == 200);
  CHECK(got.header("content-type") == "application/json");
  const auto document = parse_json(got.body);
  REQUIRE(member_names(document) == arguments{"custom_avatars"});
  const auto& avatars = document["custom_avatars"];
  REQUIRE(avatars.Size() == 5);
  std::string last = "9";
  int complete = 0;
  for (const auto& each : avatars.GetArray()) {
    arguments members{"upload_id", "display_name", "create_ts", "content_length", "complete"};
    REQUIRE(each["complete"].IsBool());
    if (each["complete"].GetBool()) members.push_back("url");
    REQUIRE(member_names(each) == members);
    CHECK(each["content_length"].IsUint64());
    CHECK(text_at(each, "create_ts") < last);
    last = text_at(each, "create_ts");
    if (!each["complete"].GetBool()) continue;
    ++complete;
    const auto image = get_avatars(of.data(), path_of(text_at(each, "url"), of));
    CHECK(image.status == 200);
    CHECK(image.header("content-type") == "image/png");
    CHECK(image.body.starts_with("\x89PNG"));
    CHECK(image.body.size() == each["content_length"].GetUint64());
  }
  CHECK(complete == 3);
}

TEST_CASE("avatars of an unknown game are 404, of no UUID 400, of a game without any empty",
          "[operations]") {
  const auto& of = plain_server().data();
  CHECK(get_avatars(of, avatars_target(upload_id(999))).problem_code() == "game_not_found");
  CHECK(get_avatars(of, avatars_target("42")).problem_code() == "id_malformed");
  CHECK(get_avatars(of, avatars_target(second_game)).body == R"({"custom_avatars":[]})");
  raw_connection client{of};
  client.send(request("HEAD", avatars_target(second_game)));
  const auto head = client.receive(true);
  CHECK(head.status == 200);
  CHECK(head.header("content-length") == "21");
}

TEST_CASE("imported avatars are listed within a second, by every server on the data directory",
          "[operations]") {
  const world own;
  const server first{{"--loops", "2"}, own};
  const server second{{}, own};
  CHECK(listed_ids(first).empty());
  CHECK(listed_ids(second).empty());
  own.directory().file("image.png", fixtures::small_png());
  own.directory().file("image.jpg", fixtures::small_jpeg());
  const auto text = line_of_avatar(1, with_image("image.png")) + line_of_avatar(2, incomplete) +
                    line_of_avatar(3, with_image("image.jpg"));
  const auto imported = import_avatars(own, text);
  INFO(imported.errors);
  CHECK(imported.exit_code == 0);
  CHECK(imported.out == "3 avatars added, 0 changed, 0 unchanged; 0 lines left out\n");
  const arguments expected{upload_id(1), upload_id(2), upload_id(3)};
  // The documented limit is one second; a busy machine gets more.
  const deadline soon{milliseconds{5'000}};
  CHECK(eventually([&] { return listed_ids(first) == expected; }, soon));
  CHECK(eventually([&] { return listed_ids(second) == expected; }, soon));
  const auto again = import_avatars(own, text);
  CHECK(again.out == "0 avatars added, 0 changed, 3 unchanged; 0 lines left out\n");

  const auto document = parse_json(get_avatars(second.data(), avatars_target(second_game)).body);
  const auto path = path_of(text_at(document["custom_avatars"][2], "url"), second);
  const auto jpeg = get_avatars(second.data(), path);
  CHECK(jpeg.status == 200);
  CHECK(jpeg.header("content-type") == "image/jpeg");
  CHECK(jpeg.body == fixtures::small_jpeg());

  // Lists that are out name the former image, until the avatar is removed.
  CHECK(import_avatars(own, line_of_avatar(3, with_image("image.png"))).exit_code == 0);
  for (const auto* each : {&first, &second}) {
    CHECK(eventually([&] {
      return get_avatars(each->data(), avatars_target(second_game)).body.find(".jpg") ==
             std::string::npos;
    }));
    CHECK(get_avatars(each->data(), path).body == fixtures::small_jpeg());
  }
  const auto removed =
      run({"avatar", "remove", "--data-dir", own.data_dir(), second_game, upload_id(3)});
  INFO(removed.errors);
  CHECK(removed.exit_code == 0);
  CHECK(eventually([&] { return get_avatars(second.data(), path).status == 404; }));
}

TEST_CASE("what phones append to an image is left out, and the image is served as it is without",
          "[operations]") {
  const world own;
  const std::vector<std::pair<std::string, std::string>> files{
      {"motion.jpg", fixtures::phone_jpeg() + fixtures::film()},
      {"ultra_hdr.jpg", fixtures::phone_jpeg() + fixtures::small_jpeg()},
      {"padded.jpg", fixtures::phone_jpeg() + std::string(4'096, '\0')},
      {"plain.jpg", fixtures::phone_jpeg()},
      // A film alone is larger than an image may be.
      {"long.jpg", fixtures::phone_jpeg() + std::string(5'000'000, 'x')},
      {"appended.png", fixtures::small_png() + "<script>"}};
  std::string text;
  for (std::size_t i = 0; i < files.size(); ++i) {
    own.directory().file(files[i].first, files[i].second);
    text += line_of_avatar(i + 1, with_image(files[i].first));
  }
  const auto imported = import_avatars(own, text);
  INFO(imported.errors);
  CHECK(imported.exit_code == 0);
  CHECK(imported.out == "6 avatars added, 0 changed, 0 unchanged; 5 files had data after the "
                        "image, which was left out; 0 lines left out\n");
  CHECK(import_avatars(own, text).out ==
        "0 avatars added, 0 changed, 6 unchanged; 5 files had data "
        "after the image, which was left out; 0 lines left out\n");

  const server of{{}, own};
  const auto document = parse_json(get_avatars(of.data(), avatars_target(second_game)).body);
  const auto& listed = document["custom_avatars"];
  REQUIRE(listed.Size() == files.size());
  for (unsigned i = 0; i < listed.Size(); ++i) {
    INFO(files[i].first);
    const auto image = get_avatars(of.data(), path_of(text_at(listed[i], "url"), of));
    CHECK(image.status == 200);
    CHECK(image.body == (i + 1 < files.size() ? fixtures::phone_jpeg() : fixtures::small_png()));
  }
}

TEST_CASE("public-url and base-path stand before the URLs of images", "[operations]") {
  const world own;
  own.directory().file("image.png", fixtures::small_png());
  CHECK(import_avatars(own, line_of_avatar(1, with_image("image.png"))).exit_code == 0);
  const server of{{"--public-url", "https://cdn.example", "--base-path", "/mm"}, own};
  const auto document =
      parse_json(get_avatars(of.data(), "/mm" + avatars_target(second_game)).body);
  const auto url = text_at(document["custom_avatars"][0], "url");
  const std::string base = "https://cdn.example/mm/media/avatars/" + upload_id(1) + "/";
  REQUIRE(url.starts_with(base));
  CHECK(get_avatars(of.data(), url.substr(std::string{"https://cdn.example"}.size())).status ==
        200);
}

TEST_CASE("an import with any error writes nothing, a partial one the good lines", "[operations]") {
  const world own;
  const server of{{}, own};
  own.directory().file("note.png", "no image");
  const auto text =
      line_of_avatar(1, incomplete) + "{\n" + line_of_avatar(2, with_image("note.png"));
  const auto refused = import_avatars(own, text);
  CHECK(refused.exit_code == 1);
  CHECK(refused.out.empty());
  CHECK(refused.errors.find("line 2: malformed") != std::string::npos);
  CHECK(refused.errors.find("line 3: invalid: file \"note.png\"") != std::string::npos);
  CHECK(listed_ids(of).empty());
  const auto partial = import_avatars(own, text, {"--partial"});
  CHECK(partial.exit_code == 0);
  CHECK(partial.out == "1 avatars added, 0 changed, 0 unchanged; 2 lines left out\n");
  CHECK(partial.errors.find("line 2: malformed") != std::string::npos);
  CHECK(eventually([&] { return listed_ids(of) == arguments{upload_id(1)}; }));
}

TEST_CASE("an import that leaves out what changed during it does not succeed", "[operations]") {
  const world own;
  own.directory().file("a.png", fixtures::small_png(1));
  const auto pipe = own.directory().path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::optional<base::file_descriptor> writer{::open(pipe.c_str(), O_RDWR | O_CLOEXEC)};
  child_process importing{{"import", "avatars", "--data-dir", own.data_dir(), pipe}};
  // The second line is read once the first has been checked.
  for (const auto& text : {line_of_avatar(1, with_image("a.png")), std::string{"\n"}}) {
    REQUIRE(::write(writer->get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    REQUIRE(eventually([&] {
      pollfd unread{writer->get(), POLLIN, 0};
      return ::poll(&unread, 1, 0) == 0;
    }));
  }
  own.directory().file("a.png", fixtures::small_png(2));
  writer.reset();
  CHECK(importing.exit_code() == 1);
  CHECK(importing.says("1 lines were left out:\n  line 1: invalid: "));
}

TEST_CASE("an import that cannot read its file says so", "[operations]") {
  const world own;
  const auto missing = run({"import", "avatars", "--data-dir", own.data_dir(), "/nowhere/a.jsonl"});
  CHECK(missing.exit_code == 1);
  CHECK(missing.errors.find("/nowhere/a.jsonl: cannot be opened") != std::string::npos);
}

TEST_CASE("a killed import is repeated: nothing is lost, nothing is half", "[lifecycle]") {
  const world own;
  const server of{{}, own};
  constexpr std::size_t count = 2'000;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = std::to_string(i) + ".png";
    own.directory().file(name, fixtures::small_png(i));
    text += line_of_avatar(i, with_image(name));
  }
  const auto file = own.directory().file("avatars.jsonl", text);
  const arguments command{"import", "avatars", "--data-dir", own.data_dir(), file};
  {
    const child_process importing{command};
    CHECK(eventually([&] { return !listed_ids(of).empty(); }));
    importing.signal(SIGKILL);
  }
  // Every listed avatar is complete, and its image can be downloaded.
  const auto document = parse_json(get_avatars(of.data(), avatars_target(second_game)).body);
  for (const auto& each : document["custom_avatars"].GetArray())
    REQUIRE(get_avatars(of.data(), path_of(text_at(each, "url"), of)).status == 200);
  const auto repeated = run(command);
  CHECK(repeated.exit_code == 0);
  CHECK(eventually([&] { return listed_ids(of).size() == count; }));
  CHECK(std::filesystem::is_empty(own.data_dir() + "/tmp"));
}

TEST_CASE("a list of 100,000 avatars is one answer, and does not hold up small ones", "[limits]") {
  const world own;
  const server of{{"--loops", "1"}, own};
  constexpr std::size_t count = 100'000;
  {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      text += line_of_avatar(i, incomplete);
    CHECK(import_avatars(own, text).out ==
          "100000 avatars added, 0 changed, 0 unchanged; 0 lines left out\n");
  }
  raw_connection large{of.data()};
  large.send(request("GET", avatars_target(second_game)));
  raw_connection small{of.data()};
  std::size_t answered = 0;
  while (!large.readable(milliseconds{0})) { // the list is being read and rendered
    CHECK(small.ask(request("GET", regions_target)).status == 200);
    ++answered;
  }
  CHECK(answered > 0);
  const auto listing = large.receive();
  CHECK(listing.status == 200);
  const auto document = parse_json(listing.body);
  REQUIRE(document.IsObject());
  CHECK(document["custom_avatars"].Size() == count);
  CHECK(of.metric("matchcloud_avatar_loads_total") == 1);
  CHECK(of.metric("matchcloud_avatar_cached_bytes") >= static_cast<double>(listing.body.size()));
  CHECK(get_avatars(of.data(), avatars_target(second_game)).body == listing.body);
  CHECK(of.metric("matchcloud_avatar_loads_total") == 1);
  CHECK(of.metric("matchcloud_avatar_cache_hits_total") == 1);
}

TEST_CASE("a list beyond the limit is refused, and the key that raises it is named", "[limits]") {
  const world own;
  const server of{{"--avatar-list-limit-bytes", "2048"}, own};
  std::string text;
  for (std::size_t i = 0; i < 20; ++i)
    text += line_of_avatar(i, incomplete);
  CHECK(import_avatars(own, text).exit_code == 0);
  const auto refused = get_avatars(of.data(), avatars_target(second_game));
  CHECK(refused.status == 500);
  CHECK(refused.problem_code() == "list_too_large");
  CHECK(refused.body.find("avatar-list-limit-bytes") != std::string::npos);
  CHECK(get_avatars(of.data(), avatars_target(std::string{demo_game})).status == 200);
}

} // namespace
