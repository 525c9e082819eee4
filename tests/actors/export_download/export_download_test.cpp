#include "actors/export_download/export_download.hpp"

#include "actors/lobby_export/export_job.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/shared_file.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/exports/file_exports.hpp"

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::errc;
using std::chrono::milliseconds;

const model::uuid export_id = id_of(7);
constexpr std::size_t csv_bytes = 100'000;

struct export_download_bench : deterministic_system {
  temporary_directory folder;
  manual_clock clock;
  manual_pool short_work;
  manual_pool long_work;
  export_metrics metrics;
  std::shared_ptr<store::export_objects> files;
  std::shared_ptr<store::secret_ring> keys = open_signing_keys(folder.path());
  std::shared_ptr<probe_log> log = std::make_shared<probe_log>();
  caf::actor front = spawn<probe>(log);
  services with;
  export_download_settings settings;
  caf::actor downloads;
  std::uint64_t last = 0;

  explicit export_download_bench(const std::function<void(export_download_bench&)>& change = {},
                                 std::uint64_t limit_bytes = 1024UL * 1024 * 1024)
      : files{
            *open_exports(folder.path(), *store::open_sqlite(folder.path()), clock, limit_bytes)} {
    with.exports = files;
    with.signing_keys = keys;
    with.short_work = &short_work;
    with.store_work = &short_work;
    with.long_work = &long_work;
    with.clock = &clock;
    with.export_metrics = &metrics;
    if (change) change(*this);
    downloads = spawn<export_download>(with, settings);
    run();
  }
  ~export_download_bench() {
    kill(downloads);
    short_work.tasks.clear(); // tasks hold the actor
    long_work.tasks.clear();
  }

  void publish(const model::uuid& id = export_id, std::size_t bytes = csv_bytes) {
    const auto begun = files->begin({{}, id});
    REQUIRE(begun);
    const auto& draft = std::get<std::unique_ptr<store::export_draft>>(*begun);
    REQUIRE(draft->append(numbered_bytes(bytes)));
    REQUIRE(draft->publish(INT64_MAX));
  }
  std::uint64_t soon() const { return static_cast<std::uint64_t>(clock.unix_ms()) / 1'000 + 60; }
  void ask(bool gzip = false, const model::uuid& id = export_id) { ask(gzip, id, soon()); }
  void ask(bool gzip, const model::uuid& id, std::uint64_t expires_s) {
    const auto url = export_url("", id, expires_s, *keys->current());
    send(id, expires_s, url.substr(url.find("signature=") + 10), gzip);
  }
  void send(const model::uuid& id, std::uint64_t expires_s, std::string signature, bool gzip) {
    send_as(front, downloads, open_export{{++last, 1}, id, expires_s, std::move(signature), gzip});
  }
  void settle() {
    while (short_work.run_one())
      run();
  }
  bool compress() {
    const bool ran = long_work.run_one();
    run();
    settle();
    return ran;
  }
  base::errc failure() const { return log->failed.back().error.code; }
};

TEST_CASE("a signed URL opens the file once for all clients") {
  export_download_bench on;
  on.publish();
  on.ask();
  on.ask();
  CHECK(on.log->exports_opened.empty());
  on.settle();
  REQUIRE(on.log->exports_opened.size() == 2);
  const auto& first = on.log->exports_opened[0];
  CHECK(first.exchange == exchange_ref{1, 1});
  CHECK(first.file->facts.export_id == export_id);
  CHECK(first.file->csv->size_bytes() == csv_bytes);
  CHECK(first.file->csv == on.log->exports_opened[1].file->csv);
  CHECK(!first.file->gzip);
}

TEST_CASE("forged and expired URLs are refused without a look at the disk") {
  export_download_bench on;
  on.publish();
  on.settle();
  const auto good = export_url("", export_id, on.soon(), *on.keys->current());
  const auto signature = good.substr(good.find("signature=") + 10);
  for (const auto& forged : {std::string{}, std::string(64, '0'), signature.substr(1),
                             signature + "0", std::string(200, 'f')}) {
    CAPTURE(forged);
    on.send(export_id, on.soon(), forged, false);
    CHECK(on.failure() == errc::signature_invalid);
  }
  on.send(export_id, on.soon() + 1, signature, false); // a later expiry than the signed one
  CHECK(on.failure() == errc::signature_invalid);
  on.send(id_of(8), on.soon(), signature, false); // the signature of another export
  CHECK(on.failure() == errc::signature_invalid);
  const auto now_s = static_cast<std::uint64_t>(on.clock.unix_ms()) / 1'000;
  on.ask(false, export_id, now_s);
  CHECK(on.failure() == errc::url_expired);
  CHECK(on.short_work.tasks.empty());
  on.ask(false, export_id, now_s + 1);
  on.settle();
  CHECK(on.log->exports_opened.size() == 1);
}

TEST_CASE("an export that is not there is 404") {
  export_download_bench on;
  on.ask();
  on.settle();
  REQUIRE(on.log->failed.size() == 1);
  CHECK(on.failure() == errc::export_not_found);
}

TEST_CASE("URLs outlive the rotation of their keys unless revoked") {
  const auto revoked = GENERATE(false, true);
  export_download_bench on;
  on.publish();
  const auto old = export_url("", export_id, on.soon(), *on.keys->current());
  store::secret_files secrets{on.folder.path()};
  REQUIRE(secrets.rotate(on.clock.unix_ms(), revoked ? store::replaced_secrets::revoke
                                                     : store::replaced_secrets::keep));
  on.advance(on.settings.tick);
  on.settle();
  CHECK(export_url("", export_id, on.soon(), *on.keys->current()) != old);
  on.send(export_id, on.soon(), old.substr(old.find("signature=") + 10), false);
  on.settle();
  CHECK(on.log->exports_opened.size() == (revoked ? 0 : 1));
  if (revoked) CHECK(on.failure() == errc::signature_invalid);
  on.ask();
  on.settle();
  CHECK(on.log->exports_opened.size() == (revoked ? 1 : 2));
}

TEST_CASE("a client that accepts gzip waits for one compression") {
  export_download_bench on;
  on.publish();
  on.ask(true);
  on.ask(true);
  on.ask(false);
  on.settle();
  CHECK(on.log->exports_opened.size() == 1); // the client that takes it uncompressed
  CHECK(on.long_work.tasks.size() == 1);
  REQUIRE(on.compress());
  REQUIRE(on.log->exports_opened.size() == 3);
  CHECK(on.log->exports_opened[1].file->gzip);
  CHECK(on.log->exports_opened[2].file->gzip);
  on.ask(true);
  on.settle();
  CHECK(on.log->exports_opened.size() == 4);
  CHECK(on.log->exports_opened[3].file->gzip == on.log->exports_opened[2].file->gzip);
  CHECK(on.long_work.tasks.empty());
  CHECK(on.metrics.compressed.get() == 1);
}

TEST_CASE("a slow compression is not waited for") {
  export_download_bench on;
  on.publish();
  on.ask(true);
  on.settle();
  on.clock.advance(export_download::compression_patience - milliseconds{1});
  on.advance(on.settings.tick);
  CHECK(on.log->exports_opened.empty());
  on.clock.advance(milliseconds{1});
  on.advance(on.settings.tick);
  REQUIRE(on.log->exports_opened.size() == 1);
  CHECK(!on.log->exports_opened[0].file->gzip);
  on.compress();
  CHECK(on.log->exports_opened.size() == 1);
  on.ask(true);
  on.settle();
  CHECK(on.log->exports_opened.back().file->gzip);
}

TEST_CASE("a file that is hardly worth it is not compressed") {
  export_download_bench on;
  on.publish(export_id, export_download::least_compressed_bytes - 1);
  on.publish(id_of(8), export_download::least_compressed_bytes);
  on.ask(true);
  on.settle();
  CHECK(on.log->exports_opened.size() == 1);
  CHECK(on.long_work.tasks.empty());
  on.ask(true, id_of(8));
  on.settle();
  CHECK(on.long_work.tasks.size() == 1);
}

TEST_CASE("a file that cannot be compressed is sent as it is") {
  export_download_bench on{{}, csv_bytes + 100};
  on.publish();
  on.ask(true);
  on.settle();
  on.compress();
  REQUIRE(on.log->exports_opened.size() == 1);
  CHECK(!on.log->exports_opened[0].file->gzip);
  on.ask(true);
  on.settle();
  CHECK(on.log->exports_opened.size() == 2);
  CHECK(on.long_work.tasks.empty());
  // The cause of the failure may be gone later.
  on.clock.advance(export_download::compression_pause);
  on.ask(true);
  on.settle();
  CHECK(on.long_work.tasks.size() == 1);
}

TEST_CASE("a file removed during its compression is sent plain") {
  export_download_bench on;
  on.publish();
  on.ask(true);
  on.settle();
  on.files->remove(export_id);
  on.compress();
  REQUIRE(on.log->exports_opened.size() == 1);
  CHECK(on.log->exports_opened[0].file->csv->size_bytes() == csv_bytes);
  CHECK(on.log->failed.empty());
}

TEST_CASE("the number of waiting downloads is limited") {
  export_download_bench on{[](auto& bench) { bench.settings.waiting_limit = 2; }};
  on.publish();
  on.ask();
  on.ask();
  on.ask();
  REQUIRE(on.log->failed.size() == 1);
  CHECK(on.failure() == errc::overloaded);
  on.settle();
  CHECK(on.log->exports_opened.size() == 2);
  on.ask();
  on.settle();
  CHECK(on.log->exports_opened.size() == 3);
}

/// Exports that are elsewhere, each reader with bytes of its own.
class passing_exports final : public store::export_store {
public:
  base::expected<store::begun_export> begin(const store::export_request&) override {
    return store::export_not_found();
  }
  base::expected<store::opened_export_ptr> open(const model::uuid& id) override {
    ++opened;
    auto made = std::make_shared<store::opened_export>();
    made->facts.export_id = id;
    return made;
  }
  base::expected<store::opened_export_ptr> for_reader(const store::opened_export_ptr& of) override {
    if (++readers == failing_reader)
      return base::fail(errc::budget_exhausted, "no memory for this one");
    auto made = std::make_shared<store::opened_export>(*of);
    made->csv = open_shared(folder_, numbered_bytes(csv_bytes));
    return made;
  }
  bool has(const model::uuid&) override { return true; }
  base::expected<void> compress(const model::uuid&, const std::function<bool()>&) override {
    return {};
  }
  void remove(const model::uuid&) override {}
  base::expected<std::size_t> erase(const model::uuid&) override { return std::size_t{0}; }
  base::expected<void> sweep(std::int64_t) override { return {}; }
  std::uint64_t used_bytes() const override { return 0; }

  int opened = 0;
  int readers = 0;
  /// The reader that gets an error, counted from 1.
  int failing_reader = 0;

private:
  temporary_directory folder_;
};

TEST_CASE("each reader of an export in a bucket gets its own bytes") {
  passing_exports exports;
  export_download_bench on{[&](auto& bench) {
    bench.with.exports = {std::shared_ptr<void>{}, &exports};
  }};
  on.ask();
  on.ask();
  on.settle();
  REQUIRE(on.log->exports_opened.size() == 2);
  CHECK(exports.opened == 1);
  CHECK(exports.readers == 2);
  const auto& opened = on.log->exports_opened;
  CHECK(opened[0].file->facts.export_id == export_id);
  CHECK(opened[0].file->csv->size_bytes() == csv_bytes);
  CHECK(opened[0].file->csv != opened[1].file->csv);
}

TEST_CASE("an export without a file is not compressed") {
  passing_exports exports;
  export_download_bench on{[&](auto& bench) {
    bench.with.exports = {std::shared_ptr<void>{}, &exports};
  }};
  on.ask(true);
  on.settle();
  REQUIRE(on.log->exports_opened.size() == 1);
  CHECK(!on.log->exports_opened[0].file->gzip);
  CHECK(on.long_work.tasks.empty());
}

TEST_CASE("a reader without memory is refused, and no other") {
  passing_exports exports;
  exports.failing_reader = 2;
  export_download_bench on{[&](auto& bench) {
    bench.with.exports = {std::shared_ptr<void>{}, &exports};
  }};
  for (int i = 0; i < 3; ++i)
    on.ask();
  on.settle();
  REQUIRE(on.log->failed.size() == 1);
  CHECK(on.log->failed[0].exchange == exchange_ref{2, 1});
  CHECK(on.failure() == errc::budget_exhausted);
  REQUIRE(on.log->exports_opened.size() == 2);
  CHECK(on.log->exports_opened[1].exchange == exchange_ref{3, 1});
  on.ask();
  on.settle();
  CHECK(on.log->exports_opened.size() == 3);
}

} // namespace
} // namespace matchcloud::actors
