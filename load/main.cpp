#include "base/failure.hpp"
#include "cli/command_line.hpp"
#include "cli/parsing.hpp"
#include "cli/terminal_text.hpp"
#include "load/compare.hpp"
#include "load/reports/reporting.hpp"
#include "load/run.hpp"

#include <csignal>
#include <exception>
#include <iostream>

namespace {

using namespace matchcloud;

int find(const load::options& options, const cli::interrupt& signals, load::reporting& reports) {
  const auto found = load::find_capacity(
      options, [&signals](const load::options& with) { return load::run(with, signals); });
  const bool good = reports.write(found.shown_options, found.shown, &found);
  if (!found.problem.empty()) load::complain(found.problem);
  return good && found.problem.empty() ? cli::ok : cli::failed;
}

int compare(const load::options& options) {
  const auto a = load::read_run(options.compared[0]);
  const auto b = load::read_run(options.compared[1]);
  const auto made = load::compare(a, b, options.tolerance, options.seed);
  const cli::interrupt signals;
  (options.json == "-" ? std::cerr : std::cout)
      << load::compare_text(a, b, made, options.tolerance) << std::flush;
  if (auto json = load::open_output(options.json, signals))
    load::write_all(*json, load::compare_json(a, b, made, options.tolerance));
  const bool is_worse = made.has(load::compared_verdict::slower) || made.has_more_errors;
  return is_worse ? cli::failed : cli::ok;
}

int run(const load::options& options) {
  if (!options.compared.empty()) return compare(options);
  const cli::interrupt signals;
  load::reporting reports{options, signals};
  if (!options.promised.empty()) return find(options, signals, reports);
  return reports.write(options, load::run(options, signals), nullptr) ? cli::ok : cli::failed;
}

/// Runs the program. Returns its exit code.
int run(int argc, char* argv[]) {
  const auto options = load::read_options(argc, argv);
  if (!options) return options.error();
  try {
    return run(*options);
  } catch (const base::failure& failure) {
    load::complain(failure.what());
    // Of --compare, 1 says that a run is slower, so that a build can distinguish it from runs that
    // could not be compared.
    const bool is_usage =
        failure.why().code == base::errc::config_invalid || !options->compared.empty();
    return is_usage ? cli::usage : cli::failed;
  }
}

} // namespace

int main(int argc, char* argv[]) {
  std::signal(SIGPIPE, SIG_IGN);
  // Scripts send these signals to every process with a certain name.
  std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGUSR2, SIG_IGN);
  const cli::terminal_filter out{std::cout};
  const cli::terminal_filter errors{std::cerr};
  cli::forget_empty_variables();
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    load::complain(failure.what());
    return cli::failed;
  }
}
