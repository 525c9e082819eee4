#include "actors/lobby_export/lobby_export_state.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <set>
#include <utility>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::errc;

const model::export_query january_query{id_of(1), {100, 200}};
const model::export_query february_query{id_of(1), {200, 300}};
/// How long exports are kept.
constexpr std::int64_t kept_ms = 1'000'000'000;

/// Exports of which nothing is asked.
class fake_exports final : public store::export_store {
public:
  base::expected<store::begun_export> begin(const store::export_request&) override {
    return store::exports_full();
  }
  base::expected<store::opened_export_ptr> open(const model::uuid&) override {
    return store::export_not_found();
  }
  bool has(const model::uuid&) override { return true; }
  base::expected<void> compress(const model::uuid&, const std::function<bool()>&) override {
    return {};
  }
  void remove(const model::uuid&) override {}
  base::expected<std::size_t> erase(const model::uuid&) override { return std::size_t{0}; }
  base::expected<void> sweep(std::int64_t) override { return {}; }
  std::uint64_t used_bytes() const override { return 0; }
};

/// The state alone; its effects are recorded.
struct lobby_export_state_bench : export_effects {
  temporary_directory folder;
  manual_clock clock;
  export_metrics metrics;
  std::shared_ptr<store::secret_ring> keys = open_signing_keys(folder.path());
  fake_exports files;
  services with;
  lobby_export_settings settings;
  lobby_export_state state;
  /// Whether the pools accept tasks.
  bool takes_work = true;
  /// Whether the first look for a query ends at once, without an export.
  bool finds_nothing = true;
  std::set<model::export_query> asked;
  std::vector<std::pair<model::export_query, std::optional<model::uuid>>> looks;
  std::vector<std::uint64_t> jobs;
  std::vector<follow_request> follows;
  std::vector<std::pair<std::uint64_t, std::string>> answers;
  std::vector<std::pair<std::uint64_t, base::errc>> failures;
  std::vector<std::string> details;
  /// The last digits of the games of `jobs`.
  std::vector<int> games;

  /// Before which history is not kept.
  std::int64_t horizon = 0;
  std::vector<std::int64_t> complete_from;

  lobby_export_state_bench() {
    with.clock = &clock;
    with.export_metrics = &metrics;
    with.exports = {std::shared_ptr<void>{}, &files};
    with.signing_keys = keys;
    settings.jobs_limit = 1;
    settings.queue_limit = 1;
    settings.waiting_limit = 4;
    state.begin(with, settings, *this);
  }

  bool look(files_by_query queries) override {
    if (takes_work) looks.insert(looks.end(), queries.begin(), queries.end());
    return takes_work;
  }
  bool run(std::uint64_t job, const model::export_query& query) override {
    jobs.push_back(job);
    games.push_back(query.game_id.bytes[15]);
    return takes_work;
  }
  bool follow(std::vector<follow_request> requests) override {
    follows.insert(follows.end(), requests.begin(), requests.end());
    return takes_work;
  }
  void answer(const waiter& who, const std::shared_ptr<const std::string>& json,
              std::int64_t complete_from_ts) override {
    answers.emplace_back(who.exchange.exchange, *json);
    complete_from.push_back(complete_from_ts);
  }
  void fail(const waiter& who, const base::error& why) override {
    failures.emplace_back(who.exchange.exchange, why.code);
    details.push_back(why.detail);
  }

  void ask(std::uint64_t exchange, const model::export_query& query = january_query,
           const std::shared_ptr<ticket>& of = nullptr) {
    state.ask(query, waiter{{}, {exchange, 1}, of});
    if (finds_nothing && !looks.empty() && asked.insert(query).second) find({});
  }
  /// Completes the oldest look with these revisions.
  void find(const store::history_revisions& revisions,
            const std::shared_ptr<const store::export_record>& found = nullptr) {
    history_looked looked;
    looked.results[looks.front().first] = {revisions, {}, found};
    looks.erase(looks.begin());
    state.on(looked);
  }
  void end(std::uint64_t job, const store::history_revisions& revisions = {1, 1}) {
    export_ended ended;
    ended.job = job;
    ended.facts.export_id = id_of(static_cast<std::uint8_t>(200 + job));
    ended.facts.query = january_query;
    ended.facts.keep_until_ts = clock.unix_ms() + kept_ms;
    ended.summary.snapshot.revisions = revisions;
    ended.summary.snapshot.complete_from_ts = horizon;
    state.on(ended);
  }
};

TEST_CASE("an export beyond the kept history says from when it is complete") {
  lobby_export_state_bench on;
  const auto begin = static_cast<std::int64_t>(january_query.span.begin);
  on.horizon = GENERATE_COPY(std::int64_t{0}, begin, begin + 1);
  on.ask(1);
  on.end(on.jobs[0]);
  REQUIRE(on.answers.size() == 1);
  CHECK(on.answers[0].second.starts_with(R"({"url":"/exports/)"));
  CHECK(on.complete_from[0] == (on.horizon > begin ? on.horizon : 0));
}

TEST_CASE("a second start of a queued export joins it") {
  lobby_export_state_bench on;
  on.ask(1);
  on.ask(2, february_query); // queued
  on.ask(3, february_query); // joins the queued job
  CHECK(on.metrics.joined.get() == 1);
  on.ask(4, {id_of(1), {300, 400}});
  REQUIRE(on.failures.size() == 1);
  CHECK(on.failures[0] == std::pair{std::uint64_t{4}, errc::exports_busy});
  on.end(on.jobs[0]);
  CHECK(on.jobs.size() == 2); // february's job has started
  on.end(on.jobs[1]);
  CHECK(on.answers.size() == 3);
}

TEST_CASE("games take turns with their queued exports") {
  lobby_export_state_bench on;
  on.settings.jobs_limit = 2;
  on.settings.queue_limit = 64;
  on.settings.waiting_limit = 1'000;
  const auto span_of = [](std::uint8_t game, std::uint64_t begin) {
    return model::export_query{id_of(game), {begin, begin + 1}};
  };
  for (std::uint64_t i = 0; i < 20; ++i)
    on.ask(i, span_of(1, i));
  REQUIRE(on.games == std::vector{1, 1}); // nobody else waits
  for (std::uint64_t i = 0; i < 3; ++i)
    on.ask(100 + i, span_of(2, i));
  on.ask(200, span_of(3, 0));
  const auto end_of = [&](std::size_t started) { on.end(on.jobs[started]); };
  end_of(0);
  CHECK(on.games.back() == 2); // game 1 still has one that runs
  for (const std::size_t each : {1, 2, 3, 4, 5})
    end_of(each);
  CHECK(std::vector(on.games.begin() + 3, on.games.end()) == std::vector{1, 3, 2, 1, 2});
  // A game that keeps coming back does not overtake those that wait.
  on.ask(300, span_of(4, 0));
  end_of(6);
  CHECK(on.games.back() == 1);
  end_of(7);
  CHECK(on.games.back() == 4);
  CHECK(on.failures.empty());
}

TEST_CASE("a game has its share of the queue") {
  lobby_export_state_bench on;
  on.settings.queue_limit = 8;
  on.settings.waiting_limit = 1'000;
  on.settings.game_share_percent = 50;
  for (std::uint64_t i = 0; i < 70; ++i)
    on.ask(i, {id_of(1), {i, i + 1}});
  CHECK(on.failures.size() == 65); // one runs, four wait
  CHECK(on.failures[0].second == errc::exports_busy);
  CHECK(contains(on.details[0], "4 exports, export-share-percent"));
  CHECK(on.metrics.over_share.get() == 65);
  on.failures.clear();
  for (std::uint64_t i = 0; i < 4; ++i)
    on.ask(100 + i, {id_of(2), {i, i + 1}});
  CHECK(on.failures.empty());
  on.end(on.jobs[0]);
  on.end(on.jobs[1]);
  CHECK(on.games == std::vector{1, 1, 2});
}

TEST_CASE("exports without room for both run one after the other") {
  lobby_export_state_bench bench;
  bench.settings.jobs_limit = 2;
  bench.settings.queue_limit = 4;
  bench.ask(1);
  bench.ask(2, february_query);
  CHECK(bench.jobs == std::vector<std::uint64_t>{1, 2});
  const auto lack_space = [&](std::uint64_t job) {
    export_ended ended;
    ended.job = job;
    ended.failure = std::make_shared<const base::error>(store::exports_full().value());
    bench.state.on(ended);
  };
  // Both found no room at the same time.
  lack_space(1);
  CHECK(bench.jobs.size() == 2);
  lack_space(2);
  CHECK(bench.failures.empty());
  REQUIRE(bench.jobs == std::vector<std::uint64_t>{1, 2, 2});
  // Other games go on.
  bench.ask(3, {id_of(2), {100, 200}});
  CHECK(bench.jobs.back() == 3);
  bench.end(2);
  REQUIRE(bench.answers.size() == 1);
  CHECK(bench.answers[0].first == 2);
  REQUIRE(bench.jobs == std::vector<std::uint64_t>{1, 2, 2, 3, 1});
  // What does not fit alone is refused.
  lack_space(1);
  REQUIRE(bench.failures.size() == 1);
  CHECK(bench.failures[0] == std::pair<std::uint64_t, base::errc>{1, errc::exports_full});
}

TEST_CASE("a game's waiting requests are limited to its share") {
  lobby_export_state_bench on;
  on.settings.game_share_percent = 50;
  const auto gone = std::make_shared<ticket>();
  on.ask(1, february_query, gone); // runs
  on.ask(2);                       // queued
  on.ask(3);
  REQUIRE(on.failures.size() == 1);
  CHECK(on.failures[0] == std::pair{std::uint64_t{3}, errc::exports_busy});
  CHECK(contains(on.details[0], "export-share-percent"));
  on.ask(4, {id_of(2), {1, 2}});
  CHECK(contains(on.details.back(), "queue is full"));
  gone->over = true;
  on.ask(5);
  CHECK(on.failures.size() == 2);
}

TEST_CASE("the number of waiting requests is limited, and those of gone clients make room") {
  lobby_export_state_bench on;
  const auto gone = std::make_shared<ticket>();
  on.ask(1, january_query, gone);
  for (std::uint64_t i = 2; i <= 4; ++i)
    on.ask(i, february_query);
  on.ask(5, february_query);
  REQUIRE(on.failures.size() == 1);
  CHECK(on.failures[0].first == 5);
  gone->over = true;
  on.ask(6, february_query);
  CHECK(on.failures.size() == 1);
}

TEST_CASE("a queued export is not begun once nobody waits for it") {
  lobby_export_state_bench on;
  on.settings.queue_limit = 2;
  on.ask(1); // runs
  const auto gone = std::make_shared<ticket>();
  on.ask(2, february_query, gone);
  const auto joined = std::make_shared<ticket>();
  const model::export_query of_other_game{id_of(2), {1, 2}};
  on.ask(3, of_other_game, joined);
  on.ask(4, of_other_game);
  gone->over = joined->over = true;
  on.ask(5, {id_of(3), {1, 2}}); // has the place that became free
  CHECK(on.failures.empty());
  on.end(on.jobs[0]);
  CHECK(on.games == std::vector<int>{1, 2});
  on.state.count();
  CHECK(on.metrics.queued.get() == 1);
}

TEST_CASE("a file is reused only if neither lobbies nor catalog changed since") {
  lobby_export_state_bench on;
  on.ask(1);
  on.end(on.jobs[0], {5, 2});
  on.ask(2);
  REQUIRE(on.looks.size() == 1);
  CHECK(on.looks[0].second == id_of(static_cast<std::uint8_t>(200 + on.jobs[0])));
  on.find({5, 2});
  CHECK(on.answers.size() == 2);
  CHECK(on.metrics.reused.get() == 1);
  on.ask(3);
  on.find({6, 2}); // lobbies were ingested
  CHECK(on.answers.size() == 2);
  CHECK(on.jobs.size() == 2);
}

TEST_CASE("a running export is joined if it reads recent enough data") {
  lobby_export_state_bench on;
  on.ask(1);
  on.ask(2);
  on.find({5, 1}); // the job has not begun to read
  on.ask(3);
  on.find({7, 1});
  store::history_snapshot snapshot;
  snapshot.revisions = {6, 1};
  on.state.on(export_begun{on.jobs[0], snapshot});
  CHECK(on.metrics.joined.get() == 1); // request 2 joined, request 3 did not
  on.end(on.jobs[0], {6, 1});
  CHECK(on.answers.size() == 2);
  CHECK(on.jobs.size() == 2); // request 3 has its own job
}

TEST_CASE("an export that no pool accepts is refused") {
  lobby_export_state_bench on;
  on.takes_work = false;
  on.ask(1);
  REQUIRE(on.failures.size() == 1);
  CHECK(on.failures[0].second == errc::exports_busy);
  on.takes_work = true;
  on.ask(2);
  on.end(on.jobs.back());
  CHECK(on.answers.size() == 1);
  on.takes_work = false;
  on.ask(3);
  CHECK(on.failures.size() == 2);
  on.state.count();
  CHECK(on.metrics.waiting.get() == 0);
}

TEST_CASE("jobs of an actor that died end like others") {
  lobby_export_state_bench on;
  on.ask(1);
  REQUIRE(on.jobs.size() == 1);
  on.state.end(); // the actor died
  on.state.begin(on.with, on.settings, on);
  on.state.on(export_begun{on.jobs[0], {{1, 1}, 0}});
  on.ask(2);
  CHECK(on.jobs.size() == 1);
  on.find({1, 1});
  on.end(on.jobs[0]);
  REQUIRE(on.answers.size() == 1); // the first was asked of the actor that died
  CHECK(on.answers[0].first == 2);
  on.state.end();
  CHECK(on.metrics.running.get() == 0);
}

TEST_CASE("waiting requests are forgotten with the actor, and running jobs go on") {
  lobby_export_state_bench on;
  on.ask(1);
  on.ask(2, february_query); // queued
  on.ask(3);                 // looks
  on.state.end();
  CHECK(on.metrics.running.get() == 1);
  CHECK(on.metrics.queued.get() == 0);
  CHECK(on.metrics.waiting.get() == 0);
  on.state.begin(on.with, on.settings, on);
  on.looks.clear();
  on.ask(4, february_query);
  on.find({});
  CHECK(on.jobs.size() == 1);
  on.end(on.jobs[0]);
  REQUIRE(on.jobs.size() == 2);
  CHECK(on.jobs[1] > on.jobs[0]);
  CHECK(on.answers.empty());
  on.end(on.jobs[1]);
  CHECK(on.answers.size() == 1);
}

TEST_CASE("a file is removed when the last URL of it may have expired") {
  lobby_export_state_bench on;
  on.ask(1);
  on.end(on.jobs[0]);
  const auto last_ts = on.clock.unix_ms() + kept_ms;
  CHECK(on.state.over_at(last_ts - 1).empty());
  const auto over = on.state.over_at(last_ts);
  REQUIRE(over.size() == 1);
  on.state.forget(over[0]);
  CHECK(on.state.over_at(last_ts).empty());
  on.ask(2);
  REQUIRE(on.looks.size() == 1);
  CHECK_FALSE(on.looks[0].second); // nothing is known that could be given again
  on.find({});
  CHECK(on.jobs.size() == 2);
}

using record_ptr = std::shared_ptr<const store::export_record>;

/// What another process writes of january.
store::export_record theirs(const std::optional<store::history_revisions>& covers = {}) {
  store::export_record record;
  record.facts = {id_of(150), january_query};
  record.owner = id_of(151);
  if (covers) record.snapshot = store::history_snapshot{*covers, 1};
  return record;
}

store::export_record whole(store::export_record record, const lobby_export_state_bench& on) {
  record.facts.keep_until_ts = on.clock.unix_ms() + 1'000'000'000;
  record.is_complete = true;
  if (!record.snapshot) record.snapshot = store::history_snapshot{{9, 9}, 1};
  return record;
}

record_ptr shared(store::export_record record) {
  return std::make_shared<const store::export_record>(std::move(record));
}

/// A state whose exports others share.
struct shared_bench : lobby_export_state_bench {
  shared_bench() { finds_nothing = false; }

  /// Says what became of the oldest job that was asked about.
  void tell(const record_ptr& record) {
    state.follow();
    REQUIRE(follows.size() == 1);
    exports_followed followed;
    followed.results.push_back({follows.front().job, record});
    follows.clear();
    state.on(followed);
  }
  /// Ends a job because another process has the export.
  void lose(std::uint64_t job, store::export_record to,
            const std::optional<store::history_revisions>& needs) {
    export_ended ended;
    ended.job = job;
    if (to.is_complete) {
      ended.facts = to.facts;
      ended.summary = summary_of(to);
    }
    ended.other =
        std::make_shared<const store::other_export>(store::other_export{std::move(to), needs});
    state.on(ended);
  }
};

TEST_CASE("another process's finished export is reused") {
  shared_bench on;
  on.ask(1);
  CHECK(on.jobs.empty());
  on.find({5, 1}, shared(whole(theirs(store::history_revisions{5, 1}), on)));
  REQUIRE(on.answers.size() == 1);
  CHECK(contains(on.answers[0].second, model::to_string(id_of(150))));
  CHECK(on.jobs.empty());
  CHECK(on.metrics.reused.get() == 1);
}

TEST_CASE("another process's running export is waited for") {
  shared_bench on;
  on.ask(1);
  on.find({5, 1}, shared(theirs()));
  CHECK(on.jobs.empty());
  CHECK(on.state.is_following());
  on.ask(2);
  on.find({7, 1}, shared(theirs()));
  on.state.count();
  CHECK(on.metrics.followed.get() == 1);
  CHECK(on.metrics.waiting.get() == 2);
  on.tell(shared(theirs(store::history_revisions{6, 1})));
  CHECK(on.jobs.size() == 1); // for the second request, which needs more
  on.tell(shared(whole(theirs(store::history_revisions{6, 1}), on)));
  REQUIRE(on.answers.size() == 1);
  CHECK(on.answers[0].first == 1);
  CHECK_FALSE(on.state.is_following());
  on.end(on.jobs[0], {7, 1});
  CHECK(on.answers.size() == 2);
}

TEST_CASE("an export taken over by another process is followed") {
  shared_bench on;
  on.ask(1);
  on.find({5, 1}, shared(theirs(store::history_revisions{5, 1})));
  auto heir = theirs();
  heir.generation = 2;
  on.tell(shared(heir));
  heir.snapshot = store::history_snapshot{{5, 1}, 2};
  on.tell(shared(heir));
  CHECK(on.answers.empty());
  on.tell(shared(whole(heir, on)));
  CHECK(on.answers.size() == 1);
  CHECK(on.jobs.empty());
}

TEST_CASE("a job leaves its export to the process that has it") {
  shared_bench on;
  on.ask(1);
  on.find({5, 1});
  REQUIRE(on.jobs.size() == 1);
  SECTION("which has made it") {
    on.lose(on.jobs[0], whole(theirs(store::history_revisions{5, 1}), on),
            store::history_revisions{5, 1});
    CHECK(on.answers.size() == 1);
    CHECK_FALSE(on.state.is_following());
  }
  SECTION("which reads something later") {
    on.lose(on.jobs[0], theirs(store::history_revisions{6, 1}), store::history_revisions{5, 1});
    on.tell(shared(whole(theirs(store::history_revisions{6, 1}), on)));
    CHECK(on.answers.size() == 1);
  }
  SECTION("of which it is not known what it reads, and it is too old") {
    on.lose(on.jobs[0], theirs(), store::history_revisions{5, 1});
    CHECK(on.state.is_following());
    on.tell(shared(theirs(store::history_revisions{4, 1})));
    CHECK(on.jobs.size() == 2);
  }
  SECTION("and its place is free for another one") {
    on.ask(2, february_query);
    on.find({1, 1});
    CHECK(on.jobs.size() == 1);
    on.lose(on.jobs[0], theirs(), store::history_revisions{5, 1});
    CHECK(on.jobs.size() == 2);
  }
  on.state.count();
  CHECK(on.metrics.failed.get() == 0);
}

TEST_CASE("a request that needs newer data does not join an older job") {
  shared_bench on;
  on.settings.jobs_limit = 2;
  on.ask(1);
  on.find({3, 1});
  on.state.on(export_begun{on.jobs[0], {{3, 1}, 1}});
  on.ask(2);
  on.find({5, 1});
  REQUIRE(on.jobs.size() == 2);
  on.state.on(export_begun{on.jobs[1], {{5, 1}, 2}});
  on.lose(on.jobs[1], theirs(), std::nullopt); // taken over while it was written
  on.tell(shared(whole(theirs(store::history_revisions{6, 1}), on)));
  REQUIRE(on.answers.size() == 1);
  CHECK(on.answers[0].first == 2);
  on.end(on.jobs[1]); // told twice
  on.end(on.jobs[0], {3, 1});
  CHECK(on.answers.size() == 2);
  on.state.count();
  CHECK(on.metrics.running.get() == 0);
}

TEST_CASE("only awaited exports are followed, one look at a time") {
  shared_bench on;
  const auto gone = std::make_shared<ticket>();
  on.state.ask(january_query, waiter{{}, {1, 1}, gone});
  on.find({5, 1}, shared(theirs()));
  on.state.follow();
  on.state.follow();
  CHECK(on.follows.size() == 1);
  on.state.on(exports_followed{}); // the store could not be read
  on.state.follow();
  CHECK(on.follows.size() == 2);
  gone->over = true;
  on.state.forget_gone();
  CHECK_FALSE(on.state.is_following());
  on.state.on(exports_followed{{{on.follows[0].job, nullptr}}});
  CHECK(on.jobs.empty());
}

TEST_CASE("an export's job walks through all of its states") {
  shared_bench on;
  const auto are = [&on](std::int64_t queued, std::int64_t running, std::int64_t followed) {
    on.state.count();
    return on.metrics.queued.get() == queued && on.metrics.running.get() == running &&
           on.metrics.followed.get() == followed;
  };
  const auto fail = [&on](std::uint64_t job) {
    export_ended ended;
    ended.job = job;
    ended.failure = std::make_shared<const base::error>(base::error{errc::store_failed, ""});
    on.state.on(ended);
  };
  on.ask(1, february_query);
  on.find({1, 1});
  CHECK(are(0, 1, 0));
  on.ask(2);
  on.find({5, 1});
  CHECK(are(1, 1, 0));
  fail(1);
  REQUIRE(on.failures.size() == 1);
  CHECK(on.failures[0].first == 1);
  CHECK(are(0, 1, 0));
  on.lose(2, theirs(), store::history_revisions{5, 1});
  CHECK(are(0, 0, 1));
  on.ask(3, february_query);
  on.find({1, 1});
  CHECK(are(0, 1, 1));
  on.tell(nullptr); // the other replica stopped
  CHECK(are(1, 1, 0));
  fail(3);
  CHECK(are(0, 1, 0));
  on.end(2, {5, 1});
  REQUIRE(on.answers.size() == 1);
  CHECK(on.answers[0].first == 2);
  CHECK(are(0, 0, 0));
  CHECK(on.jobs == std::vector<std::uint64_t>{1, 2, 3, 2});
}

} // namespace
} // namespace matchcloud::actors
