#include "load/options.hpp"

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
#include "model/net/http_url.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iostream>
#include <iterator>
#include <utility>

namespace matchcloud::load {

namespace {

constexpr double rate_limit = 10'000'000;

constexpr const char* description =
    "matchcloud-load: sends requests to a matchcloud service and measures how long replies "
    "take.\n\n"
    "Open loop: requests are sent at a rate, whatever becomes of earlier ones, and each is\n"
    "measured from when it was meant to be sent. --closed sends as fast as replies come.";

constexpr const char* help_text =
    "Example: matchcloud-load --rate 20000 --duration 10s --connections 64 "
    "--assert 'p99<5ms,errors=0' http://127.0.0.1:8080\n\n"
    "A mix file (TOML) has a table for each operation:\n"
    "  [[operation]]\n"
    "  name = \"regions\"   # or avatars, export, groups.validate, games.validate,\n"
    "                     # versions.validate\n"
    "  weight = 70        # its share of the requests, to the sum of all (1)\n"
    "  clients = 10000    # X-Forwarded-For: so many made from the seed, 0 for none, or a file\n"
    "                     # with an address per line (regions: 10000, others: none)\n"
    "  bodies = 100       # so many made from the seed, or a file or [files]: a JSON text each,\n"
    "                     # or a text per line (*.jsonl) (100)\n"
    "  game = \"UUID\"      # in the path (the demo's)\n"
    "  from_ms, to_ms, length_ms   # exports: spans of this length anywhere in from..to\n"
    "  status = 200       # the status that replies must have\n"
    "  findings = 0       # how many findings a validation must have (any number)\n"
    "Files are looked for beside the mix file.\n\n"
    "Assertions compare (<, <=, =, !=, >=, >) p50 .. p99.99, max, mean with durations, and errors, "
    "a kind of error, late, sent, answered, repeated, rate, status.503 with numbers. Each request "
    "is answered or an error, never both: a reply with another status or with wrong content is an "
    "error, which rate and latencies leave out and status.NNN counts.\n\n"
    "A file of tokens has one per line; blank lines and those that begin with # are ignored. "
    "Connection i uses token i for all its requests, counted in a circle. No report contains "
    "tokens.\n\n"
    "Exit codes: 0 done and all assertions hold, 1 one does not, or nothing could be measured "
    "(stderr says why), 2 wrong command line or mix file.";

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
};

CLI::Validator duration_text() {
  return {[](const std::string& text) {
            return parse_duration(text) ? std::string{}
                                        : "\"" + text + "\" is no duration: write 10s, 250ms or 2m";
          },
          "DURATION"};
}

CLI::Validator header_line() {
  return {[](const std::string& text) -> std::string {
            const auto field = http::parse_field_line(text);
            // The line may hold a secret, so it is not repeated.
            if (!field) return "it is no header: write 'Name: value'";
            const bool is_own = base::equal_ignoring_case(field->name, "host") ||
                                http::find_framing_field(field->name) != http::framing_field::none;
            return !is_own ? "" : std::string{field->name} + " is written by the program itself";
          },
          "HEADER"};
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& row : http::operations)
    if (!row.load_name.empty()) names.emplace_back(row.load_name);
  return names;
}

/// Adds a flag that prints what `make` returns and ends. The help does not show it.
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
  program
      .add_option("URL", to.url,
                  "The service: http:// or https://HOST:PORT, with its base path if any.")
      ->required();
  program
      .add_option("--rate", text.rate, "Requests per second of all threads together (open loop).")
      ->check(CLI::Range(0.01, rate_limit));
  auto* arrivals =
      program.add_option("--arrivals", text.arrivals,
                         "constant: at equal distances; poisson: independent of each other.");
  cli::set_choices(*arrivals, {"constant", "poisson"})->capture_default_str();
  program
      .add_flag("--closed", text.closed,
                "Each connection sends the next request when it has its reply: for throughput.")
      ->excludes(arrivals);
  program.add_option("--duration", text.duration, "How long requests are sent and measured.")
      ->check(duration_text())
      ->capture_default_str();
  program
      .add_option("--ramp", text.ramp,
                  "Before that, sent but not measured: the rate rises from nothing (open loop).")
      ->check(duration_text())
      ->capture_default_str();
  program.add_option("--connections", to.connections, "Of all threads together.")
      ->check(CLI::Range(std::size_t{1}, connections_limit))
      ->capture_default_str();
  program.add_option("--threads", to.threads, "Event loops that send.")
      ->check(CLI::Range(std::size_t{1}, threads_limit))
      ->capture_default_str();
  program
      .add_option("--requests-per-connection", to.requests_per_connection,
                  "Closes a connection after so many; 1: a new one for each request. 0: never.")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000}))
      ->capture_default_str();
  program
      .add_option("--sources", to.sources,
                  "Connects from so many addresses of 127.1.0.0/16. 0: from one.")
      ->check(CLI::Range(std::size_t{0}, sources_limit))
      ->capture_default_str();
  program
      .add_option("--ca-file", to.ca_file,
                  "A file with certificates in PEM of the authorities to trust with https instead "
                  "of the system's. Without it the environment's MATCHCLOUD_CA_FILE names it, if "
                  "any.")
      ->envname(cli::ca_file_variable)
      ->check(CLI::ExistingFile);
  program.add_flag("--resume-sessions", to.resumes_sessions,
                   "Has new connections resume TLS sessions, as browsers do. Otherwise each makes "
                   "a full handshake.");
  program.add_option("--timeout", text.timeout, "What a request may take, from when it is sent.")
      ->check(duration_text())
      ->capture_default_str();
  program
      .add_option("--repeat-503", text.repeat_503,
                  "For how long, from when it was due, a request that gets 503 with Retry-After is "
                  "sent again, four times a second.")
      ->check(duration_text())
      ->capture_default_str();
}

void add_requests_and_reports(CLI::App& program, options& to, written& text) {
  auto* mix = program.add_option("--mix", text.mix, "A file that says what is asked; see below.");
  program
      .add_option("--operation", text.operation,
                  "Only this operation, without a mix file (regions).")
      ->type_name(cli::choices_text(operation_names()))
      ->excludes(mix)
      ->check([](const std::string& name) {
        return find_operation(name) ? std::string{} : "\"" + name + "\" is no operation; see below";
      });
  program.add_option("--header", to.header_lines, "A further header line; may be repeated.")
      ->allow_extra_args(false)
      ->check(header_line());
  cli::add_token_options(program, text.token_file,
                         "A file with bearer tokens to send, or - for stdin; see below. Without it "
                         "the token in the environment's MATCHCLOUD_TOKEN is sent, if any.");
  program.add_option("--seed", to.seed, "What is made and chosen follows from it.")
      ->capture_default_str();
  program.add_option("--json", to.json, "Writes the results as JSON to a file; - is stdout.");
  program.add_option(
      "--hdr", to.hdr,
      "Writes the distribution of latencies as HdrHistogram prints it; - is stdout.");
  program.add_option("--assert", text.asserted, "What must hold, else the exit code is 1.")
      ->allow_extra_args(false);
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

/// Reads the tokens. Returns what is wrong with them, or nothing (empty).
std::string read_tokens(options& to, const std::string& file) {
  auto read = cli::read_bearer_tokens(file);
  if (!read) return read.error().detail;
  if (!read->warning.empty()) std::cerr << "matchcloud-load: " << read->warning << "\n";
  to.tokens = std::move(read->tokens);
  if (to.tokens.empty() || std::ranges::none_of(to.header_lines, is_authorization)) return {};
  return "--header gives an Authorization, and so does " +
         (file.empty() ? std::string{cli::token_variable} : "--token-file") + "; leave one out";
}

/// Completes the options. Returns what is wrong with them, or nothing (empty).
std::string complete(options& to, const written& text) {
  if (auto wrong = check_url(to.url); !wrong.empty()) return to.url + ": " + wrong;
  if (text.closed == (text.rate > 0))
    return text.closed ? "--closed has no --rate" : "needs --rate N, or --closed";
  to.duration = duration_of<std::chrono::nanoseconds>(text.duration);
  to.ramp = duration_of<std::chrono::nanoseconds>(text.ramp);
  to.timeout = duration_of<std::chrono::milliseconds>(text.timeout);
  to.repeat_503 = duration_of<std::chrono::milliseconds>(text.repeat_503);
  if (to.duration.count() == 0) return "--duration must be more than nothing";
  if (to.timeout.count() == 0) return "--timeout must be at least 1ms";
  if (to.threads > to.connections) return "--connections must be at least as many as --threads";
  if (!text.closed) {
    const auto kind = text.arrivals == "poisson" ? arrival_kind::poisson : arrival_kind::constant;
    to.open_loop = arrivals::shape{kind, text.rate, to.ramp};
  }
  if (text.mix.empty()) {
    to.mix = single_mix(find_operation(text.operation).value_or(http::operation::list_regions));
  } else {
    auto mix = read_mix(text.mix);
    if (!mix) return mix.error().detail;
    to.mix = *std::move(mix);
  }
  if (auto wrong = read_tokens(to, text.token_file); !wrong.empty()) return wrong;
  for (const auto& each : text.asserted) {
    auto asserted = parse_assertions(each);
    if (!asserted) return "--assert: " + asserted.error().detail;
    std::ranges::move(*asserted, std::back_inserter(to.asserted));
  }
  const bool both = to.json == "-" && to.hdr == "-";
  return both ? "--json and --hdr cannot both be stdout" : "";
}

} // namespace

tl::expected<options, int> read_options(int argc, char* argv[]) {
  options made;
  written text;
  CLI::App program{description, "matchcloud-load"};
  program.footer(help_text);
  add_load(program, made, text);
  add_requests_and_reports(program, made, text);
  add_print_flag(program, "--completion", completion_of);
  add_print_flag(program, "--man", man_page_of);
  if (const auto ended = cli::parse_command_line(program, argc, argv))
    return tl::unexpected<int>(*ended);
  if (auto wrong = complete(made, text); !wrong.empty())
    return tl::unexpected<int>(cli::report_usage(program, std::move(wrong)));
  return made;
}

} // namespace matchcloud::load
