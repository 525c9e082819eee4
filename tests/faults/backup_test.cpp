// Backups while a service ingests and exports and images are imported, and kill -9 of the backup,
// of the service, or of a restore at random instants: what says that it is whole has all that was
// acknowledged before its begin, and nothing that nobody sent.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/faults/clients.hpp"
#include "tests/faults/known_load.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/png_image.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

namespace matchcloud::faults {

namespace {

using fixtures::contains;

namespace fs = std::filesystem;
using namespace e2e;

/// The number of backups in CI; script/soak sets a higher one.
const std::uint64_t backups = sanitized ? 4 : 8;
/// After this number a new store takes the place of one that has become large.
constexpr std::uint64_t backups_of_a_store = 5;

command_result good(const arguments& words) {
  auto got = run(words);
  INFO(got.errors);
  REQUIRE(got.exit_code == 0);
  return got;
}

/// One lifetime of the service, with all that goes on while backups are made.
class busy_life {
public:
  busy_life(const world& in, const server& of, lobby_ledger& ledger, chances& by,
            std::uint64_t first_image)
      : data_{of.data()}, ops_{of.ops()}, in_{&in}, ledger_{&ledger}, next_image_{first_image} {
    for (int writer = 0; writer < 2; ++writer)
      clients_.add([this, own = by.split()]() mutable { write(own); });
    clients_.add([this] { (void)ask_export(data_, ledger_->game_id()); });
    clients_.add([this] { import_images(); });
  }

  bool is_wrong() { return clients_.is_wrong(); }
  bool is_busy() const { return batches_ > 1 && images_ > 0; }
  void expect_end() { clients_.expect_end(); }
  std::string finish() { return clients_.finish(); }
  std::uint64_t batches() const { return batches_; }
  /// The number of images whose import has ended.
  std::uint64_t images() const { return images_; }

private:
  void write(chances& by) {
    const auto batch = ledger_->next(by, by.one_in(4) ? 1'000 : 40);
    const auto got = ingest(ops_, batch.lines);
    if (got.status != 200 || !got.body.ends_with(R"("rejected":[],"rejected_total":0})"))
      throw wrong_answer{"an ingest: " + got.body};
    ledger_->acknowledge(batch);
    ++batches_;
  }

  /// Gives an avatar a new image; its former one stays for a time.
  void import_images() {
    const auto number = next_image_++;
    const auto name = "image-" + std::to_string(number) + ".png";
    in_->directory().file(name, fixtures::small_png(1'000 + number));
    const auto lines = in_->directory().file(
        "image-" + std::to_string(number) + ".jsonl",
        R"({"game_id":")" + std::string{demo_game} + R"(","upload_id":")" + upload_id(number % 7) +
            R"(","display_name":"A","create_ts":"2026-01-01T00:00:00Z","content_length":7,)" +
            R"("complete":true,"file":")" + name + "\"}\n");
    const auto got = run({"import", "avatars", "--data-dir", in_->data_dir(), lines});
    if (got.exit_code != 0) throw wrong_answer{"an import: " + got.errors};
    ++images_;
  }

  address data_;
  address ops_;
  const world* in_;
  lobby_ledger* ledger_;
  std::atomic<std::uint64_t> batches_{0};
  std::atomic<std::uint64_t> images_{0};
  std::uint64_t next_image_;
  /// Declared last: its threads use the other members.
  busy_clients clients_;
};

/// Restores a whole backup, with kills, and compares what a service on it says with the ledger.
void check_backup(const fixtures::temporary_directory& in, const std::string& folder,
                  const lobby_ledger& ledger, const std::vector<report>& at_least, chances& by) {
  good({"verify", folder});
  const auto data_dir = in.path("restored");
  const arguments restore{"restore", folder, "--data-dir", data_dir};
  if (by.one_in(2)) {
    child_process killed{restore};
    (void)killed.exit_code(deadline{by.up_to(milliseconds{150})});
    killed.signal(SIGKILL);
    (void)killed.exit_code();
  }
  // One that was killed behind its last step has ended too.
  const bool is_done =
      fs::exists(data_dir + "/matchcloud.db") && !fs::exists(data_dir + "/restore.unfinished");
  if (!is_done) good(restore);
  good({"verify", "--data-dir", data_dir});
  const auto csv = good({"export", "--game", ledger.game_id(), "--start", "0", "--end",
                         "253402300799999", "--data-dir", data_dir, "-o", "-"})
                       .out;
  CHECK(ledger.problem_of(csv, at_least) == "");
  fs::remove_all(data_dir);
}

const arguments backup_flags{"--loops", "2"};

/// What became of the backups of some rounds.
struct rounds_done {
  milliseconds usual{400};
  std::uint64_t whole = 0;
  std::uint64_t images = 0;
};

/// Makes backups of one store, which grows at the same time.
void make_backups(std::uint64_t rounds, chances& by, rounds_done& done) {
  auto& [usual, whole, images] = done;
  const world own;
  const fixtures::temporary_directory beside;
  lobby_ledger ledger{1};
  own.import(ledger.catalog());
  auto of = std::make_unique<server>(backup_flags, own);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const auto folder = beside.path("backup-" + std::to_string(round));
    busy_life clients{own, *of, ledger, by, images};
    REQUIRE(eventually([&] { return clients.is_busy() || clients.is_wrong(); }));
    const auto at_least = ledger.acknowledged();
    const auto begun = clock::now();
    child_process backing_up{{"backup", folder, "--data-dir", own.data_dir()}};
    // The first one ends by itself, to measure how long one takes here.
    const auto which = round == 0 ? 3 : by.between(1, 3);
    if (which == 1) {
      (void)backing_up.exit_code(deadline{by.up_to(usual)});
      backing_up.signal(SIGKILL);
    } else if (which == 2) {
      (void)backing_up.exit_code(deadline{by.up_to(usual)});
      clients.expect_end();
      of->process().signal(SIGKILL);
      REQUIRE(of->process().exit_code());
    }
    const auto ended = backing_up.exit_code();
    REQUIRE(ended);
    if (round == 0) usual = std::chrono::ceil<milliseconds>(clock::now() - begun);
    INFO(backing_up.errors());
    if (which != 1) CHECK(*ended == 0);
    REQUIRE(clients.finish() == "");
    images += clients.images();
    if (which == 2) of = std::make_unique<server>(backup_flags, own);
    if (fs::exists(folder + "/manifest.json")) {
      ++whole;
      check_backup(beside, folder, ledger, at_least, by);
    } else {
      CHECK(which == 1);
      for (const auto* command : {"verify", "restore"}) {
        const auto refused = run({command, folder, "--data-dir", beside.path("none")});
        CHECK(refused.exit_code == 1);
        CHECK((contains(refused.errors, "not whole") || contains(refused.errors, "not a whole")));
      }
      CHECK_FALSE(fs::exists(beside.path("none")));
      if (fs::exists(folder)) {
        const auto again = run({"backup", folder, "--data-dir", own.data_dir()});
        CHECK(again.exit_code == (fs::exists(folder + "/manifest.json") ? 0 : 2));
      }
    }
    fs::remove_all(folder);
  }
  good({"verify", "--data-dir", own.data_dir()});
}

TEST_CASE("kill -9 of a backup or the service at any instant: what says it is whole is",
          "[backup]") {
  chances by{"kill -9 of backups"};
  const auto all = setting("MATCHCLOUD_SOAK_BACKUPS", backups);
  rounds_done done;
  for (std::uint64_t left = all; left > 0; left -= std::min(left, backups_of_a_store))
    make_backups(std::min(left, backups_of_a_store), by, done);
  std::cout << "faults: " << all << " backups, which take " << done.usual.count() << " ms, "
            << done.whole << " of them whole and restored; " << done.images
            << " images imported in the meantime" << std::endl;
}

} // namespace

} // namespace matchcloud::faults
