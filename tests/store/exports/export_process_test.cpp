// Exports of several processes on one data directory, of killed processes, and on a full disk.
#include "store/files/secret_files.hpp"
#include "tests/fixtures/forked_process.hpp"
#include "tests/fixtures/small_disk.hpp"
#include "tests/not_tested.hpp"
#include "tests/store/exports/export_fixture.hpp"

namespace matchcloud::store {

namespace {

using base::errc;
using fixtures::child;
using fixtures::event_pipe;
using fixtures::temporary_directory;

TEST_CASE("an export that another process published is found, and counted by the next sweep") {
  const temporary_directory directory;
  const event_pipe go;
  child other{[&] {
    if (!go.wait()) return false;
    auto files = open_exports(directory.path());
    return files && publish(**files, facts_of(1), "theirs").has_value();
  }};
  const auto files = open_ok(directory.path(), 10);
  publish_ok(*files, facts_of(2), "ours");
  REQUIRE(go.signal());
  REQUIRE(other.succeeded());
  CHECK(content_of(*(*files->open(export_id_of(1)))->csv) == "theirs");
  CHECK(files->used_bytes() == 4);
  REQUIRE(files->sweep(0));
  CHECK(files->used_bytes() == 10);
  CHECK(begin(*files, 9).error().code == errc::exports_full);
}

TEST_CASE("processes that work on the same exports at once get along") {
  const temporary_directory directory;
  const auto content = csv_lines(50'000);
  const auto work = [&](std::uint8_t own) {
    auto opened = open_exports(directory.path());
    if (!opened) return false;
    auto& files = **opened;
    for (std::uint8_t round = 0; round < 20; ++round) {
      // Each export has an id of its own.
      const auto number = static_cast<std::uint8_t>(own + 2 * (round + 1));
      if (!publish(files, facts_of(number, round), content) || !files.sweep(round / 2))
        return false;
      (void)files.compress(export_id_of(number), {}); // the other process may have removed it
      files.remove(export_id_of(number));
    }
    return publish(files, facts_of(own), content) && files.compress(export_id_of(own), {});
  };
  child first{[&] { return work(1); }};
  child second{[&] { return work(2); }};
  CHECK(first.succeeded());
  CHECK(second.succeeded());
  const auto files = open_ok(directory.path());
  CHECK(entries_of(directory.path("exports")) == 2);
  CHECK(unfinished_of(directory.path()) == 0);
  for (const std::uint8_t own : {1, 2})
    CHECK(content_of(*(*files->open(export_id_of(own)))->csv) == content);
}

TEST_CASE("a kill at any instant leaves whole exports or none, and nothing unfinished") {
  const auto content = csv_lines(100'000);
  for (int round = 0; round < 10; ++round) {
    const temporary_directory directory; // a killed process has its exports until their leases end
    event_pipe step;
    child writer{[&] {
      auto opened = open_exports(directory.path());
      for (std::uint8_t i = 0; opened; i = static_cast<std::uint8_t>((i + 1) % 8)) {
        auto& files = **opened;
        files.remove(export_id_of(i));
        if (!step.signal() || !publish(files, facts_of(i), content) || !step.signal() ||
            !files.compress(export_id_of(i), {}) || !step.signal())
          return false;
      }
      return false;
    }};
    step.close_writer();
    for (int i = 0; i < 3 * round + round % 3; ++i)
      REQUIRE(step.wait());
    writer.kill();

    const auto files = open_ok(directory.path());
    CHECK(unfinished_of(directory.path()) == 0);
    std::uint64_t bytes = 0;
    for (std::uint8_t i = 0; i < 8; ++i) {
      const auto opened = files->open(export_id_of(i));
      if (!opened) {
        REQUIRE(opened.error().code == errc::export_not_found);
        continue;
      }
      REQUIRE(content_of(*(*opened)->csv) == content);
      bytes += content.size() + ((*opened)->gzip ? (*opened)->gzip->size_bytes() : 0);
    }
    CHECK(files->used_bytes() == bytes);
  }
}

TEST_CASE("the draft of a killed process is gone after the next start") {
  const temporary_directory directory;
  event_pipe written;
  const event_pipe never;
  child writer{[&] {
    auto files = open_exports(directory.path());
    auto draft = files ? begin(**files, 9) : tl::unexpected(files.error());
    return draft && (*draft)->append("half") && written.signal() && never.wait();
  }};
  written.close_writer();
  REQUIRE(written.wait());
  {
    const auto beside = open_ok(directory.path());
    CHECK(unfinished_of(directory.path()) == 1); // the folder of a living process
  }
  writer.kill();
  const auto files = open_ok(directory.path());
  CHECK(unfinished_of(directory.path()) == 0);
  CHECK(entries_of(directory.path("exports")) == 0);
  CHECK(files->used_bytes() == 0);
}

bool fails_with(errc code, const base::expected<void>& done) {
  return !done && done.error().code == code;
}

/// On a 4 MB disk: an export that does not fit is refused and leaves nothing, one that fits works.
bool survives_a_full_disk(const std::string& data_dir) {
  const auto opened = open_exports(data_dir);
  if (!opened) return false;
  auto& files = **opened;
  const auto content = csv_lines(400'000);
  if (!publish(files, facts_of(1), content)) return false;
  if (!fails_with(errc::store_full, publish(files, facts_of(2), csv_lines(4'000'000))))
    return false;
  if (files.used_bytes() != content.size() || unfinished_of(data_dir) != 0) return false;
  {
    auto filler = begin(files, 9);
    while (filler && (*filler)->append(std::string(4'096, 'x'))) {
    }
    if (!fails_with(errc::store_full, files.compress(export_id_of(1), {}))) return false;
    const auto keys = secret_files{data_dir}.load();
    if (keys || keys.error().code != errc::store_full) return false;
  }
  if (unfinished_of(data_dir) != 0 || !secret_files{data_dir}.load()) return false;
  const auto kept = files.open(export_id_of(1));
  return kept && content_of(*(*kept)->csv) == content &&
         files.compress(export_id_of(1), {}).has_value() &&
         publish(files, facts_of(2), csv_lines(100'000)).has_value();
}

TEST_CASE("a full disk fails what does not fit, leaves nothing of it and stops nothing else") {
  const temporary_directory directory;
  event_pipe mounted;
  child limited{[&] {
    if (!fixtures::own_mounts() || !fixtures::mount_in_memory(directory.path(), "4m")) return true;
    return mounted.signal() && survives_a_full_disk(directory.path());
  }};
  const bool survived = limited.succeeded();
  mounted.close_writer();
  if (!mounted.wait()) return fixtures::not_tested("this user may mount no file system");
  CHECK(survived);
}

} // namespace

} // namespace matchcloud::store
