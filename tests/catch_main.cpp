// main() of the test programs that use Catch2. It lets .ci/again run single cases again. With these
// variables, for a test that ctest calls $MATCHCLOUD_TEST_NAME, the program
//
// - writes the names of failed cases to $MATCHCLOUD_FAILED/$MATCHCLOUD_TEST_NAME, one per line. A
//   program that crashes or is killed writes nothing.
// - runs the cases that $MATCHCLOUD_AGAIN/$MATCHCLOUD_TEST_NAME names, if that file exists, instead
//   of those that its arguments choose.
#ifdef MATCHCLOUD_CATCH2_V2
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#else
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#endif
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// The path of this test's file in the folder that `variable` names; empty if a variable is not
/// set.
std::string file_in(const char* variable) {
  const char* folder = std::getenv(variable);
  const char* test = std::getenv("MATCHCLOUD_TEST_NAME");
  return folder && test ? std::string{folder} + '/' + test : std::string{};
}

/// The test spec of the cases that the lines of `file` name; empty if there are none. Within
/// quotes, Catch2 gives a meaning to commas, quotes and backslashes, and to an asterisk at an end
/// of a name: it cannot be escaped, but matches itself too.
std::string test_spec_of(const std::string& file) {
  std::ifstream names{file};
  std::string spec;
  for (std::string name; std::getline(names, name);) {
    spec += spec.empty() ? "\"" : ",\"";
    for (const char c : name) {
      if (std::string_view{",\"\\"}.find(c) != std::string_view::npos) spec += '\\';
      spec += c;
    }
    spec += '"';
  }
  return spec;
}

#ifdef MATCHCLOUD_CATCH2_V2
// With any listener, Catch2 2 also reports assertions that pass, which takes time and memory.
using reporter_base = Catch::ConsoleReporter;
#else
using reporter_base = Catch::EventListenerBase;
#endif

class failed_cases : public reporter_base {
public:
  using reporter_base::reporter_base;

  // After a crash, Catch2 ends the run from the signal's handler, but destroys nothing.
  ~failed_cases() override {
    const auto file = file_in("MATCHCLOUD_FAILED");
    if (file.empty() || names_.empty()) return;
    std::ofstream out{file};
    for (const auto& name : names_)
      out << name << '\n';
  }

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    name_ = info.name;
    reporter_base::testCaseStarting(info);
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (stats.totals.testCases.failed != 0) names_.push_back(name_);
    reporter_base::testCaseEnded(stats);
  }

private:
  std::string name_;
  std::vector<std::string> names_;
};

#ifdef MATCHCLOUD_CATCH2_V2
CATCH_REGISTER_REPORTER("failed-cases", failed_cases)
#else
CATCH_REGISTER_LISTENER(failed_cases)
#endif

} // namespace

int main(int argc, char* argv[]) {
  Catch::Session session;
  if (const int code = session.applyCommandLine(argc, argv); code != 0) return code;
  auto& config = session.configData();
  const auto spec = test_spec_of(file_in("MATCHCLOUD_AGAIN"));
  if (!spec.empty()) config.testsOrTags = {spec};
#ifdef MATCHCLOUD_CATCH2_V2
  // By default, a run of no cases passes.
  if (!spec.empty()) config.warnings = Catch::WarnAbout::NoTests;
  if (config.reporterName == "console" && !file_in("MATCHCLOUD_FAILED").empty())
    config.reporterName = "failed-cases";
#endif
  return session.run();
}
