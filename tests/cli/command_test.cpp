// Commands: what they print, read and are interrupted by.
#include "cli/command.hpp"

#include "base/failure.hpp"
#include "cli/parsing.hpp"
#include "cli/progress_display.hpp"
#include "cli/terminal_text.hpp"
#include "tests/catch.hpp"

#include <iostream>
#include <sstream>

namespace matchcloud::cli {
namespace {

struct answer_options {
  std::string text;
  bool fails = false;
};

std::string answer(const answer_options& options, command_run& in) {
  if (options.text == "no")
    throw base::failure{base::errc::store_failed, "it said no,\nand that twice"};
  if (options.text == "what") throw base::failure{base::errc::config_invalid, "what is wrong"};
  if (options.text == "left") throw base::failure{base::errc::cancelled, {}};
  if (options.fails) in.end_with(failed, "that was all");
  in.say("listens");
  return options.text + "\n";
}

struct ended {
  int code;
  std::string out;
  std::string errors;
};

ended called(std::vector<const char*> words) {
  CLI::App program{"", "toy"};
  int code = ok;
  add_commands(program, code,
               {{"store", "Work on a store.", ""},
                command_with<answer_options>(
                    "store ask", "Ask it.", "Asks.\n\nExit codes: 0 yes, 1 no.",
                    [](CLI::App& command, answer_options& options) {
                      command.add_option("TEXT", options.text)->required();
                      command.add_flag("--fail", options.fails);
                    },
                    answer)});
  words.insert(words.begin(), "toy");
  std::ostringstream out;
  std::ostringstream errors;
  auto* const former_out = std::cout.rdbuf(out.rdbuf());
  auto* const former_errors = std::cerr.rdbuf(errors.rdbuf());
  const auto wrong = parse_command_line(program, static_cast<int>(words.size()), words.data());
  std::cout.rdbuf(former_out);
  std::cerr.rdbuf(former_errors);
  return {wrong.value_or(code), out.str(), errors.str()};
}

TEST_CASE("a command's result is printed, and remarks are in its name") {
  const auto got = called({"store", "ask", "yes"});
  CHECK(got.code == ok);
  CHECK(got.out == "yes\n");
  CHECK(got.errors == "toy store ask: listens\n");
}

TEST_CASE("a command may end with another exit code and a last line") {
  const auto got = called({"store", "ask", "yes", "--fail"});
  CHECK(got.code == failed);
  CHECK(got.out == "yes\n");
  CHECK(got.errors == "toy store ask: listens\nthat was all\n");
}

TEST_CASE("an error is reported in the name of the command, and its code decides the exit code") {
  const auto no = called({"store", "ask", "no"});
  CHECK(no.code == failed);
  CHECK(no.out.empty());
  CHECK(no.errors == "toy store ask: it said no,\n  and that twice\n");
  CHECK(called({"store", "ask", "what"}).code == usage);
  // The reader of stdout has left.
  const auto left = called({"store", "ask", "left"});
  CHECK(left.code == failed);
  CHECK(left.errors.empty());
}

TEST_CASE("a command that has subcommands needs one, and help ends with the exit codes") {
  CHECK(called({"store"}).code == usage);
  CHECK(called({"store", "--help"}).out.ends_with(std::string{exit_code_help} + "\n"));
  CHECK(called({"store", "ask", "--help"}).out.ends_with("Asks.\n\nExit codes: 0 yes, 1 no.\n"));
}

TEST_CASE("a text for a terminal keeps its letters, lines and our colours only") {
  CHECK(terminal_text("é 日本\t👍🏽\n") == "é 日本\t👍🏽\n");
  CHECK(terminal_text("\x1b[1;31merror\x1b[0m") == "\x1b[1;31merror\x1b[0m");
  CHECK(terminal_text("\x1b[2J\r\x07\x7f\u009b\u202e\u2066") ==
        "\\u001b[2J\\u000d\\u0007\\u007f\\u009b\\u202e\\u2066");
  CHECK(terminal_text("a\xff") == "a\uFFFD");
}

TEST_CASE("everything that a stream gets is filtered, until the filter ends") {
  std::ostringstream of;
  {
    const terminal_filter filter{of};
    of << "a\x07" << '\x1b' << 7 << std::endl;
    CHECK(of);
  }
  of << "\x07";
  CHECK(of.str() == "a\\u0007\\u001b7\n\x07");
}

TEST_CASE("a line of progress tells count, speed and percent") {
  CHECK(progress_line("lobbies", progress_rate::megabytes, 1'200, 4'600'000, 9'200'000, 2) ==
        "1200 lobbies, 2.3 MB/s, 50 %");
  CHECK(progress_line("lobbies", progress_rate::megabytes, 1, 100'000'000, {}, 1) ==
        "1 lobbies, 100.0 MB/s");
  CHECK(progress_line("lines checked", progress_rate::counted, 30, 7, 0, 10) ==
        "30 lines checked, 3/s");
}

} // namespace
} // namespace matchcloud::cli
