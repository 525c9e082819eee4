// `matchcloud audit`: what commands enter in the audit log, and how it is shown.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/service/process.hpp"
#include "tests/service/server.hpp"

#include <unistd.h>

#include <filesystem>
#include <regex>
#include <sstream>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;

/// An empty data directory, and commands on it.
struct audited_store {
  matchcloud::fixtures::temporary_directory directory;

  std::string data_dir() const { return directory.path("store"); }
  command_result command(arguments words, const std::string& input_file = {}) const {
    words.insert(words.end(), {"--data-dir", data_dir()});
    return run(words, {}, input_file);
  }
  /// Makes a store with nothing in it.
  void begin() const {
    REQUIRE(command({"import", "catalog", directory.file("nothing.json", R"({"tiers":[]})")})
                .exit_code == 0);
  }
  /// The entries as JSON, newest first.
  std::vector<rapidjson::Document> entries(const arguments& more = {}) const {
    arguments words{"audit", "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto got = command(words);
    CHECK(got.exit_code == 0);
    std::vector<rapidjson::Document> all;
    std::istringstream lines{got.out};
    for (std::string line; std::getline(lines, line);)
      all.push_back(parse_json(line));
    return all;
  }
};

std::string avatar_line(int number) {
  return R"({"game_id":")" + std::string{demo_game} +
         R"(","upload_id":"00000000-0000-4000-8000-00000000)" + std::to_string(1'000 + number) +
         R"(","display_name":"A","create_ts":1767225600000,"content_length":5,"complete":false})"
         "\n";
}

std::string lobby_line(int number) {
  return R"({"lobby_id":"00000000-0000-4000-8000-0000000)" + std::to_string(10'000 + number) +
         R"(","namespace_id":")" + std::string{prod_namespace} +
         R"(","region_id":"lon","tier":"basic-1d1",)"
         R"("version_id":"00000000-0000-4000-8000-000000000009","version_name":"1",)"
         R"("game_mode":"m","start_ts":1767225600000})"
         "\n";
}

TEST_CASE("a run that changes much is one entry, and one that changes nothing is none",
          "[operations]") {
  const audited_store in;
  REQUIRE(in.command({"demo"}).exit_code == 0);
  REQUIRE(in.command({"demo"}).exit_code == 0);
  std::string avatars;
  for (int i = 0; i < 2'500; ++i) // more than two transactions of avatars take
    avatars += avatar_line(i);
  const auto lobbies = lobby_line(1);
  const auto avatar_file = in.directory.file("some avatars.jsonl", avatars);
  const auto lobby_file = in.directory.file("lobbies.jsonl", lobbies);
  for (int i = 0; i < 2; ++i) {
    const auto done = in.command({"import", "avatars", avatar_file});
    INFO(done.errors);
    REQUIRE(done.exit_code == 0);
    REQUIRE(in.command({"import", "lobbies", "-"}, lobby_file).exit_code == 0);
  }

  const auto all = in.entries();
  REQUIRE(all.size() == 3);
  struct expected_entry {
    std::string action;
    std::string subject;
  };
  const std::vector<expected_entry> wanted{
      {"lobbies.import", "-"}, {"avatars.import", avatar_file}, {"demo.seed", ""}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(text_at(all[i], "action") == wanted[i].action);
    CHECK(text_at(all[i], "subject") == wanted[i].subject);
    CHECK(text_at(all[i]["who"], "kind") == "local");
    CHECK(text_at(all[i]["who"], "id") == std::to_string(::getuid()));
    CHECK(all[i]["address"].IsNull());
    CHECK(all[i]["request_id"].IsNull());
  }
}

TEST_CASE("an import of a catalog says how much it named", "[operations]") {
  const audited_store in;
  const auto document = in.directory.file("catalog.json", R"({"tiers":["a-1","a-2"]})");
  REQUIRE(in.command({"import", "catalog", document}).exit_code == 0);
  REQUIRE(in.command({"import", "catalog", document}).exit_code == 0);
  REQUIRE(in.command({"catalog", "put", "tier", "a-3"}).exit_code == 0);
  REQUIRE(in.command({"catalog", "remove", "tier", "a-3"}).exit_code == 0);
  const auto all = in.entries();
  REQUIRE(all.size() == 3);
  CHECK(text_at(all[0], "action") == "catalog.remove");
  CHECK(text_at(all[1], "action") == "catalog.put");
  CHECK(text_at(all[1], "subject") == "tiers/a-3");
  CHECK(text_at(all[2], "action") == "catalog.import");
  CHECK(all[2]["after"]["tiers"].GetInt() == 2);
}

TEST_CASE("a new signing key is an entry before it is made", "[operations]") {
  const audited_store in;
  in.begin();
  REQUIRE(in.command({"signing-key", "rotate"}).exit_code == 0);
  REQUIRE(in.command({"signing-key", "rotate", "--revoke"}).exit_code == 0);
  const auto all = in.entries();
  REQUIRE(all.size() == 2);
  for (const auto& each : all)
    CHECK(text_at(each, "action") == "signing-key.rotate");
  CHECK(all[0]["after"]["revoke"].GetBool());
  CHECK_FALSE(all[1]["after"]["revoke"].GetBool());

  // A store that cannot take the entry: no key is made.
  const audited_store damaged;
  std::filesystem::create_directory(damaged.data_dir());
  damaged.directory.file("store/matchcloud.db", "this is no database, but it is long enough");
  const auto refused = damaged.command({"signing-key", "rotate"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.errors.starts_with("matchcloud signing-key rotate: "));
  CHECK_FALSE(std::filesystem::exists(damaged.data_dir() + "/signing-keys"));
}

TEST_CASE("the table says when, who, what and of what", "[operations]") {
  const audited_store in;
  const auto lobbies = in.directory.file("ten\x1b.jsonl", lobby_line(1));
  REQUIRE(in.command({"demo"}).exit_code == 0);
  REQUIRE(in.command({"import", "lobbies", lobbies}).exit_code == 0);
  REQUIRE(in.command({"catalog", "put", "tier", "a-3"}).exit_code == 0);
  const auto table = in.command({"audit"});
  INFO(table.out);
  const auto who = "local [^ ]* ?\\(" + std::to_string(::getuid()) + "\\) +";
  const std::string when = "2[0-9-]{9}T[0-9:.]{12}Z  ";
  CHECK(
      std::regex_match(table.out, std::regex{"WHEN +WHO +ACTION +SUBJECT +ADDRESS\n" + when + who +
                                             "catalog.put +tiers/a-3 +-\n" + when + who +
                                             "lobbies.import +[^\x1b\n]*/ten\\\\u001b.jsonl +-\n" +
                                             when + who + "demo.seed +- +-\n"}));
}

TEST_CASE("the log is shown as far back as asked", "[operations]") {
  const audited_store in;
  REQUIRE(in.command({"demo"}).exit_code == 0);
  REQUIRE(in.command({"catalog", "put", "tier", "a-3"}).exit_code == 0);
  CHECK(in.entries().size() == 2);
  CHECK(in.entries({"--limit", "1"}).size() == 1);
  CHECK(in.entries({"--since", "1h"}).size() == 2);
  CHECK(in.entries({"--since", "0"}).empty());
  CHECK(in.entries({"--since", "2970-01-01T00:00:00Z"}).empty());
  const auto at = text_at(in.entries().front(), "at");
  CHECK(in.entries({"--since", at}).size() == 1);
}

TEST_CASE("audit says what is wrong with what it is asked", "[operations]") {
  const audited_store in;
  for (const arguments& wrong : {arguments{"--since", "yesterday"}, arguments{"--limit", "0"}}) {
    auto words = wrong;
    words.insert(words.begin(), "audit");
    const auto got = in.command(words);
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(got.out.empty());
    CHECK(contains(got.errors, wrong.front()));
  }
}

} // namespace
