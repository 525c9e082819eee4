// `matchcloud token`: who may use the interface.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/service/process.hpp"
#include "tests/service/server.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <regex>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;
using matchcloud::fixtures::read_whole;

const std::string token_game{demo_game};
const std::string unknown_id = "00000000-0000-4000-8000-0000000000ff";

bool is_token(const std::string& line, const std::string& kind) {
  return std::regex_match(line, std::regex{"mc_" + kind + "_[0-9A-Za-z]{49}\n"});
}

/// Whether a text has a token's, or the beginning of one.
bool has_token(const std::string& text) {
  return std::regex_search(text, std::regex{"mc_[a-z]+_[0-9A-Za-z]{8}"});
}

/// A store with the demo's catalog, and commands on it.
struct token_store {
  matchcloud::fixtures::temporary_directory directory;

  token_store() { REQUIRE(run({"demo", "--data-dir", data_dir()}).exit_code == 0); }
  std::string data_dir() const { return directory.path("store"); }

  /// Runs `matchcloud token WORDS..`.
  command_result token(arguments words) const {
    words.insert(words.begin(), "token");
    words.insert(words.end(), {"--data-dir", data_dir()});
    return run(words);
  }
  command_result audit() const {
    return run({"audit", "--format", "json", "--data-dir", data_dir()});
  }
  /// What `list` says of the only token.
  rapidjson::Document only() const {
    const auto all = parse_json(token({"list", "--format", "json"}).out);
    REQUIRE(all.HasMember("tokens"));
    REQUIRE(all["tokens"].Size() == 1);
    rapidjson::Document one;
    one.CopyFrom(all["tokens"][0], one.GetAllocator());
    return one;
  }
};

TEST_CASE("a token of each kind is created and printed alone", "[operations]") {
  const token_store in;
  struct each_kind {
    std::string kind;
    arguments scope;
  };
  for (const auto& [kind, scope] :
       {each_kind{"admin", {}}, each_kind{"viewer", {}}, each_kind{"metrics", {}},
        each_kind{"studio", {}}, each_kind{"game", {"--game", token_game}},
        each_kind{"player", {"--namespace", std::string{prod_namespace}}}}) {
    arguments words{"create", "--kind", kind, "--name", "of " + kind, "--expires", "90d"};
    words.insert(words.end(), scope.begin(), scope.end());
    const auto made = in.token(words);
    INFO(made.errors);
    CHECK(made.exit_code == 0);
    CHECK(is_token(made.out, kind));
    CHECK(contains(made.errors, "(" + kind + " \"of " + kind + "\") created, expires 2"));
    CHECK(contains(made.errors, "shown this once"));
    CHECK(std::count(made.errors.begin(), made.errors.end(), '\n') == 1);
    CHECK_FALSE(has_token(made.errors));
  }

  const auto table = in.token({"list"});
  CHECK(table.exit_code == 0);
  CHECK(table.out.starts_with("TOKEN ID                              KIND     NAME        SCOPE "));
  CHECK(std::count(table.out.begin(), table.out.end(), '\n') == 7);
  CHECK(std::regex_search(table.out, std::regex{"  game     of game     " + token_game +
                                                "  active  2[0-9T:.-]+Z  "
                                                "never\n"}));
  const auto json = in.token({"list", "--format", "json"});
  const auto all = parse_json(json.out);
  CHECK(member_names(all) == arguments{"tokens", "revision"});
  CHECK(all["tokens"].Size() == 6);
  const auto entries = in.audit();
  CHECK(contains(entries.out, "\"action\":\"token.create\""));
  for (const auto& text : {table.out, table.errors, json.out, json.errors, entries.out})
    CHECK_FALSE(has_token(text));
}

TEST_CASE("a token is created as asked, and JSON has it with its text", "[operations]") {
  const token_store in;
  const auto made = in.token({"create", "--kind", "game", "--name", "Bücher", "--game", token_game,
                              "--expires", "2999-12-31T00:00:00Z", "--limit-cheap", "5/1",
                              "--limit-expensive", "off", "--format", "json"});
  INFO(made.errors);
  CHECK(made.exit_code == 0);
  const auto shown = parse_json(made.out);
  CHECK(is_token(text_at(shown, "token") + "\n", "game"));
  const auto listed = in.only();
  CHECK(text_at(listed, "token_id") == text_at(shown, "token_id"));
  CHECK(contains(made.errors, text_at(shown, "token_id")));
  CHECK(text_at(listed, "name") == "Bücher");
  CHECK(text_at(listed, "game_id") == token_game);
  CHECK(text_at(listed, "expires") == "2999-12-31T00:00:00.000Z");
  CHECK(text_at(listed["limits"], "cheap") == "5/1");
  CHECK(text_at(listed["limits"], "expensive") == "off");
  CHECK_FALSE(listed.HasMember("token"));
}

TEST_CASE("a token is not created by a wrong command line", "[operations]") {
  const token_store in;
  struct wrong_line {
    arguments words;
    std::string says;
  };
  const auto viewer = [](arguments more) {
    more.insert(more.begin(), {"create", "--kind", "viewer", "--name", "a"});
    return more;
  };
  for (const auto& wrong : {
           wrong_line{{"create", "--kind", "game", "--name", "a"}, "needs --game"},
           {{"create", "--kind", "player", "--name", "a", "--game", token_game},
            "--game cannot be used"},
           {viewer({"--game", token_game}), "cannot be used with the kind viewer"},
           {viewer({"--expires", "0"}), "in the past"},
           {viewer({"--expires", "36501d"}), "up to 36500d"},
           {viewer({"--limit-cheap", "5"}), "QUOTA/SECONDS"},
           {viewer({"--expires", "soon"}), "`soon` is neither a date (2027-01-31) or time"},
           {{"create", "--kind", "veiwer", "--name", "a"}, "did you mean viewer?"},
       }) {
    const auto got = in.token(wrong.words);
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(got.out.empty());
    CHECK(contains(got.errors, wrong.says));
  }
  CHECK(parse_json(in.token({"list", "--format", "json"}).out)["tokens"].Empty());
}

TEST_CASE("a token's game is given by its name in any case, or by an id that is not there yet",
          "[operations]") {
  const token_store in;
  const auto made = in.token({"create", "--kind", "game", "--name", "a", "--game", "demo game"});
  INFO(made.errors);
  CHECK(made.exit_code == 0);
  CHECK(text_at(in.only(), "game_id") == token_game);
  const auto unknown = in.token({"create", "--kind", "game", "--name", "a", "--game", "Demo Gmae"});
  CHECK(unknown.exit_code == 1);
  CHECK(unknown.out.empty());
  CHECK(contains(unknown.errors, "no game has the name or id `Demo Gmae`; did you mean `Demo "
                                 "Game` (" +
                                     std::string{token_game} + ")?"));
  const auto warned = in.token({"create", "--kind", "game", "--name", "b", "--game", unknown_id});
  CHECK(warned.exit_code == 0);
  CHECK(is_token(warned.out, "game"));
  CHECK(contains(warned.errors,
                 "warning: there is no game " + unknown_id + "; games: `Demo Game` ("));
}

TEST_CASE("a token's file is its owner's alone and replaces nothing", "[operations]") {
  const token_store in;
  const auto file = in.directory.path("a.token");
  const arguments words{"create", "--kind", "admin", "--name", "a", "--output", file};
  const auto made = in.token(words);
  CHECK(made.exit_code == 0);
  CHECK(made.out.empty());
  CHECK(contains(made.errors, "in " + file + " and nowhere else"));
  CHECK_FALSE(has_token(made.errors));
  const auto text = read_whole(file);
  CHECK(is_token(text, "admin"));
  struct stat found {};
  REQUIRE(::stat(file.c_str(), &found) == 0);
  CHECK((found.st_mode & 07777U) == 0600);

  const auto again = in.token(words);
  CHECK(again.exit_code == 1);
  CHECK(contains(again.errors, file + ": it already exists"));
  CHECK(read_whole(file) == text);
  // Nothing was created, so nothing is lost.
  const auto id = text_at(in.only(), "token_id");
  CHECK(in.token({"rotate", id, "-o", file}).exit_code == 1);
  CHECK(text_at(in.only(), "token_id") == id);
  const auto other = in.directory.path("b.token");
  CHECK(in.token({"rotate", unknown_id, "-o", other}).exit_code == 1);
  CHECK_FALSE(std::filesystem::exists(other));
}

TEST_CASE("a token is rotated with a time of grace, and revoked for good", "[operations]") {
  const token_store in;
  const auto first = in.token({"create", "--kind", "viewer", "--name", "a"}).out;
  const auto id = text_at(in.only(), "token_id");
  const auto digest = text_at(in.only(), "sha256");

  const auto rotated = in.token({"rotate", id});
  INFO(rotated.errors);
  CHECK(rotated.exit_code == 0);
  CHECK(is_token(rotated.out, "viewer"));
  CHECK(rotated.out != first);
  CHECK(contains(rotated.errors, "former text works until 2"));
  CHECK(text_at(in.only(), "sha256") != digest);
  CHECK(in.only().HasMember("former_works_until"));
  const auto at_once = in.token({"rotate", id, "--grace", "0", "--format", "json"});
  CHECK(contains(at_once.errors, "former text no longer works"));
  CHECK(is_token(text_at(parse_json(at_once.out), "token") + "\n", "viewer"));
  CHECK_FALSE(in.only().HasMember("former_works_until"));

  const auto revoked = in.token({"revoke", id});
  CHECK(revoked.exit_code == 0);
  CHECK(revoked.out == "token " + id + " (viewer \"a\"): revoked\n");
  const auto again = in.token({"revoke", id});
  CHECK(again.exit_code == 0);
  CHECK(contains(again.out, "was already revoked at 2"));
  CHECK(text_at(in.only(), "state") == "revoked");
  const auto late = in.token({"rotate", id});
  CHECK(late.exit_code == 1);
  CHECK(contains(late.errors, "revoked"));

  std::vector<std::string> actions;
  std::istringstream lines{in.audit().out};
  for (std::string line; std::getline(lines, line);) {
    const auto entry = parse_json(line);
    actions.push_back(text_at(entry, "action"));
    if (!actions.back().starts_with("token.")) continue;
    CHECK(text_at(entry, "subject") == "tokens/" + id);
    CHECK(text_at(entry["who"], "kind") == "local");
    CHECK(text_at(entry["who"], "id") == std::to_string(::getuid()));
    CHECK_FALSE(has_token(line));
  }
  // Revoking again changed nothing.
  CHECK(actions ==
        arguments{"token.revoke", "token.rotate", "token.rotate", "token.create", "demo.seed"});
}

TEST_CASE("an id that is wrong or unknown changes nothing, and no message repeats a token",
          "[operations]") {
  const token_store in;
  const auto text = in.token({"create", "--kind", "viewer", "--name", "a"}).out;
  const auto token = text.substr(0, text.size() - 1);
  const auto id = text_at(in.only(), "token_id");
  for (const std::string command : {"rotate", "revoke"}) {
    const auto unknown = in.token({command, unknown_id});
    CHECK(unknown.exit_code == 1);
    CHECK(unknown.errors ==
          "matchcloud token " + command + ": There is no token " + unknown_id + ".\n");
    for (const auto& wrong : {arguments{command, id.substr(0, 8)}, arguments{command, token},
                              arguments{command, id, token}}) {
      const auto got = in.token(wrong);
      INFO(got.errors);
      CHECK(got.exit_code == 2);
      CHECK(got.out.empty());
      CHECK_FALSE(has_token(got.errors));
    }
  }
  for (const std::string grace : {"31d", "1"}) {
    const auto got = in.token({"rotate", id, "--grace", grace});
    CHECK(got.exit_code == 2);
    CHECK(contains(got.errors, "from 0 to 30d"));
  }
  CHECK(text_at(in.only(), "state") == "active");
  CHECK_FALSE(in.only().HasMember("former_works_until"));
}

TEST_CASE("with --url, commands have a running service do what they do on a store",
          "[operations]") {
  const world own;
  const auto file = own.directory().path("admin.token");
  REQUIRE(run({"token", "create", "--kind", "admin", "--name", "ops", "-o", file, "--data-dir",
               own.data_dir()})
              .exit_code == 0);
  const server of{{"--ops-auth", "required"}, own};
  const auto url = "http://" + of.ops().authority();
  const auto there = [&](arguments words) {
    words.insert(words.end(), {"--url", url, "--token-file", file});
    return run(words);
  };
  const auto here = [&](arguments words) {
    words.insert(words.end(), {"--data-dir", own.data_dir()});
    return run(words);
  };

  const auto made = there({"token", "create", "--kind", "game", "--name", "Bücher", "--game",
                           "demo game", "--expires", "90d", "--limit-cheap", "5/1"});
  INFO(made.errors);
  CHECK(made.exit_code == 0);
  CHECK(is_token(made.out, "game"));
  CHECK(contains(made.errors, "(game \"Bücher\") created, expires 2"));
  const auto listed = there({"token", "list"});
  CHECK(
      std::regex_search(listed.out, std::regex{"  game   Bücher  " + token_game + "  active  2"}));
  const auto id = made.errors.substr(made.errors.find("token ") + 6, unknown_id.size());
  CHECK(contains(listed.out, id));
  CHECK(is_token(there({"token", "rotate", id, "--grace", "0"}).out, "game"));
  CHECK(there({"token", "revoke", id}).out == "token " + id + " (game \"Bücher\"): revoked\n");
  CHECK(contains(there({"token", "revoke", id}).out, "was already revoked at 2"));
  const auto unknown = there({"token", "revoke", unknown_id});
  CHECK(unknown.exit_code == 1);
  CHECK(contains(unknown.errors, "There is no token " + unknown_id));

  CHECK(there({"catalog", "put", "tier", "basic-8d1"}).out == "tier \"basic-8d1\": added\n");
  CHECK(there({"catalog", "remove", "tier", "basic-8d1"}).out == "tier \"basic-8d1\": removed\n");
  CHECK(there({"catalog", "list", "namespaces"}).out ==
        here({"catalog", "list", "namespaces"}).out);
  const arguments audit{"audit",   "--action", "token",   "--who", "token",
                        "--since", "1h",       "--limit", "2"};
  const auto shown = there(audit);
  CHECK(contains(shown.out, "token.revoke"));
  CHECK(shown.out == here(audit).out);
  CHECK(there({"retention"}).out == here({"retention"}).out);
  CHECK(there({"retention", "--format", "json"}).out ==
        here({"retention", "--format", "json"}).out);
  CHECK(there({"retention", "--confirm"}).exit_code == 2);
  const std::string avatar = "00000000-0000-4000-8000-000000000104";
  const arguments remove_avatar{"avatar", "remove", "demo game", avatar};
  CHECK(contains(there(remove_avatar).out, "avatar " + avatar + " of game " + token_game));
  CHECK(there(remove_avatar).exit_code == 1);
  const auto erased = there({"game", "remove", second_game, "--everything", "--yes"});
  INFO(erased.errors);
  CHECK(erased.exit_code == 0);
  CHECK(contains(erased.out, "game " + second_game + " "));

  const auto anonymous = run({"token", "list", "--url", url});
  CHECK(anonymous.exit_code == 1);
  CHECK(anonymous.out.empty());
  CHECK(contains(anonymous.errors, "matchcloud token list: " + url));
  const auto either = here({"token", "list", "--url", url});
  CHECK(either.exit_code == 2);
  CHECK(contains(either.errors, "--data-dir"));
  CHECK(here({"token", "list", "--token-file", file}).exit_code == 2);
}

} // namespace
