// `matchcloud fault run`: the plans of plans/, and what becomes of one that goes wrong.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/faults/clients.hpp"
#include "tests/faults/fault_control.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <csignal>
#include <deque>
#include <fstream>
#include <iterator>

namespace matchcloud::faults {
namespace {

using namespace e2e;
using fixtures::contains;

/// A service, and plans that are run against it.
struct planned {
  world in;
  server of{breakable(), in};
  fixtures::temporary_directory folder;

  arguments words(const std::string& file) const {
    return {"fault",
            "run",
            file,
            "--url",
            "http://" + of.ops().authority(),
            "--load-url",
            "http://" + of.data().authority()};
  }
  command_result run_text(const std::string& text, const arguments& further = {}) const {
    auto all = words(folder.file("plan.toml", text));
    all.insert(all.end(), further.begin(), further.end());
    return run(all);
  }
  /// How many points have a rule.
  std::size_t injected() const {
    const auto all = parse_json(ask_ops(of.ops(), "GET", "/faults").body);
    std::size_t count = 0;
    for (const auto& each : all["points"].GetArray())
      if (!each["rule"].IsNull()) ++count;
    return count;
  }
};

/// A plan of plans/ that runs against a service of its own.
class shipped_plan {
public:
  explicit shipped_plan(const std::string& name)
      : name_{name}, running_{at_.words(fixtures::source_path("plans/" + name + ".toml"))} {}

  void check_holds() {
    CAPTURE(name_);
    std::string out;
    while (const auto line = running_.next_line())
      out += *line + "\n";
    const auto code = running_.exit_code();
    INFO(out << running_.errors());
    CHECK(code == 0);
    CHECK_FALSE(contains(out, "FAILS"));
    CHECK(contains(out, "holds   hits"));
    CHECK_FALSE(contains(out, " hit 0 times"));
    CHECK(at_.injected() == 0);
  }

private:
  std::string name_;
  planned at_;
  child_process running_;
};

TEST_CASE("the plans that are shipped hold against the service", "[plans]") {
  // They mostly wait, so several run at once; sanitizers leave them less time.
  const std::size_t at_once = sanitized ? 2 : 4;
  std::deque<shipped_plan> running;
  for (const auto* name : {"slow-store", "dying-actors", "full-disk", "lossy-clients"}) {
    if (running.size() == at_once) {
      running.front().check_holds();
      running.pop_front();
    }
    running.emplace_back(name);
  }
  for (auto& each : running)
    each.check_holds();
}

TEST_CASE("a check that does not hold makes the run fail, and says what was seen", "[plans]") {
  const planned at;
  const auto got = at.run_text("lasts = \"1500ms\"\nload = \"--rate 50 --operation regions\"\n"
                               "check = [\"errors = 0\", \"hits > 0\", \"unavailable > 0\"]\n"
                               "[[step]]\nat = \"500ms\"\n"
                               "inject = { point = \"region_ranking.reply\", kind = \"error\" }\n",
                               {"--json"});
  INFO(got.out << got.errors);
  CHECK(got.exit_code == 1);
  const auto report = parse_json(got.out);
  REQUIRE(report.IsObject());
  CHECK_FALSE(report["holds"].GetBool());
  REQUIRE(report["checks"].Size() == 3);
  CHECK_FALSE(report["checks"][0]["holds"].GetBool());
  CHECK(report["checks"][1]["holds"].GetBool());
  CHECK(report["checks"][2]["holds"].GetBool());
  CHECK((report["load"]["errors"]["unavailable"].GetUint64() > 10));
  for (const auto* name : {"p50", "p90", "p99", "p99.9", "p99.99", "max", "mean"})
    CHECK(report["load"]["latency_us"][name].GetDouble() > 0);
  // Nothing said that it is to be healed, and yet it is.
  CHECK(at.injected() == 0);
}

TEST_CASE("a plan that is interrupted heals what it injected and says so", "[plans]") {
  const planned at;
  const auto file = at.folder.file(
      "plan.toml", "lasts = \"10m\"\nload = \"--rate 50 --operation regions\"\n"
                   "check = [\"hits > 0\"]\n[[step]]\nat = \"0s\"\ninject = \"stuck-disk\"\n");
  for (const int signal : {SIGINT, SIGTERM}) {
    child_process running{at.words(file)};
    REQUIRE(eventually([&] { return at.injected() == 1; }));
    running.signal(signal);
    CHECK(running.exit_code() == 1);
    CHECK(contains(running.errors(), "interrupted"));
    CHECK(at.injected() == 0);
  }
}

TEST_CASE("a plan of a process that was killed leaves rules that heal by themselves", "[plans]") {
  const planned at;
  child_process running{
      at.words(at.folder.file("plan.toml", "lasts = \"20s\"\ncheck = [\"hits > 0\"]\n[[step]]\nat "
                                           "= \"0s\"\ninject = \"stuck-disk\"\n"))};
  REQUIRE(eventually([&] { return at.injected() == 1; }));
  running.signal(SIGKILL);
  const auto left =
      parse_json(ask_ops(at.of.ops(), "GET", "/faults/store.commit").body)["heals_in_s"].GetInt();
  CHECK(left > 60);
  CHECK(left <= 80);
}

/// The state of a process in /proc, such as `T` if it is stopped; `X` if it is gone.
char state_of(pid_t process) {
  std::ifstream file{"/proc/" + std::to_string(process) + "/stat"};
  std::string stat;
  std::getline(file, stat);
  const auto name_ends = stat.rfind(')');
  return name_ends == stat.npos ? 'X' : stat[name_ends + 2];
}

TEST_CASE("after a plan was killed what it paused goes on, and its load ends", "[plans]") {
  planned at;
  const auto file = at.folder.file(
      "plan.toml", "lasts = \"10m\"\nload = \"--rate 50 --operation regions\"\n"
                   "check = [\"hits = 0\"]\n[[step]]\nat = \"100ms\"\npause = \"service\"\n");
  const auto service = at.of.process().pid();
  auto words = at.words(file);
  words.insert(words.end(), {"--pid", std::to_string(service)});
  child_process running{words};
  REQUIRE(eventually([&] { return state_of(service) == 'T'; }));
  const auto own = std::to_string(running.pid());
  std::ifstream listed{"/proc/" + own + "/task/" + own + "/children"};
  const std::vector<pid_t> children{std::istream_iterator<pid_t>{listed}, {}};
  // The load, and a guard of the load and of the pause.
  CHECK(children.size() == 3);
  running.signal(SIGKILL);
  CHECK(eventually([&] { return state_of(service) != 'T'; }));
  for (const auto each : children)
    CHECK(eventually([&] { return state_of(each) == 'X' || state_of(each) == 'Z'; }));
}

TEST_CASE("a fault that did not hit says why, and one that ended by itself how often it did",
          "[plans]") {
  const planned at;
  const auto got = at.run_text(
      "lasts = \"4s\"\nload = \"--rate 50 --operation regions\"\n"
      "check = [\"hits.region_ranking.reply > 0\", \"hits.bucket.request = 0\"]\n"
      "[[step]]\nat = \"0s\"\ninject = \"failing-bucket\"\n"
      "[[step]]\nat = \"0s\"\ninject = { point = \"store.write\", kind = \"error\", lasts_s = 1 }\n"
      "[[step]]\nat = \"0s\"\ninject = { point = \"region_ranking.reply\", kind = \"delay\", "
      "delay_ms = 1, lasts_s = 2 }\n"
      "[[step]]\nat = \"3900ms\"\nheal = true\n");
  INFO(got.out << got.errors);
  CHECK(got.exit_code == 0);
  CHECK(contains(got.out, "bucket.request hit 0 times: this did not happen: The bucket is asked"));
  CHECK(contains(got.out, "Does the service have a bucket?"));
  CHECK(contains(got.out, "store.write hit 0 times before it ended by itself"));
  CHECK_FALSE(contains(got.out, "region_ranking.reply hit 0 times"));
}

TEST_CASE("processes are paused, resumed and killed by their names", "[plans]") {
  planned at;
  const auto got = at.run_text("lasts = \"2s\"\nload = \"--rate 50 --operation regions\"\n"
                               "check = [\"max > 300ms\", \"sent > 0\"]\n"
                               "[[step]]\nat = \"500ms\"\npause = \"one\"\n"
                               "[[step]]\nat = \"1100ms\"\nresume = \"one\"\n"
                               "[[step]]\nat = \"1300ms\"\nexpect = \"ready\"\n"
                               "[[step]]\nat = \"1400ms\"\ninject = \"slow-disk\"\n"
                               "[[step]]\nat = \"1500ms\"\nkill = \"one\"\n"
                               "[[step]]\nat = \"1600ms\"\nexpect = \"not ready\"\n"
                               "[[step]]\nat = \"1700ms\"\nheal = true\n",
                               {"--ops", "one=http://" + at.of.ops().authority(), "--pid",
                                "one=" + std::to_string(at.of.process().pid())});
  INFO(got.out << got.errors);
  CHECK(got.exit_code == 0);
  CHECK(contains(got.out, "holds   expect ready"));
  CHECK(contains(got.out, "holds   expect not ready"));
  // What was injected into it has ended with it.
  CHECK(contains(got.out, "heal: store.commit is gone with one"));
  CHECK(at.of.process().exit_code() == 128 + SIGKILL);
}

TEST_CASE("a plan that is wrong does nothing and exits with 2", "[plans]") {
  const planned at;
  const std::string head = "lasts = \"1s\"\ncheck = [\"hits = 0\"]\n[[step]]\nat = \"0s\"\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {head + "inject = \"slow-dsik\"\n", "plan.toml:5: `slow-dsik` is not a preset."},
      {head + "kill = \"service\"\n", "needs a process id. Add --pid service=PID."},
      {head + "kill = \"other\"\n", "there is no process other"},
      {"load = \"--rat 7\"\n" + head + "heal = true\n", "--rat"},
      {"load = \"--seed 7\"\n" + head + "heal = true\n", "--seed"},
      {"load = \"--stages 5:1s\"\n" + head + "heal = true\n", "--stages and --duration exclude"},
      {head + "load = \"--rate 5 --mix none.toml\"\n", "none.toml"}};
  for (const auto& [text, says] : cases) {
    for (const auto& further : {arguments{}, arguments{"--dry-run"}}) {
      // Processes are named on the command line, which a dry run does not read.
      if (!further.empty() && contains(text, "kill")) continue;
      const auto got = at.run_text(text, further);
      INFO(got.out << got.errors);
      CHECK(got.exit_code == 2);
      CHECK(contains(got.errors, says));
    }
  }
  CHECK(at.run_text(head + "inject = \"slow-disk\"\n", {"--dry-run"}).out ==
        at.folder.path("plan.toml") +
            ": (seed 1)\n   0.0 s  inject store.commit: delay 50..200 ms\n   1.0 s  end\n"
            "check   hits = 0\n");
  CHECK(at.injected() == 0);
}

} // namespace
} // namespace matchcloud::faults
