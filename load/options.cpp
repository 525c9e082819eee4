#include "load/options.hpp"

#include "base/build_info.hpp"
#include "base/characters.hpp"
#include "base/failure.hpp"
#include "cli/bearer_tokens.hpp"
#include "cli/ca_file.hpp"
#include "cli/command_line.hpp"
#include "cli/completion.hpp"
#include "cli/man_page.hpp"
#include "cli/parsing.hpp"
#include "cli/print.hpp"
#include "http/wire/message_lines.hpp"
#include "load/text.hpp"
#include "model/net/http_url.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
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

/// The text of `--help` below the options: the mix file, logs, stages, assertions, exit codes.
constexpr const char* help_text =
    "Example: matchcloud-load --rate 20000 --duration 10s --connections 64 "
    "--assert 'p99<5ms,errors=0' http://127.0.0.1:8080\n\n"
    "A mix file (TOML) has a table for each request:\n"
    "  [[request]]\n"
    "  name = \"item\"      # in the results\n"
    "  weight = 10        # its share of the requests, relative to the sum of all weights (1)\n"
    "  method = \"PUT\"     # (GET)\n"
    "  path = \"/items/{int:1-1000}?id={uuid}\"\n"
    "  headers = { X-Kind = \"{pick:a,b,c}\", X-Forwarded-For = \"{address}\" }\n"
    "  body = '{\"name\":\"{line}\"}'   # or body_file = \"FILE\"; JSON without a Content-Type\n"
    "  lines = \"names\"    # the file whose next line replaces {line}\n"
    "  variables = { begin = \"{ago:0-60000}\", length = \"5\" }   # milliseconds since 1970;\n"
    "                     # elsewhere {begin}, {length}, {begin+length}\n"
    "  variants = 100     # this many are generated before the run (100, or one per line if\n"
    "                     # there are more lines; 1, or one per line, if nothing else varies)\n"
    "  expect.status = 201                # (200)\n"
    "  expect.json = { \"/item/id\" = 5 }  # JSON pointers and their values\n"
    "  expect.json_has = [\"/items/*/name\"]   # in each element\n"
    "  expect.json_count = { \"/items\" = 3 }\n"
    "  expect.json_rises = [\"/items/*/price\"]   # numbers that never fall\n"
    "  expect.header = { Content-Type = \"application/json\" }\n"
    "  expect.header_has = [\"ETag\"]\n"
    "An [[operation]] is a request of the service, with other defaults for all of these keys: its\n"
    "name is regions, avatars, export, groups.validate, games.validate or versions.validate.\n"
    "A table for each flow, a sequence of requests on one connection:\n"
    "  [[flow]]\n"
    "  name = \"export\"    # also weight, lines and variables\n"
    "  [[flow.step]]\n"
    "  name = \"ask\"       # also method, path, headers, body, body_file, expect\n"
    "  save = { url = \"/url\", tag = \"ETag\", got = \":bytes\" }   # from a JSON pointer, a\n"
    "                     # header, or the body's length: {url}, {tag}, {got} in later steps\n"
    "  cut_bytes = 400    # closes the connection after this many bytes of the body\n"
    "{{ stands for {. File names are relative to the mix file.\n\n"
    "A log to replay is the service's access log in JSON or combined format, or a combined log of "
    "nginx or Apache. Requests with bodies are left out. A reply must have the status in the log; "
    "if "
    "that is 499 or higher, any status below 500.\n\n"
    "Stages are RATE:DURATION or FROM..TO:DURATION, separated by commas; k is thousand. NAME= "
    "before "
    "one is its name in reports.\n\n"
    "Assertions compare (<, <=, =, !=, >=, >) p50 .. p99.99, max, mean with durations, and errors, "
    "a kind of error, late, sent, answered, repeated, rate, status.503 with numbers. Those about "
    "latency also demand errors=0, unless one is about errors or a status.\n\n"
    "A token file has one token per line. Connection i uses token i; after the last token, the "
    "first "
    "follows.\n\n"
    "Exit codes: 0 done and all assertions hold, 1 an assertion failed or nothing could be "
    "measured, 2 wrong command line or mix file. With --compare: 0 nothing is slower, 1 something "
    "is, or B has more errors, 2 wrong command line or reports.";

/// The options that need others, or a file, to be read.
struct written {
  double rate = 0;
  std::string arrivals = "constant";
  bool closed = false;
  std::string stages;
  std::string mix;
  std::string operation = "regions";
  std::string token_file;
  std::string replay;
  double replay_speed = 1;
};

/// What excludes an option, or what it needs.
struct rule {
  const char* option;
  std::vector<const char*> excludes;
  const char* needs = nullptr;
};

const std::vector<rule>& rules() {
  static const std::vector<rule> all{
      {"--replay", {"--rate", "--stages", "--find", "--closed", "--ramp", "--mix", "--operation"}},
      {"--closed", {"--rate", "--stages", "--find", "--arrivals"}},
      {"--stages", {"--rate", "--find", "--duration", "--ramp"}},
      {"--mix", {"--operation"}},
      {"--compare",
       {"--rate", "--closed", "--stages", "--find", "--mix", "--operation", "--assert", "--report",
        "URL"}},
      {"--tolerance", {}, "--compare"},
      {"--replay-speed", {}, "--replay"},
      {"--ops-token-file", {}, "--ops"}};
  return all;
}

/// The first rule that the command line breaks, in words; empty if there is none.
std::string broken_rule(const CLI::App& program) {
  for (const auto& [option, excludes, needs] : rules()) {
    if (program.count(option) == 0) continue;
    if (needs != nullptr && program.count(needs) == 0)
      return std::string{option} + " needs " + needs;
    for (const auto* const other : excludes)
      if (program.count(other) > 0)
        return std::string{option} + " and " + other + " exclude each other; use one of them";
  }
  return {};
}

CLI::Validator header_line() {
  return {[](const std::string& text) -> std::string {
            const auto field = http::parse_field_line(text);
            // The line may contain a secret, so the message does not repeat it.
            if (!field) return "it is not a header; write 'Name: value'";
            // One encoding cannot fit the bodies of all requests.
            return !is_own_header(field->name) &&
                           !base::equal_ignoring_case(field->name, "content-encoding")
                       ? ""
                       : std::string{field->name} + " is set by the program itself; leave it out";
          },
          "HEADER"};
}

/// Reads `5%` as 0.05; from 0 to 1000 %.
std::optional<double> parse_percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const auto value = parse_number(text.substr(0, text.size() - 1));
  return value && *value >= 0 && *value <= 1'000 ? std::optional{*value / 100} : std::nullopt;
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

/// Adds the options of a command line, each with its variable, its bounds and its help.
class option_adder {
public:
  option_adder(CLI::App& program, options& to, written& text)
      : program_{&program}, to_{&to}, text_{&text} {}

  void add_load();
  void add_connections();
  void add_requests();
  void add_reports();

private:
  template <class Duration>
  void duration(const char* name, Duration& to, const char* usual, const char* help) {
    program_
        ->add_option_function<std::string>(
            name,
            [name, &to](const std::string& given) {
              const auto read = parse_duration(given);
              if (!read)
                throw CLI::ValidationError{
                    name, "\"" + given + "\" is not a duration; use one such as 10s, 250ms or 2m"};
              to = std::chrono::duration_cast<Duration>(*read);
            },
            help)
        ->type_name("DURATION")
        ->default_str(usual);
  }
  template <class Number>
  void number(const char* name, Number& to, Number least, Number most, const char* help) {
    program_->add_option(name, to, help)->check(CLI::Range(least, most))->capture_default_str();
  }
  void assertions(const char* name, std::vector<assertion>& to, const char* help) {
    program_
        ->add_option_function<std::vector<std::string>>(
            name,
            [name, &to](const std::vector<std::string>& given) {
              for (const auto& each : given) {
                auto read = base::attempt([&] { return parse_assertions(each); });
                if (!read) throw CLI::ValidationError{name, read.error().detail};
                std::ranges::move(*read, std::back_inserter(to));
              }
            },
            help)
        ->allow_extra_args(false);
  }

  CLI::App* program_;
  options* to_;
  written* text_;
};

void option_adder::add_load() {
  program_->add_option("URL", to_->url,
                       "The service: http:// or https://HOST:PORT, with its base path if any.");
  program_->add_option("--rate", text_->rate, "Requests per second, over all threads (open loop).")
      ->check(CLI::Range(0.01, rate_limit));
  cli::set_choices(
      *program_->add_option("--arrivals", text_->arrivals,
                            "constant: at equal intervals; poisson: independent of each other."),
      {"constant", "poisson"})
      ->capture_default_str();
  program_->add_flag("--closed", text_->closed,
                     "Each connection sends its next request as soon as the reply arrives: for "
                     "throughput.");
  duration("--duration", to_->duration, "10s", "How long to send and measure requests.");
  duration("--ramp", to_->ramp, "0s",
           "How long to send before that without measuring; the rate rises from 0 (open loop).");
  program_->add_option("--stages", text_->stages,
                       "The rate over time, instead of --rate and --duration: "
                       "'1k:10s,1k..5k:30s,spike=9k:5s'; see below.");
  assertions("--find", to_->promised,
             "Searches for the highest rate at which these assertions hold: 'p99<5ms,errors=0'. "
             "Starts at --rate (1000); each measurement takes --duration.");
  duration("--find-limit", to_->find_limit, "20m",
           "Ends the search after this time, with the result so far.");
}

void option_adder::add_connections() {
  number("--connections", to_->connections, std::size_t{1}, connections_limit,
         "Connections, over all threads.");
  number("--threads", to_->threads, std::size_t{1}, threads_limit,
         "Threads that send, each with its own event loop.");
  number("--requests-per-connection", to_->requests_per_connection, std::uint64_t{0},
         std::uint64_t{1'000'000'000},
         "Closes a connection after this many requests; 1: a new one for each request, 0: never.");
  number("--sources", to_->sources, std::size_t{0}, sources_limit,
         "Connects from this many addresses of 127.1.0.0/16; 0: the system chooses one.");
  program_
      ->add_option("--ca-file", to_->ca_file,
                   "A PEM file with the certificate authorities to trust for https, instead of the "
                   "system's. Default: the file in MATCHCLOUD_CA_FILE, if set.")
      ->envname(cli::ca_file_variable)
      ->check(CLI::ExistingFile);
  program_->add_flag("--resume-sessions", to_->resumes_sessions,
                     "New connections resume TLS sessions, as browsers do. Otherwise each makes a "
                     "full handshake.");
  duration("--timeout", to_->timeout, "10s",
           "The longest that a request may take after it is sent.");
  duration("--repeat-503", to_->repeat_503, "0s",
           "Repeats a request that gets 503 with Retry-After four times a second, until this long "
           "after its due time.");
}

void option_adder::add_requests() {
  program_->add_option("--mix", text_->mix, "A file with the requests to send; see below.");
  cli::set_choices(
      *program_->add_option("--operation", text_->operation,
                            "Sends only this operation, without a mix file (regions)."),
      operation_names());
  program_->add_option("--replay", text_->replay,
                       "An access log whose requests are replayed at their times, instead of a "
                       "rate and a mix; see below.");
  number("--replay-speed", text_->replay_speed, 0.001, 1'000.0,
         "The speed relative to the log: 2 halves the times between requests.");
  program_->add_option("--header", to_->header_lines, "An additional header line; may be repeated.")
      ->allow_extra_args(false)
      ->check(header_line());
  cli::add_token_options(*program_, text_->token_file,
                         "A file with bearer tokens to send, or - for stdin; see below. Default: "
                         "the token in MATCHCLOUD_TOKEN, if set.");
  program_
      ->add_option("--seed", to_->seed,
                   "The seed of everything that is generated or chosen at random.")
      ->capture_default_str();
}

void option_adder::add_reports() {
  program_->add_option("--json", to_->json, "Writes the results as JSON to a file; - is stdout.");
  program_->add_option("--report", to_->report,
                       "Writes a self-contained HTML page with charts of the run; - is stdout.");
  program_->add_option("--ops", to_->ops_url,
                       "The service's ops plane, http:// or https://HOST:PORT. Adds the service's "
                       "own view of the run to --report and --json.");
  program_
      ->add_option(
          "--ops-token-file", to_->ops_token_file,
          "A file with the bearer token for --ops. Default: the token in MATCHCLOUD_TOKEN, "
          "if set.")
      ->check(CLI::ExistingFile);
  assertions("--assert", to_->asserted, "Assertions that must hold; otherwise the exit code is 1.");
  program_
      ->add_option("--compare", to_->compared,
                   "Compares two reports of --json instead of sending requests: for each "
                   "operation, whether the second run is slower.")
      ->expected(2)
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  program_
      ->add_option_function<std::string>(
          "--tolerance",
          [to = to_](const std::string& given) {
            const auto read = parse_percent(given);
            if (!read)
              throw CLI::ValidationError{"--tolerance",
                                         "\"" + given +
                                             "\" is not a percentage; use one such as 5% or 0.5%"};
            to->tolerance = *read;
          },
          "For --compare: smaller differences are ignored, such as 5%.")
      ->default_str("5%");
}

bool is_authorization(const std::string& line) {
  const auto field = http::parse_field_line(line);
  return field && base::equal_ignoring_case(field->name, "authorization");
}

/// Whether a part of the mix has its own Authorization header.
bool authorizes(const mix_part& part) {
  return std::ranges::any_of(part.steps, [](const auto& step) {
    return std::ranges::any_of(step.form.headers, [](const auto& each) {
      return base::equal_ignoring_case(each.name, "authorization");
    });
  });
}

[[noreturn]] void refuse(const std::string& why) {
  throw base::failure{base::errc::config_invalid, why};
}

/// The result of `read`; adds the name of the option to its failure.
template <class Read>
auto of_option(const std::string& name, const Read& read) {
  auto made = base::attempt(read);
  if (!made) refuse(name + ": " + made.error().detail);
  return *std::move(made);
}

void read_tokens(options& to, const std::string& file) {
  auto read = base::value_of(cli::read_bearer_tokens(file));
  if (!read.warning.empty()) cli::say("matchcloud-load", read.warning);
  to.tokens = std::move(read.tokens);
  if (to.tokens.empty()) return;
  const auto* const other = std::ranges::any_of(to.mix, authorizes)                  ? "the mix"
                            : std::ranges::any_of(to.header_lines, is_authorization) ? "--header"
                                                                                     : nullptr;
  if (other != nullptr)
    refuse("both " + std::string{other} + " and " +
           (file.empty() ? cli::token_variable : "--token-file") +
           " set an Authorization header; leave one out");
}

void read_replay(options& to, const written& text, bool has_duration) {
  to.replay = std::make_shared<const replay_log>(
      of_option("--replay", [&] { return replay_log::read(text.replay, text.replay_speed); }));
  // Includes the last request, unless the duration ends the replay earlier.
  const auto whole = to.replay->entries.back().at + std::chrono::nanoseconds{1};
  if (whole > longest_replay && !has_duration)
    refuse("--replay: the requests of " + text.replay +
           " span more than a day; add --duration, or a higher --replay-speed");
  to.duration = has_duration ? std::min(whole, to.duration) : whole;
}

/// Reads the rate over time.
void read_arrivals(options& to, const written& text) {
  const auto kind = text.arrivals == "poisson" ? arrival_kind::poisson : arrival_kind::constant;
  to.open_loop = arrivals::shape{kind, text.rate, to.ramp};
  if (text.stages.empty()) {
    if (text.rate == 0 && to.promised.empty())
      refuse("needs --rate N, --stages, --find or --closed");
    return;
  }
  to.open_loop->stages = of_option("--stages", [&] { return read_stages(text.stages); });
  to.duration = length_of(to.open_loop->stages);
  to.open_loop->rate = peak_of(to.open_loop->stages);
}

/// Completes the options. Throws `base::failure` if they are wrong.
void complete(options& to, const written& text, const CLI::App& program) {
  if (const auto wrong = broken_rule(program); !wrong.empty()) refuse(wrong);
  if (!to.compared.empty()) return;
  imply_no_errors(to.asserted);
  imply_no_errors(to.promised);
  if (to.url.empty()) refuse("needs the URL of a service, such as http://127.0.0.1:8080");
  const auto url = of_option(to.url, [&] { return base::value_of(model::parse_http_url(to.url)); });
  if (url.target.find('?') != std::string::npos) refuse(to.url + ": the URL must not have a query");
  if (to.duration.count() == 0) refuse("--duration must be greater than 0");
  if (to.timeout.count() == 0) refuse("--timeout must be at least 1ms");
  if (to.threads > to.connections) refuse("--connections must be at least as high as --threads");
  if (!text.replay.empty())
    read_replay(to, text, program.count("--duration") > 0);
  else if (!text.closed)
    read_arrivals(to, text);
  if (text.replay.empty())
    to.mix = text.mix.empty() ? single_mix(text.operation) : read_mix(text.mix);
  read_tokens(to, text.token_file);
  if (!to.ops_url.empty() && to.report.empty() && to.json.empty())
    refuse("--ops needs --report or --json; add one of them");
  if (to.json == "-" && to.report == "-") refuse("only one of --json and --report can be stdout");
}

} // namespace

tl::expected<options, int> read_options(int argc, char* argv[]) {
  options made;
  written text;
  CLI::App program{description, "matchcloud-load"};
  program.footer(help_text);
  option_adder add{program, made, text};
  add.add_load();
  add.add_connections();
  add.add_requests();
  add.add_reports();
  program.set_version_flag("-V,--version", "matchcloud-load " + base::describe(base::built()),
                           "Print the version and exit.");
  add_print_flag(program, "--completion", [](const CLI::App& of) {
    return cli::bash_completion(of, "matchcloud-load --completion");
  });
  add_print_flag(program, "--man", [](const CLI::App& of) {
    return cli::man_page(of, cli::all_commands(of).front(), cli::man_page_facts_of_build());
  });
  if (const auto ended = cli::parse_command_line(program, argc, argv))
    return tl::unexpected<int>(*ended);
  try {
    complete(made, text, program);
  } catch (const base::failure& wrong) {
    return tl::unexpected<int>(cli::report_usage(program, wrong.what()));
  }
  return made;
}

} // namespace matchcloud::load
