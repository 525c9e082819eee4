#include "app/client/ops_plane_options.hpp"
#include "app/plans/plan_run.hpp"
#include "base/failure.hpp"
#include "cli/print.hpp"
#include "model/json/record.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

namespace matchcloud::app {

namespace {

struct run_options {
  ops_plane_options ops;
  /// `NAME=URL` each.
  std::vector<std::string> planes;
  /// `NAME=PID` or `NAME=FILE` each; without a name, for the only service.
  std::vector<std::string> pids;
  /// The folder of script/cluster; empty: none.
  std::string cluster;
  std::string load_url;
  std::string load_program;
  std::string file;
  std::optional<std::uint64_t> seed;
  bool json = false;
  bool dry_run = false;
};

/// `NAME=VALUE`; the name is empty if there is no `=`.
std::pair<std::string, std::string> named_value(const std::string& text) {
  const auto at = text.find('=');
  if (at == text.npos) return {"", text};
  return {text.substr(0, at), text.substr(at + 1)};
}

model::http_url url_of(const std::string& text, const char* option) {
  auto url = model::parse_http_url(text);
  if (!url) cli::refuse(fmt::format("{}: \"{}\": {}", option, text, url.error().detail));
  return *std::move(url);
}

std::vector<plan_target> replicas_in(const std::string& folder) {
  std::vector<plan_target> all;
  for (int number = 1; number <= 9; ++number) {
    const auto name = fmt::format("replica-{}", number);
    const auto stem = fmt::format("{}/{}", folder, name);
    if (!std::filesystem::exists(stem + ".pid")) continue; // it is not running
    all.push_back(
        {name,
         {url_of(first_word(stem + ".ops"), "--cluster"), first_word(folder + "/token"), {}, true},
         stem + ".pid"});
  }
  if (all.empty())
    cli::refuse("--cluster: " + folder +
                " has no replica-1.pid; use the CLUSTER_FOLDER of script/cluster");
  return all;
}

std::vector<plan_target> targets_of(const run_options& options) {
  if (!options.cluster.empty()) return replicas_in(options.cluster);
  const auto usual = ops_plane_of(options.ops);
  std::vector<plan_target> all;
  for (const auto& each : options.planes) {
    const auto [name, url] = named_value(each);
    if (name.empty()) cli::refuse("--ops: \"" + each + "\" is not NAME=URL");
    all.push_back({name, usual});
    all.back().plane.url = url_of(url, "--ops");
  }
  if (all.empty()) all.push_back({"service", usual});
  return all;
}

/// The one that was given, else the one next to this program, or else the one in PATH.
std::string load_program_of(const run_options& options) {
  if (!options.load_program.empty()) return options.load_program;
  const std::string name = "matchcloud-load";
  std::error_code ignored;
  const auto beside = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / name;
  return std::filesystem::exists(beside, ignored) ? beside.string() : name;
}

/// The services and processes of the command line.
plan_world world_of(const run_options& options) {
  plan_world made{targets_of(options), options.load_url, load_program_of(options)};
  for (const auto& each : options.pids) {
    auto [name, pid] = named_value(each);
    if (name.empty() && made.targets.size() == 1) name = made.targets.front().name;
    const auto found = std::ranges::find(made.targets, name, &plan_target::name);
    if (found == made.targets.end())
      cli::refuse("--pid: there is no process " + name + ". Use NAME=PID with a name from --ops");
    found->pid = pid;
  }
  const char* cluster = std::getenv("CLUSTER_URL"); // NOLINT(concurrency-mt-unsafe): no threads yet
  const bool is_cluster = !options.cluster.empty() && cluster != nullptr;
  if (made.load_url.empty()) made.load_url = is_cluster ? cluster : "http://127.0.0.1:8080";
  url_of(made.load_url, "--load-url");
  return made;
}

/// `plans/slow-store.toml: about (seed 7)`.
std::string title_of(const plan& what) {
  return fmt::format("{}: {}{}(seed {})\n", what.file, what.about, what.about.empty() ? "" : " ",
                     what.seed);
}

/// `  2.0 s  inject store.read: delay 20..100 ms`, with its line end.
std::string step_line(const step_report& step) {
  return fmt::format("{:6.1f} s  {}\n", static_cast<double>(step.at.count()) / 1'000, step.text);
}

std::string steps_of(const plan& what) {
  auto text = title_of(what);
  for (const auto& each : what.steps)
    text += step_line({each.at, each.text});
  text += step_line({what.lasts, "end"});
  for (const auto& each : what.checks)
    text += "check   " + each.text + "\n";
  return text;
}

/// The measurements of the load, and each check with the observed value, for people.
std::string summary_of(const plan_report& report) {
  const auto& found = report.findings;
  std::string text = "\n";
  if (found.count("sent") > 0) {
    std::vector<std::string> kinds;
    for (const auto& [kind, count] : found.errors)
      if (kind != "total" && count > 0) kinds.push_back(fmt::format("{} {}", count, kind));
    text += fmt::format("load    {} sent, {} answered, {} errors", found.count("sent"),
                        found.count("answered"), found.count("errors"));
    text += kinds.empty() ? "\n" : fmt::format(" ({})\n", fmt::join(kinds, ", "));
  }
  for (const auto& [kind, example] : found.examples)
    text += "        " + example + "\n";
  for (const auto& [check, holds, seen] : report.checks)
    text += fmt::format("{}   {}{}{}\n", holds ? "holds" : "FAILS", check,
                        seen.empty() ? "" : "; seen: ", seen);
  return text;
}

std::string json_of(const plan& what, const plan_report& report) {
  const auto& found = report.findings;
  model::json_writer json;
  const auto put = [&](const char* name, const auto& value) {
    model::write(json.name(name), value);
  };
  json.object();
  put("plan", what.file);
  put("about", what.about);
  put("seed", what.seed);
  put("holds", report.holds());
  put("failure", report.failure);
  json.name("steps").array();
  for (const auto& [at, step] : report.steps) {
    json.object();
    put("at_ms", at.count());
    put("step", step);
    json.end_object();
  }
  json.end_array();
  put("hits", found.count("hits"));
  put("restarts", found.count("restarts"));
  json.name("load").object();
  put("sent", found.count("sent"));
  put("answered", found.count("answered"));
  put("errors", found.errors);
  json.name("first_errors").array();
  for (const auto& [kind, example] : found.examples)
    json.text(example);
  json.end_array().name("latency_us").object();
  for (const auto* name : {"p50", "p90", "p99", "p99.9", "p99.99", "max", "mean"}) {
    const auto us = found.latency_us(name);
    json.name(name).raw(us ? fmt::format("{:.1f}", *us) : "null");
  }
  json.end_object().end_object().name("checks").array();
  for (const auto& [check, holds, seen] : report.checks) {
    json.object();
    put("check", check);
    put("holds", holds);
    put("seen", seen);
    json.end_object();
  }
  return json.end_array().end_object().take() + "\n";
}

std::string run_file(const run_options& options, cli::command_run& in) {
  const auto what = base::value_of(read_plan(options.file, options.seed));
  const auto& until = in.until();
  check_loads(what, load_program_of(options), until);
  if (options.dry_run) return steps_of(what);
  const auto world = world_of(options);
  const auto tell = [&](const std::string& text) {
    if (!options.json) static_cast<void>(cli::print(in.name(), text));
  };
  tell(title_of(what));
  const auto found =
      run_plan(what, world, until, [&](const step_report& step) { tell(step_line(step)); });
  const auto failure = found.failure.empty() ? "" : cli::said(in.name(), found.failure);
  in.end_with(found.holds() ? cli::ok : cli::failed, failure);
  return options.json ? json_of(what, found) : summary_of(found);
}

constexpr const char* run_help =
    "Runs a plan: a TOML file with timed steps and with checks. Steps inject and heal faults, "
    "kill, pause and resume processes, and change the load from matchcloud-load. docs/faults.md "
    "describes the format; plans/ has examples.\n\n"
    "However the plan ends, its faults are healed and its paused processes resumed. If this "
    "program is killed, its load ends, paused processes resume at once, and the faults heal by "
    "themselves a minute after the plan's end.\n\n";

constexpr const char* run_examples =
    "\n\nExit codes: 0 all checks hold, 1 a check fails or the plan could not be carried out "
    "(stderr says why), 2 wrong command line or plan.\n\n"
    "Example: matchcloud fault run plans/slow-store.toml\n"
    "Example: matchcloud fault run kill.toml --pid $(pidof matchcloud)\n"
    "Example: script/cluster --once sh -c 'matchcloud fault run kill.toml --cluster "
    "$CLUSTER_FOLDER'";

void add_run(CLI::App& command, run_options& options) {
  command.add_option("PLAN", options.file, "The plan's file.")
      ->required()
      ->check(cli::named_file());
  command.add_option("--seed", options.seed, "A seed to use instead of the plan's.");
  command.add_flag("--json", options.json, "Print the results as JSON.");
  command.add_flag("--dry-run", options.dry_run,
                   "Print the steps and their times without running them.");
  add_ops_plane_options(command, options.ops);
  command.add_option("--ops", options.planes,
                     "NAME=URL: an ops plane, and the name of its process in the plan; repeatable. "
                     "Without it there is one process, named service.");
  command.add_option("--pid", options.pids,
                     "NAME=PID, or NAME=FILE with a file that contains the id, for steps that send "
                     "signals; repeatable.");
  command
      .add_option("--cluster", options.cluster,
                  "The CLUSTER_FOLDER of script/cluster: its replicas are replica-1, replica-2 ..")
      ->check(CLI::ExistingDirectory);
  command.add_option("--load-url", options.load_url,
                     "The service that receives the load. Default: http://127.0.0.1:8080, or with "
                     "--cluster CLUSTER_URL from the environment.");
  command
      .add_option(
          "--load-program", options.load_program,
          "The matchcloud-load to run. Default: the one next to this program, or else in PATH.")
      ->check(cli::named_file());
}

} // namespace

cli::commands fault_run_command() {
  return {cli::command_with<run_options>(
      "fault run", "Run a plan of faults and report whether its checks hold.",
      std::string{run_help} + ops_plane_help + run_examples, add_run, run_file)};
}

} // namespace matchcloud::app
