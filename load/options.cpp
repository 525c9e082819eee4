#include "load/options.hpp"

#include "base/build_info.hpp"
#include "base/characters.hpp"
#include "cli/bearer_tokens.hpp"
#include "cli/ca_file.hpp"
#include "cli/command_line.hpp"
#include "cli/completion.hpp"
#include "cli/man_page.hpp"
#include "cli/parsing.hpp"
#include "cli/print.hpp"
#include "cli/token_options.hpp"
#include "http/wire/field_line.hpp"
#include "load/duration.hpp"
#include "load/help.hpp"
#include "model/net/http_url.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

namespace matchcloud::load {

namespace {

/// The same as the longest --duration. In longer logs, a single line may be from another time than
/// the rest.
constexpr std::chrono::hours longest_replay{24};

constexpr const char* description =
    "matchcloud-load: sends requests to a matchcloud service, or any HTTP server, and measures "
    "how long replies take.\n\n"
    "Open loop: requests are sent at a given rate, regardless of earlier replies, and each is\n"
    "measured from the time it was due. --closed sends as fast as replies arrive.";

/// The options that CLI11 reads as text; `complete` converts them.
struct written {
  double rate = 0;
  std::string duration = "10s";
  std::string ramp = "0s";
  std::string timeout = "10s";
  std::string repeat_503 = "0s";
  std::string arrivals = "constant";
  bool closed = false;
  std::string mix;
  std::string operation;
  std::string token_file;
  std::vector<std::string> asserted;
  std::string stages;
  std::vector<std::string> promised;
  std::string find_limit = "20m";
  std::string replay;
  double replay_speed = 1;
  bool has_duration = false;
  std::string tolerance = "5%";
};

CLI::Validator duration_check() {
  return {[](const std::string& text) {
            return parse_duration(text)
                       ? std::string{}
                       : "\"" + text + "\" is not a duration; use one such as 10s, 250ms or 2m";
          },
          "DURATION"};
}

CLI::Validator header_line() {
  return {[](const std::string& text) -> std::string {
            const auto field = http::parse_field_line(text);
            // The line may contain a secret, so the message does not repeat it.
            if (!field) return "it is not a header; write 'Name: value'";
            const bool is_own = base::equal_ignoring_case(field->name, "host") ||
                                http::find_framing_field(field->name) != http::framing_field::none;
            return !is_own
                       ? ""
                       : std::string{field->name} + " is set by the program itself; leave it out";
          },
          "HEADER"};
}

/// Reads `5%` as 0.05; from 0 to 1000 %.
std::optional<double> parse_percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = code == std::errc{} && end == text.data() + text.size();
  return is_number && value >= 0 && value <= 1'000 ? std::optional{value / 100} : std::nullopt;
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& row : http::operations)
    if (!row.load_name.empty()) names.emplace_back(row.load_name);
  return names;
}

/// Adds a flag that prints the result of `make` and exits. The help does not show it.
void add_print_flag(CLI::App& program, const std::string& name,
                    std::string (*make)(const CLI::App&)) {
  program
      .add_flag_callback(name,
                         [&program, make] {
                           if (cli::print("matchcloud-load", make(program))) throw CLI::Success{};
                           throw CLI::RuntimeError{cli::failed};
                         })
      ->group("");
}

std::string completion_of(const CLI::App& program) {
  return cli::bash_completion(program, "matchcloud-load --completion");
}

std::string man_page_of(const CLI::App& program) {
  return cli::man_page(program, cli::all_commands(program).front(), cli::man_page_facts_of_build());
}

void add_load(CLI::App& program, options& to, written& text) {
  program.add_option("URL", to.url,
                     "The service: http:// or https://HOST:PORT, with its base path if any.");
  program.add_option("--rate", text.rate, "Requests per second, over all threads (open loop).")
      ->check(CLI::Range(0.01, rate_limit));
  auto* arrivals =
      program.add_option("--arrivals", text.arrivals,
                         "constant: at equal intervals; poisson: independent of each other.");
  cli::set_choices(*arrivals, {"constant", "poisson"})->capture_default_str();
  program
      .add_flag("--closed", text.closed,
                "Each connection sends its next request as soon as the reply arrives: for "
                "throughput.")
      ->excludes(arrivals);
  auto* duration =
      program.add_option("--duration", text.duration, "How long to send and measure requests.")
          ->check(duration_check())
          ->capture_default_str();
  auto* ramp =
      program
          .add_option("--ramp", text.ramp,
                      "How long to send before that without measuring; the rate rises from 0 "
                      "(open loop).")
          ->check(duration_check())
          ->capture_default_str();
  program
      .add_option("--stages", text.stages,
                  "The rate over time, instead of --rate and --duration: '1k:10s,1k..5k:30s', or a "
                  "TOML file; see below.")
      ->excludes(duration)
      ->excludes(ramp);
  program
      .add_option(
          "--find", text.promised,
          "Searches for the highest rate at which these assertions hold: 'p99<5ms,errors=0'. "
          "Starts at --rate (1000); each measurement takes --duration.")
      ->allow_extra_args(false);
  program
      .add_option("--find-limit", text.find_limit,
                  "Ends the search after this time, with the result so far.")
      ->check(duration_check())
      ->capture_default_str();
  program.add_option("--connections", to.connections, "Connections, over all threads.")
      ->check(CLI::Range(std::size_t{1}, connections_limit))
      ->capture_default_str();
  program.add_option("--threads", to.threads, "Threads that send, each with its own event loop.")
      ->check(CLI::Range(std::size_t{1}, threads_limit))
      ->capture_default_str();
  program
      .add_option("--requests-per-connection", to.requests_per_connection,
                  "Closes a connection after this many requests; 1: a new one for each request, 0: "
                  "never.")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000}))
      ->capture_default_str();
  program
      .add_option("--sources", to.sources,
                  "Connects from this many addresses of 127.1.0.0/16; 0: the system chooses one.")
      ->check(CLI::Range(std::size_t{0}, sources_limit))
      ->capture_default_str();
  program
      .add_option("--ca-file", to.ca_file,
                  "A PEM file with the certificate authorities to trust for https, instead of the "
                  "system's. Default: the file in MATCHCLOUD_CA_FILE, if set.")
      ->envname(cli::ca_file_variable)
      ->check(CLI::ExistingFile);
  program.add_flag("--resume-sessions", to.resumes_sessions,
                   "New connections resume TLS sessions, as browsers do. Otherwise each makes a "
                   "full handshake.");
  program
      .add_option("--timeout", text.timeout,
                  "The longest that a request may take after it is sent.")
      ->check(duration_check())
      ->capture_default_str();
  program
      .add_option("--repeat-503", text.repeat_503,
                  "Repeats a request that gets 503 with Retry-After four times a second, until "
                  "this long after its due time.")
      ->check(duration_check())
      ->capture_default_str();
}

void add_requests_and_reports(CLI::App& program, options& to, written& text) {
  auto* mix = program.add_option("--mix", text.mix, "A file with the requests to send; see below.");
  program
      .add_option("--operation", text.operation,
                  "Sends only this operation, without a mix file (regions).")
      ->type_name(cli::choices_text(operation_names()))
      ->excludes(mix)
      ->check([](const std::string& name) {
        return find_operation(name) ? std::string{}
                                    : "\"" + name + "\" is not an operation; see below";
      });
  auto* replay = program.add_option(
      "--replay", text.replay,
      "An access log whose requests are replayed at their times, instead of a rate and a mix; see "
      "below.");
  program
      .add_option("--replay-speed", text.replay_speed,
                  "The speed relative to the log: 2 halves the times between requests.")
      ->check(CLI::Range(0.001, 1'000.0))
      ->needs(replay)
      ->capture_default_str();
  program.add_option("--header", to.header_lines, "An additional header line; may be repeated.")
      ->allow_extra_args(false)
      ->check(header_line());
  cli::add_token_options(program, text.token_file,
                         "A file with bearer tokens to send, or - for stdin; see below. Default: "
                         "the token in MATCHCLOUD_TOKEN, if set.");
  program
      .add_option("--seed", to.seed,
                  "The seed of everything that is generated or chosen at random.")
      ->capture_default_str();
  program.add_option("--json", to.json, "Writes the results as JSON to a file; - is stdout.");
  program.add_option(
      "--hdr", to.hdr,
      "Writes the distribution of latencies in the format of HdrHistogram; - is stdout.");
  program.add_option("--report", to.report,
                     "Writes a self-contained HTML page with charts of the run; - is stdout.");
  auto* ops = program.add_option("--ops", to.ops_url,
                                 "The service's ops plane, http:// or https://HOST:PORT. Adds the "
                                 "service's own view of the run to --report and --json.");
  program
      .add_option("--ops-token-file", to.ops_token_file,
                  "A file with the bearer token for --ops. Default: the token in MATCHCLOUD_TOKEN, "
                  "if set.")
      ->check(CLI::ExistingFile)
      ->needs(ops);
  program
      .add_option("--assert", text.asserted,
                  "Assertions that must hold; otherwise the exit code is 1.")
      ->allow_extra_args(false);
}

void add_comparison(CLI::App& program, options& to, written& text) {
  auto* compare =
      program
          .add_option("--compare", to.compared,
                      "Compares two reports of --json instead of sending requests: for each "
                      "operation, whether the second run is slower.")
          ->expected(2)
          ->type_name("FILE")
          ->check(CLI::ExistingFile);
  for (const char* const name : {"--rate", "--closed", "--stages", "--find", "--mix", "--operation",
                                 "--assert", "--hdr", "--report"})
    compare->excludes(program.get_option(name));
  program
      .add_option("--tolerance", text.tolerance,
                  "For --compare: smaller differences are ignored, such as 5%.")
      ->needs(compare)
      ->capture_default_str()
      ->check([](const std::string& given) {
        return parse_percent(given)
                   ? std::string{}
                   : "\"" + given + "\" is not a percentage; use one such as 5% or 0.5%";
      });
}

template <class Duration>
Duration duration_of(const std::string& text) {
  return std::chrono::duration_cast<Duration>(
      parse_duration(text).value_or(std::chrono::nanoseconds{0}));
}

std::string check_url(std::string& url) {
  const auto parsed = model::parse_http_url(url);
  if (!parsed) return parsed.error().detail;
  if (parsed->target.find('?') != std::string::npos) return "the URL must not have a query";
  return {};
}

bool is_authorization(const std::string& line) {
  const auto field = http::parse_field_line(line);
  return field && base::equal_ignoring_case(field->name, "authorization");
}

/// Whether a part of the mix has its own Authorization header.
bool authorizes(const mix_part& part) {
  const auto has = [](const request_form& form) {
    return std::ranges::any_of(form.headers, [](const auto& each) {
      return base::equal_ignoring_case(each.name, "authorization");
    });
  };
  if (const auto* request = std::get_if<any_request>(&part.any)) return has(request->form);
  const auto* flow = std::get_if<any_flow>(&part.any);
  return flow != nullptr &&
         std::ranges::any_of(flow->steps.steps, [&](const auto& step) { return has(step.form); });
}

/// Reads the tokens. Returns what is wrong with them, or nothing (empty).
std::string read_tokens(options& to, const std::string& file) {
  auto read = cli::read_bearer_tokens(file);
  if (!read) return read.error().detail;
  if (!read->warning.empty()) cli::say("matchcloud-load", read->warning);
  to.tokens = std::move(read->tokens);
  if (!to.tokens.empty() && std::ranges::any_of(to.mix, authorizes))
    return "both the mix and " +
           (file.empty() ? std::string{cli::token_variable} : "--token-file") +
           " set an Authorization header; leave one out";
  if (to.tokens.empty() || std::ranges::none_of(to.header_lines, is_authorization)) return {};
  return "both --header and " + (file.empty() ? std::string{cli::token_variable} : "--token-file") +
         " set an Authorization header; leave one out";
}

/// Returns what is wrong with the options about when requests are due, or nothing (empty).
std::string check_loop(const written& text) {
  if (!text.replay.empty()) {
    const bool is_alone = !text.closed && text.rate == 0 && text.stages.empty() &&
                          text.promised.empty() && text.mix.empty() && text.operation.empty() &&
                          duration_of<std::chrono::nanoseconds>(text.ramp).count() == 0;
    return is_alone ? ""
                    : "--replay has its own requests and times; leave out --rate, --stages, "
                      "--find, --closed, --ramp, --mix and --operation";
  }
  if (text.closed) {
    if (text.rate > 0) return "--closed and --rate exclude each other; use one of them";
    if (!text.stages.empty()) return "--closed and --stages exclude each other; use one of them";
    return text.promised.empty() ? "" : "--closed and --find exclude each other; use one of them";
  }
  if (!text.stages.empty() && text.rate > 0) return "--stages has its own rates; leave out --rate";
  if (!text.stages.empty() && !text.promised.empty())
    return "--find and --stages exclude each other; use one of them";
  if (text.rate == 0 && text.stages.empty() && text.promised.empty())
    return "needs --rate N, --stages, --find or --closed";
  return {};
}

/// Reads assertions into `to`. Returns what is wrong with them, or nothing (empty).
std::string read_assertions(const std::string& option, const std::vector<std::string>& texts,
                            std::vector<assertion>& to) {
  for (const auto& each : texts) {
    auto read = parse_assertions(each);
    if (!read) return option + ": " + read.error().detail;
    std::ranges::move(*read, std::back_inserter(to));
  }
  return {};
}

/// Reads the log to replay. Returns what is wrong with it, or nothing (empty).
std::string read_replay(options& to, const written& text) {
  auto log = replay_log::read(text.replay, text.replay_speed);
  if (!log) return "--replay: " + log.error().detail;
  to.replay = std::make_shared<const replay_log>(*std::move(log));
  // Includes the last request, unless the duration ends the replay earlier.
  const auto whole = to.replay->entries().back().at + std::chrono::nanoseconds{1};
  if (whole > longest_replay && !text.has_duration)
    return "--replay: the requests of " + text.replay +
           " span more than a day; add --duration, or a higher --replay-speed";
  to.duration = text.has_duration ? std::min(whole, to.duration) : whole;
  return {};
}

/// Completes the options about when requests are due. Returns what is wrong, or nothing (empty).
std::string complete_loop(options& to, const written& text) {
  to.find_limit = duration_of<std::chrono::nanoseconds>(text.find_limit);
  if (auto wrong = read_assertions("--find", text.promised, to.promised); !wrong.empty())
    return wrong;
  if (text.closed) return {};
  if (!text.replay.empty()) return read_replay(to, text);
  const auto kind = text.arrivals == "poisson" ? arrival_kind::poisson : arrival_kind::constant;
  to.open_loop = arrivals::shape{kind, text.rate, to.ramp};
  if (text.stages.empty()) return {};
  auto stages = read_stages(text.stages);
  if (!stages) return "--stages: " + stages.error().detail;
  to.duration = length_of(*stages);
  to.open_loop->rate = peak_of(*stages);
  to.open_loop->stages = *std::move(stages);
  return {};
}

/// Completes the options. Returns what is wrong with them, or nothing (empty).
std::string complete(options& to, const written& text) {
  to.tolerance = parse_percent(text.tolerance).value_or(0);
  if (!to.compared.empty())
    return to.url.empty() ? "" : "--compare takes two reports and no URL; leave out " + to.url;
  if (to.url.empty()) return "needs the URL of a service, such as http://127.0.0.1:8080";
  if (auto wrong = check_url(to.url); !wrong.empty()) return to.url + ": " + wrong;
  if (auto wrong = check_loop(text); !wrong.empty()) return wrong;
  to.duration = duration_of<std::chrono::nanoseconds>(text.duration);
  to.ramp = duration_of<std::chrono::nanoseconds>(text.ramp);
  to.timeout = duration_of<std::chrono::milliseconds>(text.timeout);
  to.repeat_503 = duration_of<std::chrono::milliseconds>(text.repeat_503);
  if (to.duration.count() == 0) return "--duration must be greater than 0";
  if (to.timeout.count() == 0) return "--timeout must be at least 1ms";
  if (to.threads > to.connections) return "--connections must be at least as high as --threads";
  if (auto wrong = complete_loop(to, text); !wrong.empty()) return wrong;
  if (to.replay) {
    // The log has the requests.
  } else if (text.mix.empty()) {
    to.mix = single_mix(find_operation(text.operation).value_or(http::operation::list_regions));
  } else {
    auto mix = read_mix(text.mix);
    if (!mix) return mix.error().detail;
    to.mix = *std::move(mix);
  }
  if (auto wrong = read_tokens(to, text.token_file); !wrong.empty()) return wrong;
  if (auto wrong = read_assertions("--assert", text.asserted, to.asserted); !wrong.empty())
    return wrong;
  if (!to.ops_url.empty() && to.report.empty() && to.json.empty())
    return "--ops needs --report or --json; add one of them";
  const auto reports = {to.json, to.hdr, to.report};
  const bool several = std::ranges::count(reports, "-") > 1;
  return several ? "only one of --json, --hdr and --report can be stdout" : "";
}

} // namespace

tl::expected<options, int> read_options(int argc, char* argv[]) {
  options made;
  written text;
  CLI::App program{description, "matchcloud-load"};
  program.footer(help_text);
  add_load(program, made, text);
  add_requests_and_reports(program, made, text);
  add_comparison(program, made, text);
  program.set_version_flag("-V,--version", "matchcloud-load " + base::describe(base::built()),
                           "Print the version and exit.");
  add_print_flag(program, "--completion", completion_of);
  add_print_flag(program, "--man", man_page_of);
  if (const auto ended = cli::parse_command_line(program, argc, argv))
    return tl::unexpected<int>(*ended);
  text.has_duration = program.count("--duration") > 0;
  if (auto wrong = complete(made, text); !wrong.empty())
    return tl::unexpected<int>(cli::report_usage(program, std::move(wrong)));
  return made;
}

} // namespace matchcloud::load
