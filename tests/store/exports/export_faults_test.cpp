// The effect of faults injected at `export.*`: whatever fails, no incomplete file is served and
// nothing is left behind.
#include "store/files/new_file.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/store/exports/export_fixture.hpp"

#include <map>

namespace matchcloud::store {
namespace {

using namespace fixtures;
using base::errc;
using base::fault_kind;
using base::fault_point;
using std::chrono::milliseconds;

const std::function<bool()> never = [] { return false; };

struct export_faults_bench {
  temporary_directory directory;
  std::unique_ptr<export_objects> files = open_ok(directory.path());

  std::string csv(std::uint8_t number) {
    const auto opened = files->open(export_id_of(number));
    return opened ? content_of(*(*opened)->csv) : base::to_string(opened.error());
  }
  void check_left_nothing() const {
    CHECK(files->used_bytes() == 0);
    CHECK(unfinished_of(directory.path()) == 0);
    CHECK(entries_of(directory.path() + "/exports") == 0);
  }
};

std::size_t open_descriptors() {
  return entries_of("/proc/self/fd");
}

/// A rule that fails only the given pass.
base::fault_rule nth(std::uint64_t pass) {
  auto rule = rule_of(fault_kind::error);
  rule.every = rule.first = pass;
  return rule;
}

TEST_CASE("whichever write, sync or rename of an export fails, nothing is left of it") {
  export_faults_bench on;
  // Syncs: the file and its folder.
  const std::map<fault_point, std::uint64_t> passes{{fault_point::export_write, 1},
                                                    {fault_point::export_sync, 2},
                                                    {fault_point::export_rename, 1}};
  // The first export makes the folder for unfinished files.
  publish_ok(*on.files, facts_of(1), "a,b\r\n");
  on.files->remove(export_id_of(1));
  const auto descriptors = open_descriptors();
  for (const auto& [at, count] : passes)
    for (std::uint64_t pass = 1; pass <= count; ++pass) {
      CAPTURE(facts_of(at).name, pass);
      injected_fault fails{at, nth(pass)};
      const auto done = publish(*on.files, facts_of(1), "a,b\r\n");
      CHECK(fails.hits() == 1);
      REQUIRE_FALSE(done.has_value());
      CHECK(done.error().code == errc::store_failed);
      CHECK(done.error().detail.ends_with("a fault is injected at " +
                                          std::string{facts_of(at).name}));
      on.check_left_nothing();
      CHECK(open_descriptors() == descriptors);
      publish_ok(*on.files, facts_of(1), "a,b\r\n");
      CHECK(fails.passes() == pass + count); // the table above counts all passes
      CHECK(on.csv(1) == "a,b\r\n");
      on.files->remove(export_id_of(1));
    }
}

TEST_CASE("a file whose compressed one fails is served as it is, and compressed the next time") {
  export_faults_bench on;
  const auto content = csv_lines(300'000);
  publish_ok(*on.files, facts_of(1), content);
  const auto bytes = on.files->used_bytes();
  const auto descriptors = open_descriptors();
  for (const auto at :
       {fault_point::export_write, fault_point::export_sync, fault_point::export_rename}) {
    CAPTURE(facts_of(at).name);
    injected_fault fails{at, fault_kind::error};
    const auto done = on.files->compress(export_id_of(1), never);
    CHECK(fails.hits() == 1);
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == errc::store_failed);
    CHECK(on.files->open(export_id_of(1)).value()->gzip == nullptr);
    CHECK(on.csv(1) == content);
    CHECK(on.files->used_bytes() == bytes);
    CHECK(unfinished_of(on.directory.path()) == 0);
    CHECK(open_descriptors() == descriptors);
  }
  CHECK(on.files->compress(export_id_of(1), never).has_value());
  CHECK(inflated(content_of(*on.files->open(export_id_of(1)).value()->gzip)) == content);
}

TEST_CASE("short writes leave no byte out") {
  export_faults_bench on;
  injected_fault is_short{fault_point::export_write, fault_kind::short_write};
  const auto content = csv_lines(300'000);
  publish_ok(*on.files, facts_of(1), content);
  CHECK(is_short.passes() > 4);
  CHECK(on.csv(1) == content);
  CHECK(on.files->used_bytes() == content.size());
  REQUIRE(on.files->compress(export_id_of(1), never).has_value());
  CHECK(inflated(content_of(*on.files->open(export_id_of(1)).value()->gzip)) == content);
}

TEST_CASE("while an export waits for its name others are opened, listed and removed") {
  export_faults_bench on;
  publish_ok(*on.files, facts_of(1), "first");
  const auto work_of_others = [&] {
    CHECK(on.csv(1) == "first");
    CHECK_FALSE(on.files->open(export_id_of(2)).has_value());
    CHECK(on.files->sweep(0).has_value());
  };
  for (const auto at :
       {fault_point::export_write, fault_point::export_sync, fault_point::export_rename}) {
    CAPTURE(facts_of(at).name);
    check_stalls(
        at, [&] { static_cast<void>(publish(*on.files, facts_of(2), "second")); }, work_of_others);
    CHECK(on.csv(2) == "second");
    on.files->remove(export_id_of(2));
  }
  check_stalls(
      fault_point::export_rename,
      [&] { static_cast<void>(on.files->compress(export_id_of(1), never)); }, work_of_others);
}

TEST_CASE("an export that is removed while its compressed file waits stays removed") {
  export_faults_bench on;
  publish_ok(*on.files, facts_of(1), csv_lines(10'000));
  check_stalls(
      fault_point::export_rename,
      [&] { static_cast<void>(on.files->compress(export_id_of(1), never)); },
      [&] { on.files->remove(export_id_of(1)); });
  on.check_left_nothing();
}

TEST_CASE("writing, syncing and naming an export are delayed") {
  export_faults_bench on;
  std::uint8_t number = 0;
  for (const auto at :
       {fault_point::export_write, fault_point::export_sync, fault_point::export_rename}) {
    CAPTURE(facts_of(at).name);
    const skipped_delays delays;
    injected_fault slow{at, once(delayed_by(milliseconds{9}))};
    publish_ok(*on.files, facts_of(++number), "a");
    CHECK(delays.passed() == std::vector<std::chrono::microseconds>{milliseconds{9}});
  }
}

TEST_CASE("files that are no exports pass none of their fault points") {
  const temporary_directory directory;
  injected_fault write{fault_point::export_write, fault_kind::error};
  injected_fault sync{fault_point::export_sync, fault_kind::error};
  new_file file{directory.path("file")};
  file.append("bytes");
  file.sync();
  CHECK(write.passes() + sync.passes() == 0);
}

} // namespace
} // namespace matchcloud::store
