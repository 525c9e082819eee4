// Files that root makes in a data directory of another user, who may have put links into it.
#include "tests/catch.hpp"
#include "tests/e2e/files/user_service.hpp"
#include "tests/fixtures/png_image.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/service/server.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace matchcloud;
using namespace matchcloud::e2e;

/// A command that root runs, and what comes before and after `--data-dir DIRECTORY`.
struct root_command {
  std::string name;
  arguments after;
  /// Whether it makes a store where there is none.
  bool makes_store = false;
};

constexpr const char* token_id_mark = "TOKEN";

arguments words_of(const std::string& name) {
  arguments words;
  for (std::size_t at = 0; at < name.size();) {
    const auto end = std::min(name.find(' ', at), name.size());
    words.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

const std::string region = R"({"region_display_name":"X","provider_display_name":"Y",)"
                           R"("datacenter_coord":{"latitude":1.5,"longitude":-2}})";

const std::string upload_id = "00000000-0000-4000-8000-0000000000b7";

/// Inputs of commands, which root keeps to itself.
struct inputs {
  inputs() {
    folder.file("catalog.json", R"({"tiers":["basic-9d9"]})");
    folder.file("face.png", fixtures::small_png());
    folder.file("avatars.jsonl",
                R"({"game_id":")" + std::string{demo_game} + R"(","upload_id":")" + upload_id +
                    R"(","display_name":"Face",)"
                    R"("create_ts":1767225600000,"content_length":)" +
                    std::to_string(std::filesystem::file_size(folder.path("face.png"))) +
                    R"(,"complete":true,"file":"face.png"})" + "\n");
    folder.file("lobbies.jsonl",
                R"({"lobby_id":"7d4f0c1e-52a8-4a0e-9a35-6f1f2f9a0003",)"
                R"("namespace_id":"00000000-0000-4000-8000-000000000011","region_id":"lon",)"
                R"("tier":"basic-1d1","version_id":"00000000-0000-4000-8000-000000000031",)"
                R"("version_name":"1","game_mode":"duel","start_ts":1769900400000})"
                "\n");
    folder.file("latencies.csv", "latitude,longitude,region,ms\n51.5,-0.1,lon,9\n");
  }
  std::string path(const std::string& name) const { return folder.path(name); }

  fixtures::temporary_directory folder;
};

/// Every command that may touch a data directory. `store copy` and `tls self-signed` name it
/// otherwise.
std::vector<root_command> commands_on_a_store(const inputs& in) {
  return {
      {"audit", {}},
      {"avatar remove", {"Demo Game", "00000000-0000-4000-8000-000000000104"}},
      {"backup", {in.path("backup")}},
      {"catalog list", {"tiers"}},
      {"catalog put", {"region", "xyz", region}, true},
      {"catalog remove", {"tier", "basic-2d1"}},
      {"demo", {}, true},
      {"explain", {"192.0.2.1"}},
      {"export", {"--game", std::string{demo_game}, "--start", "0", "--end", "9", "-o", "-"}},
      {"game remove", {"Demo Game", "--everything", "--yes"}},
      {"import avatars", {in.path("avatars.jsonl")}},
      {"import catalog", {in.path("catalog.json")}, true},
      {"import lobbies", {in.path("lobbies.jsonl")}},
      {"latency export", {in.path("exported.csv")}},
      {"latency import", {in.path("latencies.csv")}},
      {"lobbies close", {"--older-than", "1d"}},
      {"objects check", {"--remove", "--age-hours", "1"}},
      {"retention", {}},
      {"restore", {in.path("backup-of-another")}, true},
      {"signing-key rotate", {"--revoke"}},
      {"store copy", {}, true},
      {"tls self-signed", {}},
      {"token create", {"--kind", "viewer", "--name", "x", "--expires", "90d"}, true},
      {"token list", {}},
      {"token revoke", {token_id_mark}},
      {"token rotate", {token_id_mark}},
      {"verify", {}},
  };
}

/// Those that never see a data directory, the service itself, and the one that looks as the service
/// does.
const std::vector<std::string> others{
    "completion", "doctor",  "fault clear", "fault list", "fault run", "fault set", "health",
    "help",       "openapi", "reload",      "schema",     "serve",     "validate",  "version"};

std::string first_token(const std::string& data_dir) {
  const auto made = run({"token", "create", "--data-dir", data_dir, "--kind", "viewer", "--name",
                         "first", "--expires", "1d", "--format", "json"});
  INFO(made.errors);
  const auto at = made.out.find(R"("token_id":")");
  REQUIRE(at != std::string::npos);
  return made.out.substr(at + 12, 36);
}

arguments line_of(const root_command& command, const std::string& data_dir,
                  const std::string& other_store) {
  auto words = words_of(command.name);
  if (command.name == "store copy") {
    words.insert(words.end(), {"--with-secrets", other_store, data_dir});
  } else if (command.name == "tls self-signed") {
    words.insert(words.end(), {"--out-dir", data_dir + "/tls"});
  } else {
    words.insert(words.end(), {"--data-dir", data_dir});
  }
  words.insert(words.end(), command.after.begin(), command.after.end());
  for (auto& word : words)
    if (word == token_id_mark) word = first_token(data_dir);
  return words;
}

/// The path of the imported avatar's image: in the data directory it is media/../UPLOAD.DIGEST.png.
std::string imported_image(const std::string& data_dir) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator{data_dir + "/media"}) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(upload_id + "."))
      return "/media/avatars/" + upload_id + "/" + name.substr(upload_id.size() + 1);
  }
  FAIL("no image");
  return {};
}

TEST_CASE("every command of the program is known to the tests of its files", "[operations]") {
  const inputs in;
  auto known = others;
  for (const auto& each : commands_on_a_store(in))
    known.push_back(each.name);
  auto there = all_commands();
  std::ranges::sort(known);
  std::ranges::sort(there);
  CHECK(there == known);
}

TEST_CASE("files that root's commands make in another user's data directory are that user's",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const inputs in;
  const users_directory source; // with secrets, to be copied
  REQUIRE(run({"demo", "--data-dir", source.data_dir()}).exit_code == 0);
  REQUIRE(run({"signing-key", "rotate", "--data-dir", source.data_dir()}).exit_code == 0);
  REQUIRE(run({"backup", "--with-secrets", in.path("backup-of-another"), "--data-dir",
               source.data_dir()})
              .exit_code == 0);
  for (const auto& command : commands_on_a_store(in)) {
    CAPTURE(command.name);
    for (const bool has_store : {true, false}) {
      const bool needs_new = command.name == "store copy" || command.name == "restore";
      if (has_store ? needs_new : !command.makes_store) continue;
      CAPTURE(has_store);
      const users_directory on;
      if (has_store) REQUIRE(on.run_as_user({"demo", "--data-dir", on.data_dir()}).exit_code == 0);
      const auto line = line_of(command, on.data_dir(), source.data_dir());
      const auto got = run(line);
      INFO(got.errors);
      CHECK(got.exit_code == 0);
      CHECK(on.foreign().empty());
      const auto read = on.run_as_user({"audit", "--data-dir", on.data_dir()});
      INFO(read.errors);
      CHECK(read.exit_code == 0);
    }
  }
}

TEST_CASE("a service uses what root's commands made, also after a restart",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const inputs in;
  const users_directory on;
  for (const auto& words : {arguments{"demo"}, {"import", "avatars", in.path("avatars.jsonl")}}) {
    auto line = words;
    line.insert(line.end(), {"--data-dir", on.data_dir()});
    const auto done = run(line);
    INFO(done.errors);
    REQUIRE(done.exit_code == 0);
  }
  std::string old_url;
  {
    directory_service service{on};
    CHECK(service.ask("GET", image_target(service)).status == 200);
    CHECK(service.ask("GET", imported_image(on.data_dir())).status == 200);
    old_url = service.export_all();
    CHECK(service.ask("GET", old_url).status == 200);
    REQUIRE(run({"signing-key", "rotate", "--revoke", "--data-dir", on.data_dir()}).exit_code == 0);
    CHECK(eventually([&] { return service.ask("GET", old_url).status == 403; }));
    service.check_exports();
  }
  const directory_service again{on};
  CHECK(again.ask("GET", old_url).status == 403);
  again.check_exports();
  CHECK(on.foreign().empty());
}

TEST_CASE("in root's own directory, and outside of data directories, root's files stay root's",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const fixtures::temporary_directory own;
  REQUIRE(run({"demo", "--data-dir", own.path("data")}).exit_code == 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator{own.path("data")}) {
    struct stat found {};
    REQUIRE(::lstat(entry.path().c_str(), &found) == 0);
    CHECK(found.st_uid == 0);
  }
  const users_directory home;
  const auto file = home.data_dir() + "/january.csv";
  REQUIRE(run({"export", "--game", std::string{demo_game}, "--start", "0", "--end", "9",
               "--data-dir", own.path("data"), "-o", file})
              .exit_code == 0);
  CHECK(home.foreign() == file + "\n");
  // A data directory that was not there is that of whom it is made for.
  REQUIRE(run({"demo", "--data-dir", home.data_dir() + "/new/one/"}).exit_code == 0);
  CHECK(home.foreign() == file + "\n");
}

TEST_CASE("a service of root's refuses secrets of another user", "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const auto serve = [](const std::string& data_dir) {
    return run({"serve", "--data-dir", data_dir, "--listen", "127.0.0.1:0", "--ops-listen",
                "127.0.0.1:0"});
  };
  const users_directory on;
  const auto check_refused = [&](const std::string& what) {
    const auto refused = serve(on.data_dir());
    INFO(refused.errors);
    CHECK(refused.exit_code == 1);
    CHECK(refused.errors.find(what + ": belongs to user 23417") != std::string::npos);
    CHECK(refused.errors.find("run serve as user 23417") != std::string::npos);
  };
  check_refused(on.data_dir()); // where it would make some
  CHECK(std::filesystem::is_empty(on.data_dir()));
  { const directory_service first{on}; }
  check_refused(on.data_dir());
  // Whatever else there is root's.
  const auto give = [](const std::string& path, uid_t to) {
    REQUIRE(::lchown(path.c_str(), to, to) == 0);
  };
  give(on.data_dir(), 0);
  check_refused(on.data_dir() + "/matchcloud.db"); // as in a volume of Kubernetes
  give(on.data_dir() + "/matchcloud.db", 0);
  check_refused(on.data_dir() + "/signing-keys");
  give(on.data_dir(), 23'417);
  give(on.data_dir() + "/signing-keys", 23'417);
  give(on.data_dir() + "/matchcloud.db", 23'417);
  CHECK(on.foreign().empty());
}

// -- links -------------------------------------------------------------------

const std::string planted_upload = "00000000-0000-4000-8000-0000000000b7";

std::string text_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// A folder of root's, with what a command might harm.
class roots_folder {
public:
  explicit roots_folder(mode_t mode) {
    fs::create_directory(folder_.path("below"));
    folder_.file("below/file", "precious");
    folder_.file("file", "precious");
    // As a leftover, and an image that no avatar refers to, would be called.
    fs::create_directory(folder_.path("abcdef"));
    folder_.file("abcdef/1", "precious");
    fs::create_directory(folder_.path("ab"));
    folder_.file("ab/" + planted_upload + "." + std::string(62, '0') + "ab.png", "precious");
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours{48};
    for (const auto& entry : fs::recursive_directory_iterator{folder_.path()})
      if (entry.is_regular_file()) fs::last_write_time(entry, old);
    for (const auto& entry : fs::recursive_directory_iterator{folder_.path()})
      REQUIRE(::chmod(entry.path().c_str(), entry.is_directory() ? mode : mode & 0666U) == 0);
    REQUIRE(::chmod(folder_.path().c_str(), mode) == 0);
  }

  const std::string& path() const noexcept { return folder_.path(); }
  std::string path(const std::string& name) const { return folder_.path(name); }

  /// Everything in it: names, owners, modes and contents.
  std::vector<std::string> content() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator{folder_.path()}) {
      struct stat found {};
      REQUIRE(::lstat(entry.path().c_str(), &found) == 0);
      all.push_back(entry.path().string() + " " + std::to_string(found.st_uid) + " " +
                    std::to_string(found.st_mode) + " " +
                    (S_ISREG(found.st_mode) ? text_of(entry.path()) : ""));
    }
    std::ranges::sort(all);
    return all;
  }

private:
  fixtures::temporary_directory folder_;
};

/// Puts a link of the service's user in place of `path`.
void plant(const std::string& target, const std::string& path) {
  fs::remove_all(path);
  fs::create_symlink(target, path);
  REQUIRE(::lchown(path.c_str(), service_user, service_user) == 0);
}

/// Commands that make, change and remove files, without `--data-dir`.
std::vector<arguments> commands_with(const fixtures::temporary_directory& inputs) {
  inputs.file("face.png", fixtures::small_png());
  inputs.file("avatars.jsonl",
              R"({"game_id":")" + std::string{demo_game} + R"(","upload_id":")" + planted_upload +
                  R"(","display_name":"Face","create_ts":1767225600000,"content_length":)" +
                  std::to_string(fs::file_size(inputs.path("face.png"))) +
                  R"(,"complete":true,"file":"face.png"})" + "\n");
  inputs.file("lobbies.jsonl", "");
  return {{"demo"},
          {"import", "avatars", inputs.path("avatars.jsonl")},
          {"import", "lobbies", inputs.path("lobbies.jsonl")},
          {"objects", "check", "--remove", "--age-hours", "1"},
          {"signing-key", "rotate", "--revoke"},
          {"token", "create", "--kind", "viewer", "--name", "x", "--expires", "90d"}};
}

command_result run_on(const users_directory& on, arguments words) {
  words.insert(words.end(), {"--data-dir", on.data_dir()});
  return run(words);
}

TEST_CASE("links in another user's data directory lead root's commands nowhere",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const fixtures::temporary_directory inputs;
  const auto commands = commands_with(inputs);
  const users_directory seeded;
  REQUIRE(seeded.run_as_user({"demo", "--data-dir", seeded.data_dir()}).exit_code == 0);
  for (const mode_t mode : {mode_t{0700}, mode_t{0755}}) {
    const roots_folder roots{mode};
    const auto before = roots.content();
    for (const std::string place : {"tmp", "media", "exports", "signing-keys", "matchcloud.db"}) {
      bool has_failed = false;
      for (const auto& command : commands) {
        CAPTURE(mode, place, command.front());
        const users_directory on;
        fs::copy(seeded.data_dir(), on.data_dir(), fs::copy_options::recursive);
        for (const auto& entry : fs::recursive_directory_iterator{on.data_dir()})
          REQUIRE(::lchown(entry.path().c_str(), service_user, service_user) == 0);
        const bool is_file = place == "signing-keys" || place == "matchcloud.db";
        plant(is_file ? roots.path("file") : roots.path(), on.data_dir() + "/" + place);
        const auto got = run_on(on, command);
        INFO(got.errors);
        CHECK(roots.content() == before);
        CHECK(on.foreign().empty());
        if (got.exit_code == 0) continue;
        has_failed = true;
        CHECK(got.exit_code == 1);
        const bool misses_images =
            got.errors.find("missing; import the avatars again") != std::string::npos;
        CHECK((misses_images || got.errors.find(on.data_dir() + "/" + place) != std::string::npos));
      }
      // Exports are the service's alone.
      if (place != "exports") CHECK(has_failed);
    }
  }
}

TEST_CASE("a link in place of the data directory itself leads root's commands nowhere",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const fixtures::temporary_directory inputs;
  const roots_folder roots{0700};
  const auto before = roots.content();
  for (const auto& command : commands_with(inputs)) {
    CAPTURE(command.front());
    const users_directory on;
    plant(roots.path(), on.data_dir());
    const auto got = run_on(on, command);
    INFO(got.errors);
    CHECK(got.exit_code == 1);
    CHECK(got.errors.find(on.data_dir()) != std::string::npos);
    CHECK(roots.content() == before);
  }
}

} // namespace
