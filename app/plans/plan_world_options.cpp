#include "app/plans/plan_world_options.hpp"

#include "cli/bounded_input.hpp"
#include "cli/command_line.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace matchcloud::app {

namespace {

constexpr const char* usual_load_url = "http://127.0.0.1:8080";
constexpr const char* cluster_url_variable = "CLUSTER_URL";
constexpr std::size_t line_limit_bytes = 4'096;

using named = std::pair<std::string, std::string>;

/// `NAME=VALUE`; the name is empty if there is no `=`.
named named_value(const std::string& text) {
  const auto at = text.find('=');
  if (at == std::string::npos) return {"", text};
  return {text.substr(0, at), text.substr(at + 1)};
}

/// The first line of a file. Throws a CLI::ValidationError.
std::string first_line(const std::string& file) {
  const auto content = cli::read_bounded_file(file, line_limit_bytes);
  if (!content) throw CLI::ValidationError{"--cluster", file + ": " + content.error().detail};
  return content->substr(0, content->find_first_of("\r\n"));
}

model::http_url url_of(const std::string& text, const std::string& option) {
  auto url = model::parse_http_url(text);
  if (!url) throw CLI::ValidationError{option, "\"" + text + "\": " + url.error().detail};
  return *std::move(url);
}

void add_cluster(plan_world& to, const std::string& folder) {
  const auto token = first_line(folder + "/token");
  for (int number = 1; number <= 9; ++number) {
    const auto name = "replica-" + std::to_string(number);
    const auto stem = (std::filesystem::path{folder} / name).string();
    if (!std::filesystem::exists(stem + ".pid")) continue; // it is not running
    to.targets.push_back(
        {name, {url_of(first_line(stem + ".ops"), "--cluster"), token, {}, true}, stem + ".pid"});
  }
  if (to.targets.empty())
    throw CLI::ValidationError{
        "--cluster", folder + " has no replica-1.pid; use the CLUSTER_FOLDER of script/cluster"};
}

void add_planes(plan_world& to, const plan_world_options& options) {
  const auto usual = ops_plane_of(options.ops);
  for (const auto& each : options.planes) {
    const auto [name, url] = named_value(each);
    if (name.empty()) throw CLI::ValidationError{"--ops", "\"" + each + "\" is not NAME=URL"};
    auto plane = usual;
    plane.url = url_of(url, "--ops");
    to.targets.push_back({name, std::move(plane), {}});
  }
  if (to.targets.empty()) to.targets.push_back({"service", usual, {}});
}

void add_pids(plan_world& to, const plan_world_options& options) {
  for (const auto& each : options.pids) {
    auto [name, pid] = named_value(each);
    if (name.empty() && to.targets.size() == 1) name = to.targets.front().name;
    const auto found = std::ranges::find(to.targets, name, &plan_target::name);
    if (found == to.targets.end())
      throw CLI::ValidationError{"--pid", "there is no process " + name +
                                              ". Use NAME=PID with a name from --ops"};
    found->pid = pid;
  }
}

} // namespace

void add_plan_world_options(CLI::App& command, plan_world_options& options) {
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

plan_world plan_world_of(const plan_world_options& options) {
  plan_world made;
  if (!options.cluster.empty())
    add_cluster(made, options.cluster);
  else
    add_planes(made, options);
  add_pids(made, options);
  const char* cluster =
      std::getenv(cluster_url_variable); // NOLINT(concurrency-mt-unsafe): no threads yet
  const bool is_cluster = !options.cluster.empty() && cluster != nullptr;
  made.load_url =
      options.load_url.empty() ? (is_cluster ? cluster : usual_load_url) : options.load_url;
  url_of(made.load_url, "--load-url");
  made.load_program = options.load_program.empty() ? usual_load_program() : options.load_program;
  return made;
}

} // namespace matchcloud::app
