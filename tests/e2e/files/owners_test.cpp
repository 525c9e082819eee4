// Files that root makes in a data directory of another user.
#include "tests/catch.hpp"
#include "tests/e2e/files/user_service.hpp"
#include "tests/fixtures/png_image.hpp"
#include "tests/service/server.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace {

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

TEST_CASE("what root's commands make in another user's data directory is that user's",
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

TEST_CASE("a service uses what root's commands brought, and starts again",
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

/// What the timer of docs/backup.md runs. Returns the folder of the backup.
std::string back_up_daily(const inputs& own, const std::string& data_dir) {
  const auto config = own.folder.file("matchcloud.toml", "data-dir = \"" + data_dir + "\"\n");
  REQUIRE(::chmod(config.c_str(), 0600) == 0);
  const auto all = own.path("daily");
  REQUIRE(std::filesystem::create_directory(all));
  const auto got = run({"-c", "exec " + fixtures::service_program() + " backup --with-secrets " +
                                  all + "/$(date +%F) --config " + config},
                       {}, {}, "/bin/sh");
  INFO(got.errors);
  REQUIRE(got.exit_code == 0);
  return std::filesystem::directory_iterator {
    all
    } -> path().string();
}

TEST_CASE("root keeps backups of another user's store in a folder of its own",
          "[operations][embedded]") {
  if (!can_be_service_user()) return;
  const inputs own;
  struct stat found {};
  REQUIRE(::stat(own.folder.path().c_str(), &found) == 0);
  REQUIRE((found.st_uid == 0 && (found.st_mode & 0777U) == 0700));
  const auto good = [](const command_result& got) {
    INFO(got.errors);
    REQUIRE(got.exit_code == 0);
  };
  const users_directory on;
  good(on.run_as_user({"demo", "--data-dir", on.data_dir()}));
  good(on.run_as_user({"signing-key", "rotate", "--data-dir", on.data_dir()}));
  good(run({"import", "avatars", own.path("avatars.jsonl"), "--data-dir", on.data_dir()}));
  const auto backup = back_up_daily(own, on.data_dir());
  for (const auto* name : {"", "/matchcloud.db", "/manifest.json", "/signing-keys"}) {
    CAPTURE(name);
    REQUIRE(::lstat((backup + name).c_str(), &found) == 0);
    CHECK(found.st_uid == 0);
    CHECK((found.st_mode & 0077U) == 0);
  }
  CHECK(on.foreign().empty());
  good(run({"verify", backup}));
  CHECK(on.run_as_user({"verify", backup}).exit_code != 0); // it is root's alone
  const users_directory restored;
  good(run({"restore", backup, "--data-dir", restored.data_dir()}));
  good(run({"verify", "--data-dir", restored.data_dir()}));
  CHECK(restored.foreign().empty());
  const directory_service service{restored};
  CHECK(service.ask("GET", imported_image(restored.data_dir())).status == 200);
  service.check_exports();
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

} // namespace
