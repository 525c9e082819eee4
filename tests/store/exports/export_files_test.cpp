// The exports of a data directory: of one process and of several, compressed, on a full disk, and
// with faults injected at `export.*`: whatever fails, no incomplete file is served.
#include "store/exports/export_objects.hpp"

#include "store/files/gzip.hpp"
#include "store/files/new_file.hpp"
#include "store/files/secret_files.hpp"
#include "tests/fixtures/forked_process.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/fixtures/small_disk.hpp"
#include "tests/not_tested.hpp"
#include "tests/store/exports/export_fixture.hpp"

#include <sys/stat.h>

#include <map>
#include <vector>

namespace matchcloud::store {
namespace {

using base::errc;
using base::fault_kind;
using base::fault_point;
using fixtures::child;
using fixtures::event_pipe;
using fixtures::temporary_directory;
using namespace fixtures;

namespace fs = std::filesystem;

TEST_CASE("a published export is found whole, for this user alone") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  auto draft = begin(*files, 1);
  REQUIRE(draft.has_value());
  REQUIRE((*draft)->append("a,b\r\n"));
  REQUIRE((*draft)->append(""));
  REQUIRE((*draft)->append("1,2\r\n"));
  CHECK(is_missing(*files, 1));
  REQUIRE((*draft)->publish(1'000));
  CHECK(unfinished_of(directory.path()) == 0);

  const auto opened = files->open(export_id_of(1));
  REQUIRE(opened.has_value());
  CHECK((*opened)->facts == facts_of(1));
  CHECK(content_of(*(*opened)->csv) == "a,b\r\n1,2\r\n");
  CHECK((*opened)->gzip == nullptr);
  const auto folder = directory.path("exports/e0000000-0000-0000-0000-000000000001");
  CHECK(fs::exists(folder + "/1"));
  for (const auto& each : fs::directory_iterator{folder})
    CHECK((fs::status(each).permissions() & fs::perms{0077}) == fs::perms{});
}

TEST_CASE("a restart finds what was published and counts its bytes") {
  const temporary_directory directory;
  {
    const auto files = open_ok(directory.path());
    publish_ok(*files, facts_of(1), "first");
    publish_ok(*files, facts_of(2), csv_lines(5'000));
    REQUIRE(files->compress(export_id_of(2), {}));
  }
  const auto files = open_ok(directory.path(), 8'000);
  CHECK(csv_of(*files, 1) == "first");
  const auto opened = files->open(export_id_of(2));
  REQUIRE(opened.has_value());
  CHECK((*opened)->facts == facts_of(2));
  REQUIRE((*opened)->gzip != nullptr);
  CHECK(files->used_bytes() == 5'005 + (*opened)->gzip->size_bytes());
}

TEST_CASE("all readers of an export share its descriptors") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  publish_ok(*files, facts_of(1), csv_lines(1'000));
  // Only the file is held, as by a response that is being sent.
  const auto csv = (*files->open(export_id_of(1)))->csv;
  CHECK((*files->open(export_id_of(1)))->csv == csv);
  REQUIRE(files->compress(export_id_of(1), {}));
  const auto later = *files->open(export_id_of(1));
  CHECK(later->csv == csv);
  REQUIRE(later->gzip != nullptr);
  CHECK((*files->open(export_id_of(1)))->gzip == later->gzip);
}

TEST_CASE("exports open at once are bounded; those that nobody holds make room") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  const auto records = (*open_sqlite(directory.path()))->exports().value();
  std::vector<std::shared_ptr<const base::open_file>> held;
  for (std::size_t i = 0; i <= open_exports_limit; ++i) {
    export_record record{facts_of(static_cast<std::uint8_t>(i))};
    record.facts.export_id.bytes[1] = static_cast<std::uint8_t>(i >> 8U);
    const auto id = record.facts.export_id;
    // As `publish` leaves it, without waiting for the disk.
    fs::create_directories(directory.path("exports/" + model::to_string(id)));
    directory.file(object_of(record).text(), "x");
    record.size_bytes = 1;
    REQUIRE(records->adopt_export(record));
    const auto opened = files->open(id);
    if (i == open_exports_limit) {
      REQUIRE_FALSE(opened.has_value());
      CHECK(opened.error().code == errc::overloaded);
      held.pop_back();
      CHECK(files->open(id).has_value());
      break;
    }
    REQUIRE(opened.has_value());
    held.push_back((*opened)->csv);
  }
}

TEST_CASE("an export that is open stays readable when it is removed") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  publish_ok(*files, facts_of(1), "content");
  const auto opened = *files->open(export_id_of(1));
  files->remove(export_id_of(1));
  CHECK(is_missing(*files, 1));
  CHECK(content_of(*opened->csv) == "content");
  CHECK(entries_of(directory.path("exports")) == 0);
  CHECK(unfinished_of(directory.path()) == 0);
  CHECK(files->used_bytes() == 0);
  files->remove(export_id_of(1));
  CHECK(files->used_bytes() == 0);
}

TEST_CASE("a sweep removes what is over, keeps the rest and leaves alone what is no export") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  publish_ok(*files, facts_of(1, 1'000), "over");
  publish_ok(*files, facts_of(2, 1'001), "still");
  publish_ok(*files, facts_of(3, 5'000), csv_lines(3'000));
  REQUIRE(files->compress(export_id_of(3), {}));
  fs::create_directories(directory.path("exports/notes"));
  directory.file("exports/notes/a", "mine");
  // Names in another notation than ours belong to no exports.
  fs::create_directories(directory.path("exports/E0000000-0000-0000-0000-000000000009"));
  directory.file("exports/e0000000-0000-0000-0000-000000000008", "a file");

  REQUIRE(files->sweep(1'000));
  CHECK(is_missing(*files, 1));
  CHECK(csv_of(*files, 2) == "still");
  const auto third = (*files->open(export_id_of(3)))->gzip->size_bytes() + 3'000;
  CHECK(files->used_bytes() == 5 + third);
  REQUIRE(files->sweep(4'999));
  CHECK(files->used_bytes() == third);
  REQUIRE(files->sweep(5'000));
  CHECK(files->used_bytes() == 0);
  CHECK(entries_of(directory.path("exports")) == 3);
  CHECK(fs::exists(directory.path("exports/notes/a")));
  CHECK(unfinished_of(directory.path()) == 0);
}

TEST_CASE("an export whose file is damaged or gone is not served, and it is removed") {
  const temporary_directory directory;
  const auto csv = [&](std::uint8_t number) { return csv_path(directory.path(), number); };
  const auto files = open_ok(directory.path());
  for (std::uint8_t i = 1; i <= 5; ++i)
    publish_ok(*files, facts_of(i), "content");
  fs::remove(csv(1));
  fs::resize_file(csv(2), 6);
  fs::rename(csv(3), csv(3) + "~");
  fs::create_symlink("1~", csv(3));
  fs::remove(csv(4));
  REQUIRE(::mkfifo(csv(4).c_str(), 0600) == 0);
  for (std::uint8_t i = 1; i <= 4; ++i) {
    CAPTURE(i);
    CHECK(files->has(export_id_of(i)));
    CHECK(files->compress(export_id_of(i), {}).error().code == errc::export_not_found);
    CHECK_FALSE(files->has(export_id_of(i)));
    CHECK_FALSE(fs::exists(csv(i)));
  }
  CHECK(csv_of(*files, 5) == "content");
  CHECK(files->used_bytes() == 7);
}

TEST_CASE("the lease of a file is renewed while it is written, and lost if nobody does") {
  const temporary_directory directory;
  moved_clock clock;
  const auto records = *open_sqlite(directory.path());
  const auto files = *fixtures::open_exports(directory.path(), records, clock);
  const auto draft = *begin(*files, 1);
  REQUIRE(draft->append("1"));
  // As if it had been taken over.
  REQUIRE((*records->exports())->forget_export({facts_of(1)}));
  REQUIRE(draft->append("2"));
  CHECK(draft->is_own());
  clock.move(export_renewal_interval);
  CHECK_FALSE(draft->is_own());
  CHECK(files->leases_lost() == 1);
  CHECK_FALSE(draft->publish(1'000).has_value());
  CHECK(entries_of(directory.path("exports")) == 0);
}

TEST_CASE("threads that publish, open, compress and sweep at once get along") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  const auto content = csv_lines(20'000);
  const auto work = [&](std::uint8_t own) {
    for (int round = 0; round < 10; ++round) {
      if (!publish(*files, facts_of(own), content)) return false;
      if (!files->compress(export_id_of(own), {})) return false;
      const auto opened = files->open(export_id_of(own));
      if (!opened || !(*opened)->gzip || content_of(*(*opened)->csv) != content) return false;
      if (!files->sweep(0)) return false;
      files->remove(export_id_of(own));
      if (!is_missing(*files, own)) return false;
    }
    return true;
  };
  CHECK(four_at_once(work));
  REQUIRE(files->sweep(0)); // another sweep may have counted what was removed during it
  CHECK(files->used_bytes() == 0);
  CHECK(unfinished_of(directory.path()) == 0);
}

std::string gzip_of(export_objects& files, std::uint8_t number) {
  const auto opened = files.open(export_id_of(number));
  REQUIRE(opened.has_value());
  REQUIRE((*opened)->gzip != nullptr);
  return content_of(*(*opened)->gzip);
}

TEST_CASE("the compressed file has the same bytes, around the sizes of buffers") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  std::uint8_t number = 0;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, gzip_buffer_bytes - 1,
                                 gzip_buffer_bytes, gzip_buffer_bytes + 1, 5 * gzip_buffer_bytes}) {
    const auto content = csv_lines(size);
    publish_ok(*files, facts_of(++number), content);
    REQUIRE(files->compress(export_id_of(number), {}));
    CHECK(fixtures::inflated(gzip_of(*files, number)) == content);
  }
  // Bytes that do not compress.
  std::string content(2 * gzip_buffer_bytes + 17, '\0');
  std::uint32_t state = 1;
  for (auto& each : content)
    each = static_cast<char>((state = state * 1'664'525 + 1'013'904'223) >> 24U);
  publish_ok(*files, facts_of(++number), content);
  REQUIRE(files->compress(export_id_of(number), {}));
  CHECK(fixtures::inflated(gzip_of(*files, number)) == content);
  CHECK(unfinished_of(directory.path()) == 0);
}

TEST_CASE("the same bytes make the same compressed file, without a time; it is made once") {
  const temporary_directory directory;
  const auto files = open_ok(directory.path());
  publish_ok(*files, facts_of(1), csv_lines(10'000));
  publish_ok(*files, facts_of(2), csv_lines(10'000));
  REQUIRE(files->compress(export_id_of(1), {}));
  REQUIRE(files->compress(export_id_of(2), {}));
  const auto first = gzip_of(*files, 1);
  CHECK(first == gzip_of(*files, 2));
  CHECK(first.substr(4, 4) == std::string(4, '\0'));
  const auto used = files->used_bytes();
  CHECK(used == 2 * (10'000 + first.size()));
  REQUIRE(files->compress(export_id_of(1), [] { return true; }));
  CHECK(files->used_bytes() == used);
}

TEST_CASE("a compression that fails leaves nothing") {
  const temporary_directory directory;
  const auto content = csv_lines(3'000'000);
  const auto files = open_ok(directory.path(), content.size() + 300'000);
  CHECK(files->compress(export_id_of(1), {}).error().code == errc::export_not_found);
  publish_ok(*files, facts_of(1), content);
  int request = 0;
  const auto stopped = files->compress(export_id_of(1), [&] { return ++request == 3; });
  CHECK(stopped.error().code == errc::cancelled);
  // The compressed file would exceed what is left of the limit.
  CHECK(files->compress(export_id_of(1), {}).error().code == errc::exports_full);
  CHECK(files->used_bytes() == content.size());
  CHECK((*files->open(export_id_of(1)))->gzip == nullptr);
  CHECK(unfinished_of(directory.path()) == 0);
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

} // namespace
} // namespace matchcloud::store
