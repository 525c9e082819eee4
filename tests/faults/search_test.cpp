#include "base/fault_point.hpp"
#include "tests/catch.hpp"
#include "tests/faults/clients.hpp"
#include "tests/faults/fault_control.hpp"
#include "tests/faults/known_load.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/service/server.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <functional>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::faults {
namespace {

/// A fault that a trial injects.
struct tried_fault {
  base::fault_point at{};
  base::fault_kind kind{};

  friend bool operator==(const tried_fault&, const tried_fault&) = default;
};

/// Two faults at different points, neither of which ends the process.
std::vector<tried_fault> random_pair(chances& by);

/// Runs a service under load while the faults are injected, and heals them. Returns what was wrong,
/// empty if nothing: a request that was not answered once, a wrong answer, a status that none of
/// the faults explains, an acknowledged lobby that is lost, or a service that does not recover.
/// `number` distinguishes the trials of a world. `meanwhile` is called while they are injected.
std::string problem_of(const e2e::world& in, const std::vector<tried_fault>& faults,
                       std::uint32_t number,
                       const std::function<void(e2e::server&)>& meanwhile = {});

/// The smallest part of `faults` that fails still.
std::vector<tried_fault> shrunk(const std::vector<tried_fault>& faults,
                                const std::function<bool(const std::vector<tried_fault>&)>& fails);

/// A plan for `matchcloud fault run` that injects these faults under load.
std::string plan_of(const std::vector<tried_fault>& faults, const std::string& problem);

using namespace e2e;
using base::fault_kind;
using base::fault_point;

constexpr std::size_t search_clients = 3;
constexpr std::size_t turns = 2;
/// The most lobbies of one ingest.
constexpr std::size_t batch_limit = 20;

arguments flags_of(const world& in) {
  auto all = impatient();
  all.insert(all.end(), {"--geoip", in.geoip()});
  return breakable(all);
}

/// A service, its load, and a game whose lobbies it is sent.
class trial {
public:
  trial(const world& in, std::uint32_t number)
      : ledger_{number}, service_{flags_of(in), in}, load_{in, service_} {
    in.import(ledger_.catalog());
    if (!eventually([&] { return !exported().empty(); }))
      throw std::runtime_error{"the game of the trial is not there"};
  }

  std::string run(const std::vector<tried_fault>& faults,
                  const std::function<void(server&)>& meanwhile) {
    for (const auto& each : faults)
      inject(service_.ops(), each.at, rule_of(each.at, each.kind));
    tally all;
    std::thread asker{
        [&] { all = known_load::repeat(search_clients, turns, [this] { return ask(); }); }};
    const deadline least{in_force};
    static_cast<void>(eventually([&] { return least.passed(); }));
    if (meanwhile) meanwhile(service_);
    if (service_.process().running()) heal(service_.ops());
    asker.join();
    auto wrong = problem_in(all, faults);
    if (wrong.empty()) wrong = problem_afterwards();
    return wrong.empty() ? wrong : wrong + " (" + to_string(all) + ")";
  }

private:
  /// One request of each operation, and an ingest whose acknowledgement is kept.
  tally ask() {
    auto all = load_.ask_all();
    lobby_ledger::batch batch;
    {
      const std::lock_guard lock{mutex_};
      batch = ledger_.next(chances_, batch_limit);
    }
    ++all.requests;
    try {
      const auto got = ingest(service_.ops(), batch.lines);
      ++all.answers;
      ++all.statuses[got.status];
      if (got.status == 200) ledger_.acknowledge(batch);
    } catch (const std::runtime_error&) {
      ++all.broken;
    }
    return all;
  }

  static std::string problem_in(const tally& all, const std::vector<tried_fault>& faults) {
    const auto any = [&](auto is) { return std::ranges::any_of(faults, is, &tried_fault::at); };
    if (all.answers + all.broken != all.requests) return "a request was not answered once";
    if (any(is_of_the_wire)) return {};
    if (all.broken > 0) return "a connection broke";
    if (!all.wrong.empty()) return "an answer was wrong";
    for (const auto& [status, count] : all.statuses)
      if (!any([status = status](fault_point at) { return may_be_answered(at, status); }))
        return "a request got " + std::to_string(status);
    return {};
  }

  std::string problem_afterwards() {
    if (!service_.process().running()) return "the service ended";
    if (!eventually([&] { return load_.ask_all().is_perfect(); }))
      return "the service does not recover";
    if (!eventually([&] { return service_.metric("matchcloud_requests_in_flight") == 0; }))
      return "requests are left in flight";
    const auto acknowledged = ledger_.acknowledged();
    // On a busy machine one attempt may miss its deadline.
    std::string history;
    if (!eventually([&] { return !(history = exported()).empty(); }))
      return "the history cannot be exported";
    return ledger_.problem_of(history, acknowledged);
  }

  /// The whole history of the game; empty if it cannot be had.
  std::string exported() const {
    const auto made = ask_export(service_.data(), ledger_.game_id());
    const auto target = download_target(made);
    if (target.empty()) return {};
    const auto file = get(service_.data(), target);
    return file.status == 200 ? file.body : std::string{};
  }

  lobby_ledger ledger_;
  server service_;
  known_load load_;
  chances chances_{"search"};
  std::mutex mutex_;
};

std::vector<tried_fault> random_pair(chances& by) {
  std::vector<tried_fault> pair;
  while (pair.size() < 2) {
    const auto at = static_cast<fault_point>(by.between(0, base::fault_point_count - 1));
    const auto kind = static_cast<fault_kind>(by.between(1, base::fault_kind_names.size() - 1));
    // A supervisor that dies of each message never gets anything done.
    const bool is_fit = is_passed(at) && !is_supervisors(at) && kind != fault_kind::abort &&
                        facts_of(at).kinds.has(kind);
    if (is_fit && (pair.empty() || pair.front().at != at)) pair.push_back({at, kind});
  }
  return pair;
}

std::string problem_of(const world& in, const std::vector<tried_fault>& faults,
                       std::uint32_t number, const std::function<void(server&)>& meanwhile) {
  try {
    return trial{in, number}.run(faults, meanwhile);
  } catch (const std::runtime_error& failure) {
    return std::string{"the trial failed: "} + failure.what();
  }
}

std::vector<tried_fault> shrunk(const std::vector<tried_fault>& faults,
                                const std::function<bool(const std::vector<tried_fault>&)>& fails) {
  auto smallest = faults;
  for (std::size_t i = 0; i < smallest.size() && smallest.size() > 1;) {
    auto fewer = smallest;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (fails(fewer))
      smallest = std::move(fewer);
    else
      ++i;
  }
  return smallest;
}

std::string plan_of(const std::vector<tried_fault>& faults, const std::string& problem) {
  // Refusals and lost replies are what some faults do; wrong answers are not, off the wire.
  const bool is_wire = std::ranges::any_of(faults, is_of_the_wire, &tried_fault::at);
  std::string plan =
      "# " + problem.substr(0, problem.find('\n')) +
      "\n# Put it next to plans/players.toml. The search itself ingests lobbies, too.\n"
      "lasts = \"8s\"\nload = \"--rate 200 --mix players.toml\"\n"
      "check = [" +
      (is_wire ? "" : "\"content = 0\", ") + "\"errors = 0 from 2s after healing\"]\n";
  for (const auto& each : faults) {
    plan += "\n[[step]]\nat = \"2s\"\ninject = { point = \"" + std::string{facts_of(each.at).name} +
            "\", kind = \"" + std::string{name_of(each.kind)} + "\"";
    if (each.kind == fault_kind::delay) plan += ", delay_ms = [5, 20]";
    plan += ", every = " + std::to_string(every_of(each.at)) + " }\n";
  }
  return plan + "\n[[step]]\nat = \"5s\"\nheal = true\n";
}

using base::fault_kind;
using base::fault_point;

constexpr tried_fault slow_commit{fault_point::store_commit, fault_kind::delay};
constexpr tried_fault lost_reply{fault_point::front_reply, fault_kind::drop};
constexpr tried_fault failing_read{fault_point::store_read, fault_kind::error};

TEST_CASE("faults that fail together are shrunk to those that are needed", "[plans]") {
  const std::vector<tried_fault> all{slow_commit, lost_reply, failing_read};
  const auto has = [](const std::vector<tried_fault>& in, const tried_fault& what) {
    return std::ranges::find(in, what) != in.end();
  };
  CHECK(shrunk(all, [&](const std::vector<tried_fault>& some) { return has(some, lost_reply); }) ==
        std::vector{lost_reply});
  CHECK(shrunk(all, [&](const std::vector<tried_fault>& some) {
          return has(some, slow_commit) && has(some, failing_read);
        }) == std::vector{slow_commit, failing_read});
  CHECK(shrunk(all, [](const std::vector<tried_fault>&) { return false; }) == all);
}

TEST_CASE("a search prints a plan", "[plans]") {
  const fixtures::temporary_directory folder;
  folder.file("players.toml", fixtures::read_whole(fixtures::source_path("plans/players.toml")));
  const auto file = folder.file("found.toml", plan_of({slow_commit, lost_reply}, "a request\nx"));
  const auto read = e2e::run({"fault", "run", "--dry-run", file});
  INFO(read.errors);
  CHECK(read.exit_code == 0);
  CHECK(read.out.find("inject store.commit: delay 5..20 ms, every 2") != std::string::npos);
  CHECK(read.out.find("inject front.reply: drop, every 2") != std::string::npos);
  CHECK(read.out.find("check   content = 0") != std::string::npos);
  // The rules are those that the search tried, and its load passes the point.
  const auto rare = plan_of({{fault_point::export_write, fault_kind::error}}, "");
  CHECK(rare.find("every = 1") != std::string::npos);
  CHECK(rare.find("--mix players.toml") != std::string::npos);
}

TEST_CASE("the search sees a service that ended, and nothing where all is well", "[plans]") {
  const e2e::world in;
  CHECK(problem_of(in, {slow_commit}, 1'001).empty());
  const auto killed = problem_of(in, {slow_commit}, 1'002, [](e2e::server& service) {
    service.process().signal(SIGKILL);
    CHECK(service.process().exit_code());
  });
  CHECK_FALSE(killed.empty());
}

TEST_CASE("pairs of faults break no promise", "[chaos]") {
  const e2e::world in;
  chances by{"search"};
  const auto pairs = setting("MATCHCLOUD_SOAK_PAIRS", sanitized ? 2 : 5);
  for (std::uint32_t number = 1; number <= pairs; ++number) {
    const auto pair = random_pair(by);
    auto problem = problem_of(in, pair, 100 + number);
    if (problem.empty()) continue;
    std::uint32_t again = 100'000 * number;
    const auto smallest = shrunk(pair, [&](const std::vector<tried_fault>& some) {
      const auto found = problem_of(in, some, ++again);
      if (!found.empty()) problem = found;
      return !found.empty();
    });
    std::cout << plan_of(smallest, problem) << std::endl;
    CAPTURE(problem);
    FAIL_CHECK("the plan above breaks a promise");
  }
}

} // namespace
} // namespace matchcloud::faults
