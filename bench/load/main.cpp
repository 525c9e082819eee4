#include "app/commands.hpp"
#include "app/output_file.hpp"
#include "bench/load/run.hpp"

#include <csignal>
#include <exception>
#include <iostream>

namespace {

using namespace matchcloud;

/// Whether it was written; else stderr says why.
bool write_report(const std::string& file, const std::string& text, const app::interrupt& signals) {
  if (file.empty()) return true;
  auto done = [&]() -> base::expected<void> {
    auto output = app::output_file::open(file);
    if (!output) return tl::unexpected(output.error());
    if (auto begun = output->begin(signals); !begun) return begun;
    if (auto written = output->write(text); !written) return written;
    return output->complete();
  }();
  if (!done) std::cerr << "matchcloud-load: " << done.error().detail << "\n";
  return done.has_value();
}

/// The exit code.
int report(const load::options& asked, const load::results& of, const app::interrupt& signals) {
  // Where stdout is for programs, people read stderr.
  auto& people = asked.json == "-" || asked.hdr == "-" ? std::cerr : std::cout;
  people << load::text_report(asked, of) << std::flush;
  bool good = write_report(asked.json, load::json_report(asked, of), signals);
  good = write_report(asked.hdr, load::hdr_report(of.all.latency), signals) && good;
  for (const auto& each : asked.asserted) {
    if (load::holds(each, of)) continue;
    std::cerr << "matchcloud-load: does not hold: " << load::explain(each, of) << "\n";
    good = false;
  }
  if (of.all.sent == 0) {
    std::cerr << "matchcloud-load: nothing was measured\n";
    good = false;
  }
  return good ? app::ok : app::failed;
}

} // namespace

int main(int argc, char* argv[]) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto asked = load::read_options(argc, argv);
    if (!asked) return asked.error();
    const app::interrupt signals;
    const auto results = load::run(*asked, signals);
    if (results) return report(*asked, *results, signals);
    std::cerr << "matchcloud-load: " << results.error().detail << "\n";
  } catch (const std::exception& failure) {
    std::cerr << "matchcloud-load: " << failure.what() << "\n";
  }
  return app::failed;
}
