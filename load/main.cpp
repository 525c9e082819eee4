#include "cli/command_line.hpp"
#include "cli/empty_variables.hpp"
#include "cli/output_file.hpp"
#include "load/report.hpp"
#include "load/run.hpp"

#include <csignal>
#include <exception>
#include <iostream>
#include <optional>

namespace {

using namespace matchcloud;

/// A report for programs. Its file is opened before the load begins, so that a missing directory is
/// reported then and not after an hour of load.
class report_file {
public:
  /// Opens `file`; if it is empty, no report is wanted and `write` does nothing.
  base::expected<void> open(const std::string& file, const cli::interrupt& signals) {
    if (file.empty()) return {};
    auto opened = cli::output_file::open(file);
    if (!opened) return tl::unexpected(opened.error());
    output_.emplace(*std::move(opened));
    return output_->begin(signals);
  }

  base::expected<void> write(const std::string& text) {
    if (!output_) return {};
    if (auto written = output_->write(text); !written) return written;
    return output_->complete();
  }

private:
  std::optional<cli::output_file> output_;
};

void complain(const std::string& why) {
  std::cerr << "matchcloud-load: " << why << std::endl;
}

/// Writes all reports. Returns whether they were written, all assertions hold and something was
/// measured.
bool report(const load::options& options, const load::results& of, report_file& json,
            report_file& hdr) {
  // If stdout carries a report for programs, the one for people goes to stderr.
  auto& people = options.json == "-" || options.hdr == "-" ? std::cerr : std::cout;
  people << load::text_report(options, of) << std::flush;
  bool good = static_cast<bool>(people);
  if (!good) complain("stdout cannot be written");
  for (const auto& written :
       {json.write(load::json_report(options, of)), hdr.write(load::hdr_report(of.all.latency))}) {
    if (written) continue;
    complain(written.error().detail);
    good = false;
  }
  for (const auto& each : options.asserted) {
    if (load::holds(each, of)) continue;
    complain("does not hold: " + load::explain(each, of));
    good = false;
  }
  if (of.all.intended() == 0) {
    complain("nothing was measured");
    good = false;
  }
  return good;
}

int run(const load::options& options) {
  const cli::interrupt signals;
  report_file json;
  report_file hdr;
  auto ready = json.open(options.json, signals);
  if (ready) ready = hdr.open(options.hdr, signals);
  if (!ready) {
    complain(ready.error().detail);
    return cli::failed;
  }
  const auto results = load::run(options, signals);
  if (results) return report(options, *results, json, hdr) ? cli::ok : cli::failed;
  complain(results.error().detail);
  return results.error().code == base::errc::config_invalid ? cli::usage : cli::failed;
}

} // namespace

int main(int argc, char* argv[]) {
  std::signal(SIGPIPE, SIG_IGN);
  // Scripts send these to every process of a name.
  std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGUSR2, SIG_IGN);
  cli::forget_empty_variables();
  try {
    const auto options = load::read_options(argc, argv);
    return options ? run(*options) : options.error();
  } catch (const std::exception& failure) {
    complain(failure.what());
    return cli::failed;
  }
}
