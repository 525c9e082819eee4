// Avatars from the import to the clients that show them.
#include "base/files/file_descriptor.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/png_image.hpp"
#include "tests/service/server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

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

TEST_CASE("imported avatars are listed within a second, by every server on the data directory",
          "[operations]") {
  const world own;
  const server first{{"--loops", "2"}, own};
  const server second{{}, own};
  CHECK(listed_ids(first).empty());
  CHECK(listed_ids(second).empty());
  own.directory().file("image.png", fixtures::small_png());
  own.directory().file("image.jpg", fixtures::small_jpeg());
  own.directory().file("motion.jpg", fixtures::phone_jpeg() + fixtures::film());
  const auto text = line_of_avatar(1, with_image("image.png")) + line_of_avatar(2, incomplete) +
                    line_of_avatar(3, with_image("image.jpg")) +
                    line_of_avatar(4, with_image("motion.jpg"));
  const auto imported = import_avatars(own, text);
  INFO(imported.errors);
  CHECK(imported.exit_code == 0);
  CHECK(imported.out == "4 avatars added, 0 changed, 0 unchanged; 1 files had data after the "
                        "image, which was left out; 0 lines left out\n");
  const arguments expected{upload_id(1), upload_id(2), upload_id(3), upload_id(4)};
  // The documented limit is one second; a busy machine gets more.
  const deadline soon{milliseconds{5'000}};
  CHECK(eventually([&] { return listed_ids(first) == expected; }, soon));
  CHECK(eventually([&] { return listed_ids(second) == expected; }, soon));
  const auto again = import_avatars(own, text);
  CHECK(again.out == "0 avatars added, 0 changed, 4 unchanged; 1 files had data after the "
                     "image, which was left out; 0 lines left out\n");

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
      return get_avatars(each->data(), avatars_target(second_game)).body.find(path) ==
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

  // What changes after it was checked is left out, and the import does not succeed.
  own.directory().file("a.png", fixtures::small_png(1));
  const auto pipe = own.directory().path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::optional<base::file_descriptor> writer{::open(pipe.c_str(), O_RDWR | O_CLOEXEC)};
  child_process importing{{"import", "avatars", "--data-dir", own.data_dir(), pipe}};
  // The second line is read once the first has been checked.
  for (const auto& each : {line_of_avatar(2, with_image("a.png")), std::string{"\n"}}) {
    REQUIRE(::write(writer->get(), each.data(), each.size()) == static_cast<ssize_t>(each.size()));
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

} // namespace
