// How long history is kept, and how games and avatars are erased, as clients and operators see it.
#include "base/clock.hpp"
#include "model/text/timestamp.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/png_image.hpp"
#include "tests/service/server.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace {

using namespace matchcloud;
using namespace e2e;

constexpr std::int64_t day_ms = 86'400'000;
const std::string game_namespace = "00000000-0000-4000-8000-000000000021";
const std::string upload = "10000000-0000-4000-8000-000000000001";

std::int64_t now_ms() {
  return base::machine_clock().unix_ms();
}

answer ask_kept(const address& of, std::string_view method, const std::string& target,
                std::string_view body = {}) {
  raw_connection client{of};
  return client.ask(request(method, target, body));
}

/// A line of a lobby of the second game that stopped `days` ago.
std::string line_of(std::size_t number, std::int64_t days) {
  char id[40];
  std::snprintf(id, sizeof id, "20000000-0000-4000-8000-%012zu", number);
  const auto stop = now_ms() - days * day_ms;
  return std::string{R"({"lobby_id":")"} + id + R"(","namespace_id":")" + game_namespace +
         R"(","region_id":"fra","tier":"basic-1d1","version_id":")" + upload +
         R"(","version_name":"1.0","game_mode":"duel","start_ts":)" +
         std::to_string(stop - 60'000) + R"(,"stop_ts":)" + std::to_string(stop) + "}\n";
}

void report(const server& to, std::size_t count, std::int64_t days, std::size_t first) {
  std::string lines;
  for (std::size_t i = 0; i < count; ++i)
    lines += line_of(first + i, days);
  raw_connection client{to.ops()};
  const auto got =
      client.ask(request("POST", "/v1/lobbies", lines, "Content-Type: application/x-ndjson\r\n"));
  CAPTURE(got.body);
  REQUIRE(got.status == 200);
}

answer ask_export(const server& of, std::int64_t begin = 0) {
  return ask_kept(of.data(), "POST",
                  "/cloud/games/" + second_game + "/matchmaker/lobbies/export-history",
                  R"({"query_start":)" + std::to_string(begin) + R"(,"query_end":)" +
                      std::to_string(now_ms()) + "}");
}

std::string export_target(const answer& got) {
  const auto url = text_at(parse_json(got.body), "url");
  return url.substr(url.find("/exports/"));
}

std::size_t rows_of(const server& of, const answer& made) {
  const auto csv = ask_kept(of.data(), "GET", export_target(made));
  REQUIRE(csv.status == 200);
  return static_cast<std::size_t>(std::count(csv.body.begin(), csv.body.end(), '\n')) - 1;
}

/// Imports an avatar of the second game; returns the path of its image.
std::string import_avatar(const world& into) {
  into.directory().file("image.png", fixtures::small_png());
  const auto line = R"({"game_id":")" + second_game + R"(","upload_id":")" + upload +
                    R"(","display_name":"A","create_ts":1,"content_length":1,)" +
                    R"("complete":true,"file":"image.png"})" + "\n";
  const auto done = run({"import", "avatars", "--data-dir", into.data_dir(),
                         into.directory().file("avatars.jsonl", line)});
  CAPTURE(done.errors);
  REQUIRE(done.exit_code == 0);
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator{into.data_dir() + "/media"}) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(upload))
      return "/media/avatars/" + upload + "/" + name.substr(upload.size() + 1);
  }
  FAIL("there is no image");
  return {};
}

bool is_erased_soon(const server& of) {
  const deadline soon{std::chrono::seconds{60}}; // 20,000 lobbies on a busy machine
  return eventually(
      [&] {
        const auto all = parse_json(ask_kept(of.ops(), "GET", "/v1/erasures").body);
        return all["erasures"].Size() == 1 && all["erasures"][0]["finished"].IsString();
      },
      soon);
}

TEST_CASE("lobbies expire, and exports say from when on they are complete", "[operations][plain]") {
  const world own;
  {
    const server before{{}, own};
    report(before, 30, 20, 0);
    report(before, 20, 5, 100);
    const auto all = ask_export(before);
    CHECK(all.header("matchcloud-complete-from").empty());
    CHECK(rows_of(before, all) == 50);
  }
  const auto dry = run({"retention", "--data-dir", own.data_dir(), "--retention-days", "10"});
  CAPTURE(dry.errors);
  CHECK(dry.exit_code == 0);
  // Those of the demo's game are due, too.
  CHECK(dry.out.find(" 30\n") != std::string::npos);

  const server of{{"--retention-days", "10", "--expiry-delay-ms", "0"}, own};
  // All lobbies of the demo's game are old.
  CHECK(eventually([&] { return of.metric("matchcloud_expiry_waiting_games") == 1; }));
  CHECK(ask_kept(of.ops(), "GET", "/v1/attention").body.find("\"expiry_waits\"") !=
        std::string::npos);
  CHECK(of.metric("matchcloud_lobbies_expired_total") == 30);
  CHECK(run({"retention", "--confirm", "--data-dir", own.data_dir()}).exit_code == 0);
  CHECK(eventually([&] {
    return of.metric("matchcloud_lobbies_expired_total") > 9'000 &&
           of.metric("matchcloud_lobbies_due") == 0;
  }));
  const auto got = ask_export(of);
  CHECK(rows_of(of, got) == 20);
  const auto from = model::parse_timestamp(got.header("matchcloud-complete-from"));
  REQUIRE(from.has_value());
  CHECK(*from <= now_ms() - 10 * day_ms);
  CHECK(*from > now_ms() - 10 * day_ms - 600'000);
  // A span that does not reach so far back is whole.
  CHECK(ask_export(of, now_ms() - 6 * day_ms).header("matchcloud-complete-from").empty());
  const auto kept = parse_json(ask_kept(of.ops(), "GET", "/v1/retention").body);
  CHECK(kept["retention_days"].GetInt() == 10);

  const auto exported = run({"export", "--game", second_game, "--start", "0", "--end", "2100-01-01",
                             "--url", "http://" + of.data().authority(), "-o", "-"});
  CHECK(exported.exit_code == 0);
  CHECK(exported.errors.find("The file is complete from " +
                             got.header("matchcloud-complete-from")) != std::string::npos);
  const auto direct = run({"export", "--game", second_game, "--start", "0", "--end", "2100-01-01",
                           "--data-dir", own.data_dir(), "-o", "-"});
  CHECK(direct.errors.find("The file is complete from") != std::string::npos);
}

TEST_CASE("an erased game has nothing to give from its first moment, and is gone soon",
          "[operations][plain]") {
  const world own;
  const server of{{}, own};
  const auto image = import_avatar(own);
  report(of, 3'000, 5, 0);
  const auto made = ask_export(of);
  const auto target = export_target(made);
  CHECK(ask_kept(of.data(), "GET", target).status == 200);
  CHECK(ask_kept(of.data(), "GET", image).status == 200);

  const auto begun = ask_kept(of.ops(), "DELETE", "/v1/games/" + second_game + "/everything");
  CAPTURE(begun.body);
  CHECK(begun.status == 200);
  CHECK(ask_kept(of.data(), "GET", target).status == 404);
  CHECK(ask_kept(of.data(), "GET", image).status == 404);
  CHECK(is_erased_soon(of));
  const auto again = ask_kept(of.ops(), "DELETE", "/v1/games/" + second_game + "/everything");
  CHECK(again.status == 200);
  const auto told = parse_json(again.body);
  CHECK(told["lobbies"].GetInt() == 3'000);
  CHECK(told["avatars"].GetInt() == 1);
  CHECK(told["exports"].GetInt() == 1);
  CHECK(eventually([&] { return ask_export(of).status == 404; }));
  CHECK(ask_kept(of.ops(), "GET", "/v1/games/" + second_game).status == 404);
  CHECK_FALSE(std::filesystem::exists(own.data_dir() + "/exports"));
  const auto put =
      ask_kept(of.ops(), "PUT", "/v1/games/" + second_game, R"({"display_name":"Again"})");
  CHECK(put.problem_code() == "import_invalid");
  CHECK(put.body.find("was erased") != std::string::npos);
}

TEST_CASE("an erasure that a command began is finished after kill -9", "[operations][plain]") {
  const world own;
  const auto erase = [&] {
    const auto done = run({"game", "remove", second_game, "--everything", "--yes", "--format",
                           "json", "--data-dir", own.data_dir()});
    CAPTURE(done.errors);
    CHECK(done.exit_code == 0);
    return parse_json(done.out);
  };
  {
    server of{{}, own};
    report(of, 20'000, 5, 0);
    CHECK(erase()["finished"].IsNull());
    REQUIRE(eventually([&] { return of.metric("matchcloud_lobbies_erased_total") > 0; }));
    of.process().signal(SIGKILL);
    CHECK(of.process().exit_code());
  }
  const server next{{}, own};
  CHECK(is_erased_soon(next));
  CHECK(erase()["lobbies"].GetInt() == 20'000);
}

TEST_CASE("a removed avatar leaves the list, and its image is gone", "[operations][plain]") {
  const world own;
  const server of{{}, own};
  const auto image = import_avatar(own);
  const auto lists = [&] {
    return ask_kept(of.data(), "GET", "/cloud/games/" + second_game + "/avatars")
               .body.find(upload) != std::string::npos;
  };
  REQUIRE(eventually(lists));
  CHECK(ask_kept(of.data(), "GET", image).status == 200);
  const auto target = "/v1/games/" + second_game + "/avatars/" + upload;
  CHECK(ask_kept(of.ops(), "DELETE", target).status == 204);
  CHECK(ask_kept(of.data(), "GET", image).status == 404);
  CHECK(ask_kept(of.ops(), "DELETE", target).problem_code() == "avatar_not_found");
  CHECK(eventually([&] { return !lists(); }));
  std::size_t left = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{own.data_dir() + "/media"})
    left += entry.path().filename().string().starts_with(upload) ? 1 : 0;
  CHECK(left == 0);
}

TEST_CASE("a game is not erased by mistake", "[operations][plain]") {
  const world own;
  const auto vague = run({"game", "remove", second_game, "--data-dir", own.data_dir()});
  CHECK(vague.exit_code == 2);
  CHECK(vague.errors.find("--everything") != std::string::npos);
  const auto unsure =
      run({"game", "remove", second_game, "--everything", "--data-dir", own.data_dir()});
  CHECK(unsure.exit_code == 2);
  CHECK(unsure.errors.find("--yes") != std::string::npos);
  const auto unknown = run({"game", "remove", "30000000-0000-4000-8000-000000000001",
                            "--everything", "--yes", "--data-dir", own.data_dir()});
  CHECK(unknown.exit_code == 1);
  CHECK(unknown.errors.find("there is no game 30000000-0000-4000-8000-000000000001; games: ") !=
        std::string::npos);
}

TEST_CASE("lobbies whose server died get a stop, and a later one that is reported counts",
          "[operations][plain]") {
  const world own;
  const server of{{}, own};
  const auto running_line = [](std::size_t number, std::int64_t days) {
    auto line = line_of(number, days);
    return line.erase(line.rfind(",\"stop_ts\"")) + "}\n";
  };
  const auto send = [&](const std::string& lines) {
    raw_connection client{of.ops()};
    REQUIRE(
        client.ask(request("POST", "/v1/lobbies", lines, "Content-Type: application/x-ndjson\r\n"))
            .status == 200);
  };
  send(running_line(1, 10) + running_line(2, 9) + running_line(3, 2) + line_of(4, 10));
  const auto close = [&](arguments more) {
    arguments all{"lobbies", "close",     "--data-dir",   own.data_dir(),
                  "--game",  second_game, "--older-than", "7d"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  const auto alive = [&] { return rows_of(of, ask_export(of, now_ms() - day_ms)); };
  CHECK(alive() == 3);
  const auto trial = close({"--dry-run"});
  INFO(trial.errors);
  CHECK(trial.exit_code == 0);
  CHECK(trial.out.starts_with("2 lobbies that have run since "));
  CHECK(trial.out.ends_with(" or before would be closed\n"));
  CHECK(alive() == 3);

  const auto early = close({"--at", "8d"});
  CHECK(early.exit_code == 2);
  CHECK(early.errors.find("--at 8d must be between") != std::string::npos);
  const auto closed = close({"--at", "5d"});
  INFO(closed.errors);
  CHECK(closed.exit_code == 0);
  CHECK(closed.out.starts_with("2 lobbies that have run since "));
  CHECK(closed.out.find("are closed: they stopped at ") != std::string::npos);
  CHECK(eventually([&] { return alive() == 1; }));
  CHECK(close({}).out.starts_with("0 lobbies"));
  const auto log =
      run({"audit", "--data-dir", own.data_dir(), "--action", "lobbies.close", "--format", "json"});
  CHECK(log.out.find("\"lobbies\":2") != std::string::npos);

  // An earlier stop adds nothing; a later one is the server's word.
  send(line_of(2, 8));
  CHECK(alive() == 1);
  send(line_of(2, 0));
  CHECK(eventually([&] { return alive() == 2; }));
}

} // namespace
