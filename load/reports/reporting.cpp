#include "load/reports/reporting.hpp"

#include "cli/print.hpp"
#include "load/assertion.hpp"
#include "load/report.hpp"
#include "load/reports/html_page.hpp"
#include "load/reports/report_subject.hpp"
#include "model/json/json_writer.hpp"

#include <chrono>
#include <iostream>

namespace matchcloud::load {

namespace {

bool hold(const options& asked, const results& of) {
  bool all = true;
  for (const auto& each : asked.asserted) {
    if (holds(each, of)) continue;
    complain("assertion failed: " + explain(each, of));
    all = false;
  }
  if (of.all.intended() > 0) return all;
  complain("nothing was measured");
  return false;
}

void write_machine(model::json_writer& json, const machine& of) {
  json.name("machine").object().name("host").text(of.host);
  json.name("processor").text(of.processor).name("cores").number(of.cores);
  json.name("kernel").text(of.kernel).name("version").text(of.version).end_object();
}

std::string json_of(const report_subject& about) {
  return json_report(*about.asked, *about.of, [&about](model::json_writer& json) {
    write_machine(json, about.on);
    if (about.found != nullptr) write_find(json, *about.asked, *about.found);
    if (about.service == nullptr) return;
    json.name("service").object().name("faults").number(about.service->faults);
    json.name("history").raw(about.service->history).end_object();
  });
}

base::expected<void> write_to(std::optional<cli::output_file>& output, const std::string& text) {
  if (!output) return {};
  if (auto written = output->write(text); !written) return written;
  return output->complete();
}

} // namespace

void complain(const std::string& why) {
  cli::say("matchcloud-load", why);
}

base::expected<void> write_file(const std::string& file, const cli::interrupt& signals,
                                const std::function<std::string()>& make) {
  if (file.empty()) return {};
  auto output = cli::output_file::open(file);
  if (!output) return tl::unexpected(output.error());
  if (auto begun = output->begin(signals); !begun) return begun;
  if (auto written = output->write(make()); !written) return written;
  return output->complete();
}

base::expected<void> reporting::open(std::optional<cli::output_file>& output,
                                     const std::string& file) {
  if (file.empty()) return {};
  auto opened = cli::output_file::open(file);
  if (!opened) return tl::unexpected(opened.error());
  output.emplace(*std::move(opened));
  return output->begin(*signals_);
}

base::expected<void> reporting::begin() {
  if (auto ready = open(json_, options_->json); !ready) return ready;
  if (auto ready = open(hdr_, options_->hdr); !ready) return ready;
  if (auto ready = open(page_, options_->report); !ready) return ready;
  if (options_->ops_url.empty()) return {};
  auto watch = service_watch::open(options_->ops_url, options_->ops_token_file, options_->ca_file);
  if (!watch) return tl::unexpected(watch.error());
  watch_.emplace(*std::move(watch));
  return {};
}

bool reporting::write_text(const report_subject& about) const {
  // If stdout carries a report for programs, the one for people goes to stderr.
  const bool is_taken = options_->json == "-" || options_->hdr == "-" || options_->report == "-";
  auto& people = is_taken ? std::cerr : std::cout;
  people << text_report(*about.asked, *about.of);
  if (about.found != nullptr) people << find_report(*about.asked, *about.found);
  people << std::flush;
  if (!people) complain("cannot write to stdout");
  return static_cast<bool>(people);
}

bool reporting::write_files(const report_subject& about) {
  bool good = true;
  const auto json = json_ || page_ ? json_of(about) : std::string{};
  for (const auto& written :
       {write_to(json_, json),
        write_to(hdr_, hdr_ ? hdr_report(about.of->all.latency) : std::string{}),
        write_to(page_, page_ ? html_page(json) : std::string{})}) {
    if (written) continue;
    complain(written.error().detail);
    good = false;
  }
  return good;
}

bool reporting::write(const options& asked, const results& of, const found_capacity* found) {
  report_subject about{&asked, &of, found, nullptr, this_machine()};
  bool good = write_text(about);
  std::optional<service_view> seen;
  if (watch_) {
    const double end = of.moments.empty()
                           ? std::chrono::duration<double>{asked.ramp}.count() + of.seconds
                           : of.moments.back().seconds;
    auto view = watch_->view(of.began_ms, end, *signals_);
    if (view)
      seen.emplace(*std::move(view));
    else
      complain(view.error().detail);
    good = good && seen;
  }
  about.service = seen ? &*seen : nullptr;
  good = write_files(about) && good;
  return hold(asked, of) && good;
}

} // namespace matchcloud::load
