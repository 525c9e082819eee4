#include "cli/command_line.hpp"
#include "cli/empty_variables.hpp"
#include "cli/terminal_text.hpp"
#include "load/compare/comparison.hpp"
#include "load/find/find.hpp"
#include "load/reports/reporting.hpp"
#include "load/run.hpp"

#include <csignal>
#include <exception>
#include <iostream>

namespace {

using namespace matchcloud;

/// Reports why there is no result. Returns the exit code.
int give_up(const base::error& why) {
  load::complain(why.detail);
  return why.code == base::errc::config_invalid ? cli::usage : cli::failed;
}

int find(const load::options& options, const cli::interrupt& signals, load::reporting& reports) {
  const auto found = load::find_capacity(options, signals);
  if (!found) return give_up(found.error());
  const bool good = reports.write(found->shown_options, found->shown, &*found);
  if (!found->failure.empty()) {
    load::complain(found->failure);
    return cli::failed;
  }
  if (found->kept_rate > 0) return good ? cli::ok : cli::failed;
  load::complain("no rate was found that keeps the promise of --find");
  return cli::failed;
}

/// Compares two reports. Only a slower run has exit code 1, so that a build can distinguish it from
/// runs that could not be compared (2).
int compare(const load::options& options) {
  const auto give_up_on = [](const base::error& why) {
    load::complain(why.detail);
    return cli::usage;
  };
  const auto a = load::read_run(options.compared[0]);
  if (!a) return give_up_on(a.error());
  const auto b = load::read_run(options.compared[1]);
  if (!b) return give_up_on(b.error());
  const auto made = load::compare(*a, *b, options.tolerance, options.seed);
  if (!made) return give_up_on(made.error());
  const cli::interrupt signals;
  const auto text = load::compare_text(*a, *b, *made, options.tolerance);
  (options.json == "-" ? std::cerr : std::cout) << text << std::flush;
  if (auto written =
          load::write_file(options.json, signals,
                           [&] { return load::compare_json(*a, *b, *made, options.tolerance); });
      !written)
    return give_up_on(written.error());
  return made->has(load::compared_verdict::slower) ? cli::failed : cli::ok;
}

int run(const load::options& options) {
  if (!options.compared.empty()) return compare(options);
  const cli::interrupt signals;
  load::reporting reports{options, signals};
  if (auto ready = reports.begin(); !ready) return give_up(ready.error());
  if (!options.promised.empty()) return find(options, signals, reports);
  const auto results = load::run(options, signals);
  if (!results) return give_up(results.error());
  return reports.write(options, *results, nullptr) ? cli::ok : cli::failed;
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
    const auto options = load::read_options(argc, argv);
    return options ? run(*options) : options.error();
  } catch (const std::exception& failure) {
    load::complain(failure.what());
    return cli::failed;
  }
}
