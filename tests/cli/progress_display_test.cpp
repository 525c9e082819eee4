#include "cli/progress_display.hpp"

#include "tests/catch.hpp"

namespace matchcloud::cli {
namespace {

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
