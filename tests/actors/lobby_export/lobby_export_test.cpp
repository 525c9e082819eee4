#include "actors/lobby_export/lobby_export.hpp"

#include "actors/lobby_export/export_job.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/exports/file_exports.hpp"

#include <filesystem>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::errc;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

const std::string january = R"({"query_start":100,"query_end":200})";
const std::string february = R"({"query_start":200,"query_end":300})";
constexpr std::uint64_t data_limit_bytes = 1024UL * 1024;
constexpr milliseconds url_lifetime{60'000};

/// An export actor with real files. Its tasks run only when told to.
struct lobby_export_bench : deterministic_system {
  temporary_directory folder;
  manual_clock clock;
  manual_pool short_work;
  manual_pool long_work;
  export_metrics metrics;
  std::shared_ptr<store::secret_ring> keys = open_signing_keys(folder.path());
  std::shared_ptr<fake_database> database = std::make_shared<fake_database>();
  std::shared_ptr<store::export_objects> files = open_files();
  std::shared_ptr<probe_log> log = std::make_shared<probe_log>();
  caf::actor front = spawn<probe>(log);
  services with;
  lobby_export_settings settings;
  std::string kind = "n,n,r,r,t,v,v,m";
  std::shared_ptr<lobby_export_state> state = std::make_shared<lobby_export_state>();
  caf::actor exporter;
  std::uint64_t last = 0;
  std::uint8_t last_id = 0;

  explicit lobby_export_bench(const std::function<void(lobby_export_settings&)>& change = {}) {
    database->content = *two_regions();
    database->lobbies = {{id_of(101), {120, 130}, &kind}, {id_of(102), {140, 160}, &kind}};
    with.exports = files;
    with.clock = &clock;
    with.export_metrics = &metrics;
    with.new_id = [this] { return id_of(++last_id); };
    with.database = open_fake(database);
    with.signing_keys = keys;
    with.store_work = &short_work;
    with.long_work = &long_work;
    with.tidy_work = &short_work;
    with.export_state = state;
    settings.job.url_lifetime = url_lifetime;
    settings.public_url = "http://cdn.example";
    if (change) change(settings);
    succeed();
  }
  /// Opens the exports, with records that compare with what the fake database says.
  std::unique_ptr<store::export_objects> open_files() const {
    const auto follow = [now = database](store::sqlite_connection& of) -> base::expected<void> {
      set_revisions(of, id_of(1), now->history_revisions);
      return {};
    };
    return *open_exports(folder.path(), *open_export_records(folder.path(), follow), clock,
                         data_limit_bytes);
  }
  /// Starts a new export actor in place of the last one.
  void succeed() {
    exporter = spawn<lobby_export>(with, settings,
                                   std::make_shared<const model::catalog>(database->content));
    run();
  }
  ~lobby_export_bench() {
    kill(exporter);
    short_work.tasks.clear(); // tasks hold the actor
    long_work.tasks.clear();
  }

  /// Requests an export; the store is looked at when a task is run.
  std::shared_ptr<ticket> ask(const std::string& body = january, std::uint8_t game = 1) {
    auto request = std::make_shared<ticket>();
    send_as(
        front, exporter,
        export_lobbies{
            {++last, 1}, id_of(game), std::make_shared<const std::string>(body), false, request});
    return request;
  }
  /// Runs the next export job, after all short tasks. False if none is queued.
  bool work() {
    settle();
    const bool ran = long_work.run_one();
    run();
    return ran;
  }
  /// Runs all short tasks: looks and removals.
  void settle() {
    while (short_work.run_one())
      run();
  }
  void tick() { advance(settings.tick); }
  std::size_t answers() const { return log->made.size() + log->failed.size(); }
  /// The URL in the last answer; empty if it was a failure.
  std::string url() const {
    if (log->made.empty()) return {};
    const auto& json = *log->made.back().json;
    return json.substr(8, json.size() - 10);
  }
  base::errc failure() const { return log->failed.back().error.code; }
  std::size_t folders() const {
    std::error_code none;
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator{folder.path("exports"), none},
                      std::filesystem::directory_iterator{}));
  }
};

TEST_CASE("an export is answered with the signed URL of a complete file") {
  lobby_export_bench on;
  on.ask();
  CHECK(on.answers() == 0);
  REQUIRE(on.work());
  REQUIRE(on.log->made.size() == 1);
  CHECK(on.log->made[0].exchange == exchange_ref{1, 1});
  const auto expiry_s =
      static_cast<std::uint64_t>((on.clock.unix_ms() + url_lifetime.count() + 999) / 1'000);
  CHECK(on.url() == export_url("http://cdn.example", id_of(1), expiry_s, *on.keys->current()));
  const auto opened = on.files->open(id_of(1));
  REQUIRE(opened);
  CHECK((*opened)->facts.query == model::export_query{id_of(1), {100, 200}});
  std::string text((*opened)->csv->size_bytes(), '\0');
  CHECK((*opened)->csv->read(text, 0) == static_cast<std::ptrdiff_t>(text.size()));
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  CHECK(text.starts_with(model::lobby_csv_header));
  CHECK(on.metrics.finished.get() == 1);
  CHECK(on.metrics.rows.get() == 2);
}

TEST_CASE("malformed spans and unknown games are refused at once") {
  lobby_export_bench on;
  on.ask("{}");
  CHECK(on.failure() == errc::query_invalid);
  on.ask("[");
  CHECK(on.failure() == errc::body_malformed);
  on.ask(R"({"query_start":2,"query_end":1})");
  CHECK(on.failure() == errc::query_invalid);
  on.ask(january, 9);
  CHECK(on.failure() == errc::game_not_found);
  CHECK(on.log->failed.size() == 4);
  CHECK(on.long_work.tasks.empty());
}

TEST_CASE("a second start of a running export joins it, if nothing was ingested since") {
  const auto moved = GENERATE(0, 1, 2);
  lobby_export_bench on;
  on.ask();
  on.database->while_reading = [&] {
    on.database->while_reading = {};
    on.run(); // the actor receives the snapshot
    if (moved == 1) ++on.database->history_revisions.lobbies;
    if (moved == 2) ++on.database->history_revisions.catalog;
    on.ask();
    on.settle();
  };
  REQUIRE(on.work());
  CHECK(on.log->made.size() == (moved == 0 ? 2 : 1));
  CHECK(on.work() == (moved != 0));
  CHECK(on.log->made.size() == 2);
  CHECK(on.database->history_reads == (moved == 0 ? 1 : 2));
}

TEST_CASE("requests that wait for a job's snapshot hear of its failure, too") {
  lobby_export_bench on;
  on.ask();
  on.ask();
  on.settle();
  on.database->failure = base::error{errc::store_failed, "disk on fire"};
  REQUIRE(on.work());
  CHECK(on.log->failed.size() == 2);
  CHECK(on.metrics.waiting.get() == 0);
}

TEST_CASE("a repeated export reuses the file unless lobbies were ingested") {
  lobby_export_bench on;
  on.ask();
  on.work();
  const auto first = on.url();
  on.clock.advance(10s);
  on.ask();
  CHECK(on.answers() == 1);
  on.settle();
  REQUIRE(on.answers() == 2);
  CHECK(on.url() != first);
  CHECK(on.url().substr(0, on.url().find('?')) == first.substr(0, first.find('?')));
  CHECK(on.metrics.reused.get() == 1);
  CHECK(on.database->history_reads == 1);

  ++on.database->history_revisions.lobbies;
  on.ask();
  on.settle();
  CHECK(on.answers() == 2);
  REQUIRE(on.work());
  CHECK(on.answers() == 3);
  CHECK(contains(on.url(), model::to_string(id_of(2))));
  CHECK(on.database->history_reads == 2);
}

TEST_CASE("a file with running lobbies is reused only for a past span") {
  const auto over = GENERATE(true, false);
  lobby_export_bench on;
  on.database->lobbies.push_back({id_of(103), {150, std::nullopt}, &on.kind});
  const auto end = on.clock.unix_ms() + (over ? 0 : 1);
  const auto body = R"({"query_start":100,"query_end":)" + std::to_string(end) + "}";
  on.ask(body);
  on.work();
  on.ask(body);
  on.settle();
  CHECK(on.answers() == (over ? 2 : 1));
  CHECK(on.work() == !over);
}

TEST_CASE("further attempts at a request wait once") {
  lobby_export_bench on{[](auto& settings) { settings.waiting_limit = 2; }};
  const auto request = on.ask();
  on.ask();
  for (std::uint32_t attempt = 2; attempt < 10; ++attempt) {
    request->attempt = attempt;
    on.send_as(
        on.front, on.exporter,
        export_lobbies{
            {1, attempt}, id_of(1), std::make_shared<const std::string>(january), false, request});
  }
  CHECK(on.log->failed.empty());
  on.tick();
  CHECK(on.metrics.waiting.get() == 2);
  REQUIRE(on.work());
  on.settle();
  CHECK(on.log->made.size() == 2);
}

TEST_CASE("an export goes on without its client") {
  lobby_export_bench on;
  const auto gone = on.ask();
  on.settle();
  gone->over = true;
  on.tick();
  CHECK(on.metrics.waiting.get() == 0);
  REQUIRE(on.work());
  CHECK(on.answers() == 0);
  on.ask();
  on.settle();
  CHECK(on.log->made.size() == 1);
  CHECK(on.database->history_reads == 1);
}

TEST_CASE("a failed export fails its requests and leaves no file") {
  lobby_export_bench on;
  on.ask();
  on.settle();
  on.database->failure = base::error{errc::store_failed, "/secret/path: SQL"};
  REQUIRE(on.work());
  REQUIRE(on.log->failed.size() == 1);
  CHECK(on.failure() == errc::store_failed);
  CHECK_FALSE(contains(on.log->failed[0].error.detail, "secret"));
  CHECK(on.folders() == 0);
  CHECK(on.files->used_bytes() == 0);
  CHECK(on.metrics.failed.get() == 1);
  on.database->failure.reset();
  on.ask();
  REQUIRE(on.work());
  CHECK(on.log->made.size() == 1);
}

TEST_CASE("a repeated request fails while the store cannot be read") {
  lobby_export_bench on;
  on.ask();
  on.work();
  on.database->failure = base::error{errc::store_failed, "/secret/path"};
  on.ask();
  on.settle();
  REQUIRE(on.log->failed.size() == 1);
  CHECK(on.failure() == errc::store_failed);
  CHECK_FALSE(contains(on.log->failed[0].error.detail, "secret"));
}

TEST_CASE("an export that takes too long is 504 and leaves no file") {
  lobby_export_bench on{[](auto& settings) { settings.job.timeout = 5'000ms; }};
  on.ask();
  on.database->while_reading = [&] { on.clock.advance(5s); };
  REQUIRE(on.work());
  CHECK(on.failure() == errc::deadline_exceeded);
  CHECK(contains(on.log->failed[0].error.detail, "5000 ms"));
  CHECK(on.folders() == 0);
}

TEST_CASE("exports without room are 507, and old files stay") {
  lobby_export_bench on;
  on.ask();
  on.work();
  const auto long_text = std::string(data_limit_bytes, 'x');
  on.database->lobbies = {{id_of(104), {120, 130}, &long_text}};
  on.ask(february);
  REQUIRE(on.work());
  CHECK(on.failure() == errc::exports_full);
  CHECK(base::describe(on.failure()).status == 507);
  CHECK(on.files->open(id_of(1)));
  CHECK(on.folders() == 1);
}

TEST_CASE("a file lives until the last URL that it may have ends") {
  lobby_export_bench on;
  on.ask();
  on.work();
  on.clock.advance(url_lifetime / 2);
  on.ask();
  on.settle();
  REQUIRE(on.answers() == 2);
  on.clock.advance(url_lifetime / 2 + 2'000ms);
  on.tick();
  on.settle();
  CHECK(on.files->open(id_of(1)));
  on.clock.advance(url_lifetime);
  on.tick();
  on.settle();
  CHECK(!on.files->open(id_of(1)));
  CHECK(on.folders() == 0);
  on.ask();
  REQUIRE(on.work());
  CHECK(on.database->history_reads == 2);
}

TEST_CASE("a file that was removed by hand is made again") {
  lobby_export_bench on;
  on.ask();
  on.work();
  std::filesystem::remove_all(on.folder.path("exports/" + model::to_string(id_of(1))));
  on.ask();
  on.settle();
  CHECK(on.metrics.reused.get() == 0);
  REQUIRE(on.work());
  REQUIRE(on.log->made.size() == 2);
  CHECK(contains(on.url(), model::to_string(id_of(2))));
  CHECK(on.files->open(id_of(2)));
}

TEST_CASE("files are removed and counted by one task at a time") {
  lobby_export_bench on;
  on.ask();
  on.work();
  on.settle();
  on.clock.advance(url_lifetime * 3);
  for (int i = 0; i < 5; ++i)
    on.tick();
  CHECK(on.short_work.tasks.size() == 1);
  on.settle();
  CHECK(on.folders() == 0);
  on.tick();
  CHECK(on.short_work.tasks.size() == 1); // the postponed count
}

TEST_CASE("successors do not count files while a predecessor's task does") {
  // Each would take a thread of the exports, for as long as counting many files takes.
  lobby_export_bench on;
  CHECK(on.short_work.tasks.size() == 1);
  for (int i = 0; i < 5; ++i) {
    on.kill(on.exporter);
    on.succeed();
  }
  on.clock.advance(on.settings.sweep_interval);
  on.tick();
  CHECK(on.short_work.tasks.size() == 1);
  on.settle();
  on.tick(); // the count that was due meanwhile
  CHECK(on.short_work.tasks.size() == 1);
  on.settle();
  on.kill(on.exporter);
  on.succeed();
  CHECK(on.short_work.tasks.empty());
}

TEST_CASE("exports are refused as busy while a pool for the disk is full") {
  lobby_export_bench on;
  on.long_work.full = true;
  on.ask();
  on.settle();
  REQUIRE(on.log->failed.size() == 1);
  CHECK(on.failure() == errc::exports_busy);
  CHECK(on.metrics.waiting.get() == 0);
  on.long_work.full = false;
  on.ask();
  on.work();
  CHECK(on.log->made.size() == 1);
  on.short_work.full = true;
  on.ask();
  CHECK(on.log->failed.size() == 2);
  CHECK(on.failure() == errc::exports_busy);
  on.short_work.full = false;
  on.ask();
  on.settle();
  CHECK(on.log->made.size() == 2);
}

TEST_CASE("no URL outlives its file") {
  lobby_export_bench on;
  on.ask();
  on.work();
  // If every request renewed it, the file would live forever.
  for (int i = 0; i < 3; ++i) {
    on.clock.advance(url_lifetime * 2 / 3);
    on.tick();
    on.ask();
    on.settle();
    on.work();
  }
  CHECK(on.log->made.size() == 4);
  CHECK(on.database->history_reads == 2);
  for (const auto& opened : {on.files->open(id_of(1)), on.files->open(id_of(2))})
    if (opened) CHECK((*opened)->facts.keep_until_ts > on.clock.unix_ms());
}

TEST_CASE("files that earlier processes left are removed when their time is over") {
  lobby_export_bench on;
  {
    const auto begun = on.files->begin({{}, id_of(77)});
    REQUIRE(begun);
    const auto& draft = std::get<std::unique_ptr<store::export_draft>>(*begun);
    REQUIRE(draft->append("x"));
    REQUIRE(draft->publish(on.clock.unix_ms() + 90'000));
  }
  on.tick();
  on.settle();
  CHECK(on.files->open(id_of(77)));
  on.clock.advance(100s);
  on.tick();
  on.settle();
  CHECK(!on.files->open(id_of(77)));
}

TEST_CASE("jobs end with the service and leave no file") {
  lobby_export_bench on;
  on.ask();
  on.database->while_reading = [&] { on.state->reports()->close(); };
  CHECK(on.work());
  CHECK(on.log->made.empty());
  CHECK(on.folders() == 0);
  CHECK(on.files->used_bytes() == 0);
}

TEST_CASE("a successor takes over its predecessor's job") {
  // Dies before the job begins, while it reads, or when it has ended but before its result is
  // handled.
  const int dies = GENERATE(0, 1, 2);
  CAPTURE(dies);
  lobby_export_bench on;
  on.ask();
  on.settle();
  const auto die = [&] { on.kill(on.exporter); };
  if (dies == 0) die();
  if (dies == 0) on.succeed();
  if (dies == 1) on.database->while_reading = die;
  if (dies == 2) on.kill(on.exporter);
  CHECK(on.long_work.run_one());
  on.run();
  CHECK(on.answers() == 0);
  if (dies != 0) on.succeed();
  on.ask(); // the front dispatches the request again
  on.settle();
  REQUIRE(on.log->made.size() == 1);
  CHECK(on.log->made[0].exchange == exchange_ref{2, 1});
  CHECK_FALSE(on.work());
  CHECK(on.folders() == 1);
  CHECK(on.metrics.running.get() == 0);
}

TEST_CASE("a successor reuses and removes existing files") {
  lobby_export_bench on;
  on.ask();
  on.work();
  on.kill(on.exporter);
  on.succeed();
  on.ask();
  on.settle();
  CHECK(on.log->made.size() == 2);
  CHECK(on.metrics.reused.get() == 1);
  on.clock.advance(2 * url_lifetime);
  on.tick();
  on.settle();
  CHECK(on.folders() == 0);
}

TEST_CASE("the store's backlog of an export is tidied afterwards") {
  lobby_export_bench on;
  on.ask();
  on.work();
  CHECK(on.database->tidied == 0);
  on.database->backlog_bytes = tidied_backlog_bytes;
  on.ask(february);
  on.work();
  CHECK(on.database->tidied == 1);
}

} // namespace
} // namespace matchcloud::actors
