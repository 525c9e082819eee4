#include "actors/lobby_export/export_job.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

namespace matchcloud::actors {
namespace {

using namespace fixtures;

/// Receives reports as an export actor does.
struct export_reports_bench : deterministic_system {
  std::vector<std::uint64_t> begun;
  std::vector<std::uint64_t> ended;
  export_reports reports;

  caf::actor listener() {
    return keep(system.spawn([this]() -> caf::behavior {
      return {[this](const export_begun& news) { begun.push_back(news.job); },
              [this](const export_ended& news) { ended.push_back(news.job); }};
    }));
  }
  void end(std::uint64_t job) {
    export_ended result;
    result.job = job;
    reports.note_end(std::move(result));
  }
};

TEST_CASE("a successor hears what was reported before it came, until it was handled") {
  export_reports_bench on;
  on.reports.note_begin(1, {{1, 1}, 7});
  on.reports.note_progress(1, 10, 100);
  on.end(2);
  on.reports.subscribe(on.listener());
  on.run();
  CHECK(on.begun == std::vector<std::uint64_t>{1});
  CHECK(on.ended == std::vector<std::uint64_t>{2});
  on.end(1);
  on.run();
  CHECK(on.ended == std::vector<std::uint64_t>{2, 1});
  CHECK(on.reports.of(1).rows == 10);
  CHECK(on.reports.of(1).bytes == 100);
  on.reports.forget(1);
  CHECK(on.reports.of(1).end == nullptr);
  on.reports.subscribe(on.listener());
  on.run();
  CHECK(on.begun.size() == 1);
  CHECK(on.ended == std::vector<std::uint64_t>{2, 1, 2});
  on.reports.subscribe(nullptr);
  on.end(3);
  on.run();
  CHECK(on.ended.size() == 3);
}

} // namespace
} // namespace matchcloud::actors
