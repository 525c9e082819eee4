#include "load/reports/reporting.hpp"

#include "base/build_info.hpp"
#include "base/clock.hpp"
#include "base/failure.hpp"
#include "cli/bearer_tokens.hpp"
#include "cli/print.hpp"
#include "load/assertion.hpp"
#include "load/report.hpp"
#include "model/json/json_writer.hpp"
#include "model/json/members.hpp"
#include "model/net/http_url.hpp"

#include <httplib.h>
#include <spdlog/fmt/fmt.h>

#include <sys/utsname.h>

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

namespace matchcloud::load {

namespace {

/// The name of the processor from the kernel, or else its architecture.
std::string processor_name(const std::string& architecture) {
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto at = line.find(": ");
    if (at != std::string::npos) return line.substr(at + 2);
  }
  return architecture;
}

std::size_t usable_cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set))
                                                       : 0;
}

/// Writes the machine and the program that made a run.
void write_machine(model::json_writer& json) {
  utsname names{};
  ::uname(&names);
  write(json.name("machine").object(),
        {{"host", std::string_view{names.nodename}},
         {"processor", processor_name(names.machine)},
         {"cores", usable_cores()},
         {"kernel", std::string{names.sysname} + " " + names.release},
         {"version", describe(base::built())}});
  json.end_object();
}

constexpr std::chrono::seconds patience{5};
/// The most points that a service returns.
constexpr double points_limit = 3'600;
/// How long the service may take to record the last second.
constexpr std::chrono::seconds settling{3};
constexpr std::chrono::milliseconds look_again{200};

[[noreturn]] void fail(const std::string& why) {
  throw base::failure{base::errc::io_failed, why};
}

} // namespace

service_view parse_history(std::string_view answer, std::int64_t began_ms) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(
      answer.data(), answer.size());
  const bool is_json = !document.HasParseError();
  const auto* const points = is_json ? model::member_array(document, "points") : nullptr;
  if (points == nullptr)
    fail("the response to GET /v1/history has no points; is this an ops plane of matchcloud?");
  service_view made{std::string{answer}};
  if (!points->Empty()) {
    const auto& last = (*points)[points->Size() - 1];
    made.ends = (model::member_number(last, "at") - static_cast<double>(began_ms) +
                 model::member_number(last, "covers_ms")) /
                1e3;
  }
  return made;
}

service_watch::service_watch(std::string url, const std::string& token_file, std::string ca_file)
    : url_{std::move(url)}, ca_file_{std::move(ca_file)} {
  if (const auto parsed = model::parse_http_url(url_); !parsed)
    throw base::failure{base::errc::config_invalid,
                        "--ops: " + url_ + ": " + parsed.error().detail};
  while (url_.ends_with('/'))
    url_.pop_back();
  const auto tokens = base::value_of(cli::read_bearer_tokens(token_file)).tokens;
  if (!tokens.empty()) token_ = tokens.front();
  const auto now = std::to_string(base::machine_clock().unix_ms());
  const auto answer = ask("/v1/history?step=1&from=" + now);
  if (const auto read = base::attempt([&] { return parse_history(answer, 0); }); !read)
    fail("--ops " + url_ + ": " + read.error().detail);
}

std::string service_watch::ask(const std::string& path) const {
  const auto to = base::value_of(model::parse_http_url(url_ + path));
  const auto client =
      to.secure ? std::unique_ptr<httplib::ClientImpl>{std::make_unique<httplib::SSLClient>(
                      to.host, to.port)}
                : std::make_unique<httplib::ClientImpl>(to.host, to.port);
  if (!ca_file_.empty()) client->set_ca_cert_path(ca_file_);
  client->set_connection_timeout(patience);
  client->set_read_timeout(patience);
  client->set_write_timeout(patience);
  if (!token_.empty()) client->set_bearer_token_auth(token_);
  const auto answer = client->Get(to.target);
  if (!answer) fail("--ops " + url_ + " cannot be reached: " + httplib::to_string(answer.error()));
  if (answer->status == 200) return answer->body;
  const bool is_refused = answer->status == 401 || answer->status == 403;
  fail(fmt::format("--ops {} returns {} to GET {}. {}", url_, answer->status,
                   path.substr(0, path.find('?')),
                   is_refused ? "Use a viewer or admin token with --ops-token-file."
                              : "Use the URL of the service's ops plane."));
}

service_view service_watch::view(std::int64_t began_ms, double seconds,
                                 const cli::interrupt& signals) const {
  const auto step = std::max(1.0, std::ceil((seconds + 2) / points_limit));
  const auto end_ms = began_ms + static_cast<std::int64_t>(seconds * 1e3);
  const auto path =
      fmt::format("/v1/history?step={:.0f}&from={}&to={}", step, began_ms, end_ms + 1'000);
  const auto until = base::machine_clock().now() + settling;
  while (true) {
    auto made = parse_history(ask(path), began_ms);
    if (made.ends >= seconds || base::machine_clock().now() >= until || !signals.wait(look_again)) {
      return made;
    }
  }
}

std::string html_page(std::string_view run) {
  // In JSON, `<` is only in texts. Escaped there, it can neither end the element nor begin a
  // comment, in which the end of the element would count as text.
  std::string escaped;
  for (const char each : run)
    if (each == '<')
      escaped += "\\u003c";
    else
      escaped += each;
  constexpr std::string_view mark = "{run}";
  std::string page{page_template};
  return page.replace(page.find(mark), mark.size(), escaped);
}

namespace {

std::string json_of(const options& asked, const results& of, const found_capacity* found,
                    const service_view* service) {
  return json_report(asked, of, [&](model::json_writer& json) {
    write_machine(json);
    if (found != nullptr) write_find(json, asked, *found);
    if (service == nullptr) return;
    json.name("service").object().name("history").raw(service->history).end_object();
  });
}

} // namespace

void complain(const std::string& why) {
  cli::say("matchcloud-load", why);
}

std::optional<cli::output_file> open_output(const std::string& file,
                                            const cli::interrupt& signals) {
  if (file.empty()) return std::nullopt;
  auto output = base::value_of(cli::output_file::open(file));
  base::value_of(output.begin(signals));
  return output;
}

void write_all(cli::output_file& to, const std::string& text) {
  base::value_of(to.write(text));
  base::value_of(to.complete());
}

reporting::reporting(const options& options, const cli::interrupt& signals)
    : options_{&options},
      signals_{&signals},
      json_{open_output(options.json, signals)},
      page_{open_output(options.report, signals)} {
  if (!options.ops_url.empty())
    watch_.emplace(options.ops_url, options.ops_token_file, options.ca_file);
}

bool reporting::write(const options& asked, const results& of, const found_capacity* found) {
  bool good = true;
  const auto note = [&good](const std::string& why) {
    complain(why);
    good = false;
  };
  // If stdout carries a report for programs, the one for people goes to stderr.
  const bool is_taken = options_->json == "-" || options_->report == "-";
  auto& people = is_taken ? std::cerr : std::cout;
  people << text_report(asked, of) << (found != nullptr ? find_report(asked, *found) : "")
         << std::flush;
  if (!people) note("cannot write to stdout");
  const auto attempt = [&note](const auto& work) {
    if (const auto done = base::attempt(work); !done) note(done.error().detail);
  };
  std::optional<service_view> seen;
  attempt([&] {
    if (!watch_) return;
    const double end = of.moments.empty()
                           ? std::chrono::duration<double>{asked.ramp}.count() + of.seconds
                           : of.moments.back().seconds;
    seen = watch_->view(of.began_ms, end, *signals_);
  });
  const auto json = json_ || page_ ? json_of(asked, of, found, seen ? &*seen : nullptr) : "";
  attempt([&] {
    if (json_) write_all(*json_, json);
  });
  attempt([&] {
    if (page_) write_all(*page_, html_page(json));
  });
  for (const auto& each : asked.asserted)
    if (!holds(each, of)) note("assertion failed: " + explain(each, of));
  if (of.all.intended() == 0) note("nothing was measured");
  return good;
}

} // namespace matchcloud::load
