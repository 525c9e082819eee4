#include "cli/terminal_text.hpp"

#include "tests/catch.hpp"

#include <sstream>

namespace matchcloud::cli {
namespace {

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

} // namespace
} // namespace matchcloud::cli
