#include "app/imports/lobby_importer.hpp"

#include "app/imports/line_input.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <filesystem>

namespace matchcloud::app {
namespace {

spooled_lobby lobby_of(std::uint32_t number) {
  spooled_lobby made;
  for (std::size_t i = 0; i < 4; ++i)
    made.record.lobby_id.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  made.record.times.start_ts = number;
  made.line = number + 1;
  return made;
}

TEST_CASE("a spool finds what was added, however much that is, and leaves no file") {
  const fixtures::temporary_directory directory;
  auto spool = lobby_spool::make(directory.path());
  CHECK(std::filesystem::is_empty(directory.path()));
  // More than the initial size of the file and of the index.
  constexpr std::uint32_t count = 300'000;
  for (std::uint32_t i = 0; i < count; ++i) {
    REQUIRE(spool.find_or_add(lobby_of(i)).second);
  }
  for (std::uint32_t i = 0; i < count; i += 7) {
    const auto found = spool.find_or_add(lobby_of(i));
    REQUIRE_FALSE(found.second);
    REQUIRE(found.first->line == i + 1);
    found.first->record.times.start_ts = 0;
  }
  const auto all = spool.all();
  REQUIRE(all.size() == count);
  CHECK(all[0].line == 1);
  CHECK(all[7].record.times.start_ts == 0);
  CHECK(all[8].record.times.start_ts == 8);
}

TEST_CASE("a spool that cannot be made says where") {
  const auto spool = base::attempt([] { return lobby_spool::make("/nowhere"); });
  REQUIRE_FALSE(spool.has_value());
  CHECK(spool.error().code == base::errc::io_failed);
  CHECK(spool.error().detail.starts_with("/nowhere/spool-"));
}

TEST_CASE("problems found in any order are listed by line, the first ones, and counted") {
  line_findings findings;
  for (std::uint64_t line = 300; line > 0; --line)
    findings.add(line, {model::line_errc::invalid, "x" + std::to_string(line)});
  CHECK(findings.count() == 300);
  CHECK(findings.text().starts_with("line 1: invalid: x1\nline 2: invalid: x2\n"));
  CHECK(findings.text().ends_with("\nline 100: invalid: x100\nand 200 more"));
}

} // namespace
} // namespace matchcloud::app
