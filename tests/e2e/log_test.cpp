// The log of a service: it holds up nothing, and it has what those on call need.
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/stalled_pipe.hpp"
#include "tests/service/server.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;
using fixtures::stalled_pipe;
using filled = stalled_pipe::filled;

constexpr const char* dropped_metric = "matchcloud_log_lines_dropped_total";
/// What an end may take beyond the bound of the log, 1 s, on a busy machine.
constexpr milliseconds end_limit{10'000};

/// The begin of a TLS ClientHello, which a plain port answers with 400 and a line in the log.
const std::string client_hello{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11};

void say_hello_in_tls(const address& to) {
  raw_connection client{to};
  client.send(client_hello);
  CHECK(client.receive().status == 400);
}

/// Variables that the service warns of, because they are no keys: long lines, each of a kind of its
/// own.
environment long_warnings(int count) {
  environment lines;
  for (int i = 0; i < count; ++i) {
    const std::string kind{static_cast<char>('A' + i / 26), static_cast<char>('A' + i % 26)};
    lines.push_back("MATCHCLOUD_ZZ" + kind + std::string(7'000, 'X') + "=1");
  }
  return lines;
}

TEST_CASE("a log that nobody reads holds up neither requests nor the end", "[lifecycle][plain]") {
  const int signal = GENERATE(SIGTERM, SIGINT);
  const stalled_pipe errors{filled::full};
  server of{{"--loops", "1"}, shared_world(), {}, {.errors = errors.write_end()}};
  for (int i = 0; i < 5; ++i) {
    say_hello_in_tls(of.data());
    say_hello_in_tls(of.ops());
  }
  check_serves(of.data());
  CHECK(raw_connection{of.data()}.ask(request("GET", "/ping")).status == 204);
  CHECK(of.ready_status() == 200);
  of.process().signal(signal);
  CHECK(of.process().exit_code(deadline{end_limit}) == 0);
}

TEST_CASE("a second signal ends a service whose log nobody reads", "[lifecycle]") {
  const stalled_pipe errors{filled::full};
  server of{{"--drain-delay-ms", "600000"}, shared_world(), {}, {.errors = errors.write_end()}};
  of.process().signal(SIGTERM);
  REQUIRE(eventually([&] { return of.ready_status() == 503; }));
  of.process().signal(SIGTERM);
  CHECK(of.process().exit_code(deadline{end_limit}) == 1);
}

TEST_CASE("a start that fails ends with its code where nobody reads stderr", "[lifecycle]") {
  const stalled_pipe errors{filled::full};
  const output_descriptors to{.errors = errors.write_end()};
  child_process wrong{{"serve", "--loops", "many"}, {}, to};
  CHECK(wrong.exit_code(deadline{end_limit}) == 2);
  child_process failing{
      {"serve", "--data-dir", "/proc", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"},
      {},
      to};
  CHECK(failing.exit_code(deadline{end_limit}) == 1);
}

TEST_CASE("a stdout that nobody reads does not hold up the end", "[lifecycle]") {
  const stalled_pipe out{filled::full};
  child_process of{{"serve", "--data-dir", shared_world().data_dir(), "--listen", "127.0.0.1:0",
                    "--ops-listen", "127.0.0.1:0", "--enable-fault-injection"},
                   {},
                   {.out = out.write_end()}};
  REQUIRE(of.says(" event loop")); // said once it serves
  of.signal(SIGTERM);
  CHECK(of.exit_code(deadline{end_limit}) == 0);
  CHECK(of.says("] ended\n", deadline{milliseconds{0}}));
}

TEST_CASE("lines beyond the bound are dropped and counted, and the log says how many",
          "[lifecycle]") {
  constexpr int warnings = 80; // 560 kB
  stalled_pipe errors{filled::full};
  double dropped = 0;
  {
    server of{{}, shared_world(), long_warnings(warnings), {.errors = errors.write_end()}};
    dropped = of.metric(dropped_metric);
    CHECK(dropped > 0);
    CHECK(dropped < warnings);
    check_serves(of.data());
    errors.read_on();
    of.process().signal(SIGTERM);
    CHECK(of.process().exit_code() == 0);
  }
  std::istringstream lines{errors.finish()};
  const std::regex whole_line{
      R"(\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\] \[matchcloud\] \[\w+\] .+)"};
  const std::regex note{R"((\d+) lines? (was|were) dropped here)"};
  std::vector<std::string> warned;
  std::vector<std::string> others;
  double said = 0;
  for (std::string line; std::getline(lines, line);) {
    INFO(line.substr(0, 200));
    std::smatch found;
    if (const auto at = line.find("MATCHCLOUD_ZZ"); at != std::string::npos) {
      warned.push_back(line.substr(at + 13, 2));
      CHECK(line.ends_with("has no effect"));
      continue;
    }
    CHECK(std::regex_match(line, whole_line));
    if (std::regex_search(line, found, note))
      said += std::stod(found[1]);
    else
      others.push_back(line);
  }
  CHECK(static_cast<double>(warned.size()) == warnings - dropped);
  CHECK(std::ranges::is_sorted(warned));
  CHECK(said == dropped);
  REQUIRE(!others.empty());
  CHECK(others.back().ends_with("] ended"));
}

TEST_CASE("times in the log are UTC with an offset, whatever the time zone", "[lifecycle]") {
  const auto before = std::time(nullptr);
  server of{{}, shared_world(), {"TZ=ABC-9"}};
  REQUIRE(of.process().says("\n"));
  const auto after = std::time(nullptr);
  const auto text = of.process().errors();
  INFO(text);
  std::tm at{};
  const auto* end = ::strptime(text.c_str(), "[%Y-%m-%dT%H:%M:%S", &at);
  REQUIRE(end != nullptr);
  CHECK(std::regex_search(std::string{end, 6}, std::regex{R"(^\.\d{3}Z\])"}));
  CHECK(::timegm(&at) >= before);
  CHECK(::timegm(&at) <= after);
}

/// The functions at the addresses in a report, as addr2line finds them.
std::string functions_in(const std::string& report) {
  std::string command = "addr2line -Cf -e " + fixtures::service_program();
  const std::regex frame{fixtures::service_program() + R"(\(\+(0x[0-9a-f]+)\))"};
  for (std::sregex_iterator each{report.begin(), report.end(), frame};
       each != std::sregex_iterator{}; ++each)
    command += " " + (*each)[1].str();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output{::popen(command.c_str(), "r"),
                                                               ::pclose};
  REQUIRE(output);
  std::string all;
  std::array<char, 4'096> some;
  while (const auto got = std::fread(some.data(), 1, some.size(), output.get()))
    all.append(some.data(), got);
  return all;
}

TEST_CASE("a crash leaves its signal and its stack in the log", "[lifecycle][shipped]") {
  if (fixtures::programs_are_sanitized()) return; // sanitizers have reports of their own
  const auto [number, name] =
      GENERATE(table<int, std::string>({{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}}));
  server of{};
  check_serves(of.data());
  of.process().signal(number);
  CHECK(of.process().exit_code() == 128 + number);
  const auto log = of.process().errors();
  INFO(log);
  CHECK(log.find("\ncrash: " + name + "\n") != std::string::npos);
  CHECK(log.find("no GeoIP file") < log.find("crash: "));
  const auto functions = functions_in(log.substr(log.find("crash: ")));
  INFO(functions);
  CHECK(("\n" + functions).find("\nmain\n") != std::string::npos);
}

} // namespace
