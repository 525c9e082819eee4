#include "tests/catch.hpp"

#include "tests/faults/clients.hpp"
#include "tests/faults/known_load.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/png_image.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <span>

namespace matchcloud::faults {
namespace {

namespace fs = std::filesystem;
using namespace e2e;

/// The time limit from the end of one process until the next is ready.
constexpr milliseconds recovery_limit{5'000};
/// The lifetime of URLs; their files are kept for twice as long.
constexpr milliseconds url_lifetime{2'000};
constexpr std::uint64_t demo_lobbies = 10'000;
/// The number of links that are checked again after each kill.
constexpr std::size_t looked_at_again = 20;

/// A URL that the service issued.
struct issued_link {
  std::string target;
  clock::time_point given;
  /// The ledger of the exported game, and what had been acknowledged at the request. Null for the
  /// demo, which does not change.
  const lobby_ledger* of = nullptr;
  std::vector<report> at_least;
  /// The content downloaded before the kill; empty if none was.
  std::string content;
};

std::string problem_of_demo(const std::string& csv) {
  const auto lines = static_cast<std::uint64_t>(std::count(csv.begin(), csv.end(), '\n'));
  if (!csv.starts_with("lobby_id,") || !csv.ends_with("\r\n") || lines != demo_lobbies + 1)
    return "an export of the demo with " + std::to_string(lines) + " lines, " +
           std::to_string(csv.size()) + " bytes";
  return {};
}

std::string problem_of_link(const issued_link& what, const std::string& csv) {
  if (!what.content.empty() && csv != what.content) return "other bytes than before";
  return what.of != nullptr ? what.of->problem_of(csv, what.at_least) : problem_of_demo(csv);
}

/// Downloads the whole file, plain or compressed.
std::string download(const address& from, const issued_link& what, bool gzip) {
  const auto got = get(from, what.target, gzip);
  // The URL can be expected to have expired only after this time.
  const bool may_be_over = clock::now() - what.given >= url_lifetime;
  if (may_be_over && got.problem_code() == "url_expired") return what.content;
  if (got.status != 200)
    throw wrong_answer{"a promised export: " + std::to_string(got.status) + " " + got.body};
  try {
    auto csv = unpacked(got);
    if (const auto problem = problem_of_link(what, csv); !problem.empty())
      throw wrong_answer{(gzip ? "compressed: " : "plain: ") + problem};
    return csv;
  } catch (const std::runtime_error& broken) {
    throw wrong_answer{broken.what()};
  }
}

/// The sequence of names that one region was given.
struct renamed_region {
  std::atomic<std::uint64_t> tried{0};
  std::atomic<std::uint64_t> acknowledged{0};
};

const arguments kill_flags{"--loops", "2", "--export-url-lifetime-ms",
                           std::to_string(url_lifetime.count())};

/// One lifetime of the service: what clients did to it, and what it acknowledged to them.
class life {
public:
  life(const server& of, lobby_ledger& ledger, renamed_region& region, chances& by)
      : data_{of.data()}, ops_{of.ops()}, ledger_{&ledger}, region_{&region} {
    for (int writer = 0; writer < 2; ++writer)
      clients_.add([this, own = by.split()]() mutable { write(own); });
    clients_.add([this] { rename(); });
    clients_.add([this] { export_ledger(); });
    clients_.add(
        [this, end = by.between(1ULL << 60U, 1ULL << 62U)]() mutable { export_demo(++end); });
  }

  /// Whether all clients have received an answer.
  bool is_busy() const { return batches_ > 1 && renames_ > 0 && exports_ > 0 && demo_exports_ > 0; }
  bool is_wrong() { return clients_.is_wrong(); }
  std::uint64_t batches() const { return batches_; }
  void expect_end() { clients_.expect_end(); }
  std::string finish() { return clients_.finish(); }
  std::size_t link_count() const { return links_.size(); }
  /// The latest links, including those under way when the process ended.
  std::span<const issued_link> last_links() const {
    const std::span all{links_};
    return all.last(std::min(all.size(), looked_at_again));
  }

private:
  void write(chances& by) {
    const auto batch = ledger_->next(by, by.one_in(4) ? 1'000 : 40);
    const auto got = ingest(ops_, batch.lines);
    const auto all = R"({"accepted":)" + std::to_string(batch.reports.size()) +
                     R"(,"unchanged":0,"rejected":[],"rejected_total":0})";
    if (got.status != 200 || got.body != all) throw wrong_answer{"an ingest: " + got.body};
    ledger_->acknowledge(batch);
    ++batches_;
  }

  void rename() {
    const auto next = ++region_->tried;
    const auto got = put_region(ops_, "atl", std::to_string(next));
    if (got.status != 200 && got.status != 201) throw wrong_answer{"a PUT: " + got.body};
    region_->acknowledged = next;
    ++renames_;
  }

  void export_ledger() {
    issued_link made;
    made.of = ledger_;
    made.at_least = ledger_->acknowledged();
    add(made, ask_export(data_, ledger_->game_id()));
    ++exports_;
  }

  /// Each `end` makes a different file.
  void export_demo(std::uint64_t end) {
    add({}, ask_export(data_, demo_game, end));
    ++demo_exports_;
  }

  void add(issued_link made, const answer& exported) {
    made.target = download_target(exported);
    made.given = clock::now();
    if (made.target.empty()) throw wrong_answer{"an export: " + exported.body};
    const auto place = keep(made);
    made.content = download(data_, made, false);
    keep_content(place, made.content);
    static_cast<void>(download(data_, made, true));
  }

  std::size_t keep(const issued_link& made) {
    const std::lock_guard lock{mutex_};
    links_.push_back(made);
    return links_.size() - 1;
  }

  void keep_content(std::size_t place, const std::string& content) {
    const std::lock_guard lock{mutex_};
    links_[place].content = content;
  }

  address data_;
  address ops_;
  lobby_ledger* ledger_;
  renamed_region* region_;
  std::atomic<std::uint64_t> batches_{0};
  std::atomic<std::uint64_t> renames_{0};
  std::atomic<std::uint64_t> exports_{0};
  std::atomic<std::uint64_t> demo_exports_{0};
  std::mutex mutex_;
  std::vector<issued_link> links_;
  /// Declared last: its threads use the other members.
  busy_clients clients_;
};

/// 0 without the folder: what holds no objects is removed.
std::size_t entries_of(const std::string& folder) {
  if (!fs::exists(folder)) return 0;
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}

/// The entries of the data directory that no store should create.
std::set<std::string> strange_entries(const std::string& data_dir) {
  std::set<std::string> names;
  for (const auto& each : fs::directory_iterator{data_dir})
    names.insert(each.path().filename().string());
  for (const auto* known : {"matchcloud.db", "matchcloud.db-wal", "matchcloud.db-shm", "exports",
                            "media", "signing-keys", "tmp", "places.mmdb", "catalog.json"})
    names.erase(known);
  // The port differs at each start, and a killed process cannot remove its socket.
  std::erase_if(names, [](const std::string& name) {
    return name.starts_with("take-over-") && name.ends_with(".sock");
  });
  return names;
}

/// Checks that exports of the ledger's game are correct.
void check_ledger(const server& of, const lobby_ledger& ledger) {
  issued_link issued;
  issued.of = &ledger;
  issued.at_least = ledger.acknowledged();
  const auto exported = ask_export(of.data(), ledger.game_id());
  INFO(exported.body);
  issued.target = download_target(exported);
  issued.given = clock::now();
  REQUIRE(!issued.target.empty());
  CHECK_NOTHROW(download(of.data(), issued, false));
}

/// Starts a service and kills it while it starts.
void kill_a_start(const world& in, milliseconds after) {
  arguments serve{"serve", "--data-dir", in.data_dir(), "--listen", "127.0.0.1:0"};
  serve.insert(serve.end(), {"--ops-listen", "127.0.0.1:0"});
  serve.insert(serve.end(), kill_flags.begin(), kill_flags.end());
  child_process starting{serve};
  INFO(starting.errors());
  REQUIRE_FALSE(starting.exit_code(deadline{after}));
  starting.signal(SIGKILL);
  REQUIRE(starting.exit_code());
}

TEST_CASE("kill -9 at any instant: nothing acknowledged is lost, nothing served is half",
          "[kill][shipped]") {
  chances by{"kill -9 of the service"};
  const auto rounds = setting("MATCHCLOUD_SOAK_KILLS", kills);
  const world own;
  std::vector<std::unique_ptr<lobby_ledger>> ledgers;
  const auto add_ledger = [&]() -> lobby_ledger& {
    return *ledgers.emplace_back(
        std::make_unique<lobby_ledger>(static_cast<std::uint32_t>(ledgers.size() + 1)));
  };
  own.import(add_ledger().catalog());
  renamed_region region;
  clock::duration slowest{};
  std::uint64_t batches = 0;
  std::size_t links = 0;
  auto of = std::make_unique<server>(kill_flags, own);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    auto& ledger = *ledgers.back();
    // Imports a game for the next round, whose service finds it at its start.
    own.import(add_ledger().catalog());
    life clients{*of, ledger, region, by};
    if (!by.one_in(4))
      REQUIRE(eventually(
          [&] { return clients.is_busy() || clients.is_wrong() || !of->process().running(); }));
    INFO(of->process().errors());
    REQUIRE_FALSE(of->process().exit_code(deadline{by.up_to(milliseconds{60})}));
    clients.expect_end();
    of->process().signal(SIGKILL);
    CHECK(of->process().exit_code() == 128 + SIGKILL);
    REQUIRE(clients.finish() == "");
    if (by.one_in(3)) kill_a_start(own, by.up_to(milliseconds{40}));

    const auto begun = clock::now();
    of = std::make_unique<server>(kill_flags, own);
    REQUIRE(of->ready_status() == 200);
    const auto took = clock::now() - begun;
    slowest = std::max(slowest, took);
    CHECK(took < recovery_limit);

    for (const auto& each : clients.last_links())
      for (const bool gzip : {false, true})
        CHECK_NOTHROW(download(of->data(), each, gzip));
    check_ledger(*of, ledger);
    if (region.tried > 0) {
      const auto name = region_name(of->ops(), "atl");
      CHECK((name.empty() ? 0 : std::stoull(name)) >= region.acknowledged);
      CHECK((name.empty() ? 0 : std::stoull(name)) <= region.tried);
    }
    CHECK(strange_entries(own.data_dir()).empty());
    CHECK(entries_of(own.data_dir() + "/tmp") <= 1); // the service's own folder
    batches += clients.batches();
    links += clients.link_count();
  }
  for (std::size_t each = 0; each + 1 < ledgers.size(); ++each)
    check_ledger(*of, *ledgers[each]);

  // Once all issued links have expired, nothing of them is left. At most, each kill has left an
  // export that was stored but not yet promised, which stays for longer.
  of->process().signal(SIGKILL);
  REQUIRE(of->process().exit_code());
  of = std::make_unique<server>(kill_flags, own);
  REQUIRE_FALSE(of->process().exit_code(deadline{2 * url_lifetime}));
  of.reset();
  of = std::make_unique<server>(kill_flags, own);
  CHECK(eventually([&] { return entries_of(own.data_dir() + "/exports") <= rounds; }));
  CHECK(entries_of(own.data_dir() + "/tmp") <= 1);
  std::cout << "faults: " << rounds << " kills, " << batches << " batches acknowledged, " << links
            << " exports promised; ready again after at most "
            << std::chrono::ceil<milliseconds>(slowest).count() << " ms" << std::endl;
}

using namespace e2e;

constexpr std::size_t images_per_import = 40;
const std::string list_target = "/cloud/games/" + second_game + "/avatars";

/// An image with a different size for each number.
std::string image_of(std::size_t number) {
  return fixtures::small_png(1'000 + number * 997 % 60'000);
}

/// Writes the lines of an import and the images that they name.
std::string write_import(const world& in, std::size_t first) {
  std::string lines;
  for (auto number = first; number < first + images_per_import; ++number) {
    const auto name = std::to_string(number) + ".png";
    in.directory().file(name, image_of(number));
    lines += R"({"game_id":")" + second_game + R"(","upload_id":")" + upload_id(number) +
             R"(","display_name":"A","create_ts":"2026-01-01T00:00:00Z","content_length":7,)" +
             R"("complete":true,"file":")" + name + "\"}\n";
  }
  return in.directory().file("avatars-" + std::to_string(first) + ".jsonl", lines);
}

/// Downloads every listed image and returns their number; throws if one differs from what was
/// imported.
std::size_t check_images(const address& from) {
  const auto listed = get(from, list_target);
  const auto document = parse_json(listed.body);
  if (listed.status != 200 || !document.IsObject()) throw wrong_answer{"a list: " + listed.body};
  const auto avatars = document["custom_avatars"].GetArray();
  for (const auto& each : avatars) {
    const auto url = text_at(each, "url");
    const auto image = get(from, url.substr(url.find("/media/")));
    const auto number = std::stoull(text_at(each, "upload_id").substr(24));
    if (image.status != 200 || image.body != image_of(number))
      throw wrong_answer{url + ": " + std::to_string(image.status) + ", " +
                         std::to_string(image.body.size()) + " bytes"};
  }
  return avatars.Size();
}

TEST_CASE("kill -9 of imports at any instant: every image that is listed is whole", "[kill]") {
  chances by{"kill -9 of imports"};
  const auto rounds = setting("MATCHCLOUD_SOAK_KILLS", kills);
  const world own;
  server of{{"--loops", "1"}, own};
  const auto import_of = [&](std::uint64_t round) -> arguments {
    return {"import", "avatars", "--data-dir", own.data_dir(),
            write_import(own, round * images_per_import)};
  };
  // The first import is not killed, to measure how long one takes here.
  std::vector<arguments> imports{import_of(0)};
  const auto begun = clock::now();
  REQUIRE(run(imports.front()).exit_code == 0);
  const auto usual = std::chrono::ceil<milliseconds>(clock::now() - begun);
  std::size_t ended = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    CAPTURE(round);
    imports.push_back(import_of(round));
    busy_clients readers;
    readers.add([from = of.data()] { check_images(from); });
    {
      child_process importing{imports.back()};
      if (importing.exit_code(deadline{by.up_to(usual * 3 / 2)})) ++ended;
      importing.signal(SIGKILL);
    }
    REQUIRE(readers.finish() == "");
    CHECK_NOTHROW(check_images(of.data()));
  }
  std::size_t before = 0;
  CHECK_NOTHROW(before = check_images(of.data()));
  for (const auto& each : imports)
    REQUIRE(run(each).exit_code == 0);
  CHECK(eventually([&] { return check_images(of.data()) == imports.size() * images_per_import; }));
  CHECK(std::filesystem::is_empty(own.data_dir() + "/tmp"));
  std::cout << "faults: " << rounds - ended << " of " << rounds << " imports killed, which take "
            << usual.count() << " ms; " << before << " images of "
            << imports.size() * images_per_import << " were listed then" << std::endl;
}

} // namespace
} // namespace matchcloud::faults
