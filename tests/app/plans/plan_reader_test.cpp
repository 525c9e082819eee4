#include "app/plans/plan.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"

#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {
namespace {

using std::chrono::milliseconds;

base::expected<plan> parsed(const std::string& text, std::optional<std::uint64_t> seed = {}) {
  return parse_plan(text, "dir/x.toml", seed);
}

constexpr const char* whole_plan = R"(about = "All there is."
seed = 9
lasts = "10s"
load = ["--rate", "5", "--mix", "mix.toml"]
check = ["errors = 0", "p99 < 10ms from 1s after healing"]

[[step]]
at = "6s"
heal = "store.read"

[[step]]
at = "2s"
inject = { point = "store.read", kind = "delay", delay_ms = [5, 20] }
on = ["a", "b"]

[[step]]
at = "3s"
inject = "full-disk"

[[step]]
at = "3s"
stop = "a"

[[step]]
at = "4s"
pause = "b"

[[step]]
at = "5s"
resume = "b"

[[step]]
at = "7s"
load = "--rate 50"

[[step]]
at = "8s"
expect = "not ready"

[[step]]
at = "9s"
heal = true
)";

TEST_CASE("a plan is read with all that it says, in the order of its times") {
  const auto read = parsed(whole_plan);
  INFO((read ? std::string{} : read.error().detail));
  REQUIRE(read);
  CHECK(read->about == "All there is.");
  CHECK(read->seed == 9);
  CHECK(read->lasts == milliseconds{10'000});
  CHECK(read->checks.size() == 2);
  CHECK(read->has(step_action::load));
  std::vector<std::string> texts;
  for (const auto& each : read->steps)
    texts.push_back(std::to_string(each.at.count()) + " " + each.text);
  CHECK(texts == std::vector<std::string>{
                     "0 load --rate 5 --mix dir/mix.toml", "2000 inject store.read: delay 5..20 ms",
                     "3000 inject store.write: full", "3000 stop a", "4000 pause b",
                     "5000 resume b", "6000 heal store.read", "7000 load --rate 50",
                     "8000 expect not ready", "9000 heal"});
  CHECK(read->steps[1].on == std::vector<std::string>{"a", "b"});
  CHECK(read->steps[1].rule.most_delay == milliseconds{20});
  CHECK(read->steps[3].signal == SIGTERM);
  CHECK(read->steps[4].signal == SIGSTOP);
  CHECK(read->steps[5].signal == SIGCONT);
  const auto moments = read->moments();
  CHECK(moments.injecting == milliseconds{2'000});
  CHECK(moments.healing == milliseconds{9'000});
  CHECK(moments.ended == milliseconds{9'000});
}

TEST_CASE("a fault has ended when it is healed, by itself, or with the plan") {
  const auto ended = [](const std::string& steps) {
    return parsed("lasts = \"10s\"\ncheck = [\"hits = 0\"]\n[[step]]\nat = \"2s\"\n"
                  "inject = { point = \"store.read\", kind = \"error\", " +
                  steps)
        ->moments()
        .ended;
  };
  const std::string heal = "[[step]]\nat = \"7s\"\nheal = ";
  CHECK(ended("lasts_s = 3 }\n" + heal + "true\n") == milliseconds{5'000});
  CHECK(ended("lasts_s = 60 }\n" + heal + "true\n") == milliseconds{7'000});
  CHECK(ended("once = true }\n" + heal + "\"store.read\"\n") == milliseconds{7'000});
  CHECK(ended("once = true }\n" + heal + "\"store.write\"\n") == milliseconds{10'000});
  CHECK(ended("once = true }\n" + heal + "true\non = \"a\"\n") == milliseconds{10'000});
  CHECK(ended("once = true }\non = [\"a\", \"a\"]\n" + heal + "true\non = \"a\"\n") ==
        milliseconds{7'000});
  CHECK(ended("once = true }\n") == milliseconds{10'000});
}

TEST_CASE("a mix is looked for next to the plan, however the option is written") {
  const std::string rest =
      "lasts = \"10s\"\ncheck = [\"hits = 0\"]\n[[step]]\nat = \"1s\"\nheal = true\n";
  for (const std::string mix : {"--mix mix.toml", "--mix=mix.toml"}) {
    const auto read = parsed("load = \"--rate 5 " + mix + "\"\n" + rest);
    INFO((read ? std::string{} : read.error().detail));
    REQUIRE(read);
    CHECK(read->steps.front().load.back().ends_with("dir/mix.toml"));
  }
}

TEST_CASE("a word of a load that is no option can end like one that reads from stdin") {
  CHECK(parsed("load = [\"--rate\", \"5\", \"--header\", \"X-A: b=-\"]\nlasts = \"10s\"\n"
               "check = [\"hits = 0\"]\n[[step]]\nat = \"1s\"\nheal = true\n"));
}

TEST_CASE("the seed chooses a time of a span, and the same one again") {
  const std::string text = "lasts = \"10s\"\ncheck = [\"hits = 0\"]\n[[step]]\nat = \"2s..4s\"\n"
                           "inject = \"slow-disk\"\n";
  std::set<milliseconds> times;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto at = parsed(text, seed)->steps.front().at;
    CHECK(at == parsed(text, seed)->steps.front().at);
    CHECK(at >= milliseconds{2'000});
    CHECK(at <= milliseconds{4'000});
    times.insert(at);
  }
  CHECK(times.size() > 10);
}

TEST_CASE("a wrong plan is refused with its line and what to write") {
  const std::string head = "lasts = \"10s\"\ncheck = [\"hits = 0\"]\n[[step]]\nat = \"1s\"\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"x", "dir/x.toml:1: "},
      {"lats = \"1s\"", "dir/x.toml:1: A plan has no `lats`. Did you mean `lasts`?"},
      {"about = \"x\"", "`lasts` must be a time of at most a day"},
      {"lasts = 7", "dir/x.toml:1: `lasts` must be a time"},
      {"lasts = \"1s\"\nseed = -1", "dir/x.toml:2: `seed` must be a number"},
      {"lasts = \"1s\"", "A plan needs steps: tables `[[step]]`"},
      {"lasts = \"1s\"\n[step]\nat = \"1s\"", "with two brackets"},
      {"lasts = \"1s\"\nload = 7", "dir/x.toml:2: `load` must be options of matchcloud-load"},
      {"lasts = \"1s\"\nload = [7]", "or a list of strings"},
      {"lasts = \"1s\"\nload = \"--seed 7\"", "The plan itself gives --seed"},
      {"lasts = \"1s\"\nload = \"--assert=errors=0\"", "The plan itself gives --assert"},
      {"lasts = \"1s\"\nload = \"--token-file=-\"", "cannot read from stdin"},
      {"lasts = \"1s\"\nload = \"--token-file -\"", "cannot read from stdin"},
      {"lasts = \"1s\"\n[[step]]\nheal = true", "dir/x.toml:2: `at` must be a time such as"},
      {"lasts = \"1s\"\n[[step]]\nat = \"2s\"\nheal = true", "after the end of the plan"},
      {"lasts = \"1s\"\n[[step]]\nat = \"soon\"\nheal = true", "`at` must be a time such as"},
      {"lasts = \"1s\"\n[[step]]\nat = \"1s\"\nheal = true", "A plan needs checks"},
      {head, "This step does nothing. Add one of inject, heal, kill"},
      {head + "heal = true\ninject = \"slow-disk\"", "Split it into two steps"},
      {head + "heel = true", "dir/x.toml:5: A step has no `heel`. Did you mean `heal`?"},
      {head + "heal = 7", "`heal` must be true"},
      {head + "heal = \"store.raed\"", "Did you mean `store.read`?"},
      {head + "kill = \"a\"\nsignal = \"TERM\"", "A step has no `signal`."},
      {head + "inject = \"slow-dsik\"",
       "dir/x.toml:5: `slow-dsik` is not a preset. Did you mean `slow-disk`?"},
      {head + "inject = { kind = \"error\" }", "a rule with its point"},
      {head + "inject = { point = \"store.read\", kind = \"crash\" }", "has no fault crash"},
      {head + "kill = 7", "`kill` must be the name of a process"},
      {head + "heal = true\non = []", "`on` must be the name of a process"},
      {head + "kill = \"a\"\non = \"b\"", "`on` is only for inject, heal and expect"},
      {head + "expect = \"happy\"", "\"ready\" or \"not ready\""},
      {"lasts = \"9s\"\ncheck = \"hits = 0\"\n[[step]]\nat = \"1s\"\nheal = true",
       "dir/x.toml:2: A plan needs checks: a list of strings"},
      {"lasts = \"9s\"\ncheck = [\n\"hits = 0\",\n\"hist = 0\"]\n[[step]]\nat = \"1s\"\nheal = "
       "true",
       "dir/x.toml:4: `hist` cannot be checked. Did you mean `hits`?"},
      {"lasts = \"9s\"\ncheck = [\"errors = 0\"]\n[[step]]\nat = \"1s\"\nheal = true",
       "is about the load, and the plan has none"}};
  for (const auto& [text, says] : cases) {
    CAPTURE(text);
    const auto read = parsed(text);
    REQUIRE_FALSE(read);
    CAPTURE(read.error().detail);
    CHECK(read.error().code == base::errc::config_invalid);
    CHECK(read.error().detail.starts_with("dir/x.toml:"));
    CHECK(read.error().detail.find(says) != std::string::npos);
  }
  CHECK(read_plan("/nowhere/x.toml", {}).error().detail.starts_with("/nowhere/x.toml: "));
}

TEST_CASE("the plans of plans/ are read, inject something and heal it") {
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator{fixtures::source_path("plans")}) {
    const auto file = entry.path().string();
    if (file.ends_with("players.toml") || file.ends_with("exports.toml")) continue;
    CAPTURE(file);
    const auto one = read_plan(file, {});
    INFO((one ? std::string{} : one.error().detail));
    REQUIRE(one);
    CHECK(one->moments().injecting < one->moments().healing);
    CHECK(one->moments().healing < one->lasts);
    CHECK(one->about.ends_with('.'));
    ++read;
  }
  CHECK(read == 5);
}

} // namespace
} // namespace matchcloud::app
