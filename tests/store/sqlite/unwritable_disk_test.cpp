// A disk that accepts no more writes: full at an awkward moment, or read-only.
#include "store/files/data_directory.hpp"
#include "store/sqlite/sqlite.hpp"
#include "tests/fixtures/forked_process.hpp"
#include "tests/fixtures/small_disk.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/not_tested.hpp"

#include <filesystem>
#include <fstream>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;
using base::errc;
using fixtures::temporary_directory;

/// Checks that `body` holds on a file system in memory, in a forked process.
void check_on_disk_of(const std::string& size,
                      const std::function<bool(const std::string&)>& body) {
  const temporary_directory directory;
  fixtures::event_pipe mounted;
  fixtures::child process{[&] {
    if (!fixtures::own_mounts() || !fixtures::mount_in_memory(directory.path(), size)) return true;
    return mounted.signal() && body(directory.path());
  }};
  const bool held = process.succeeded();
  mounted.close_writer();
  if (!mounted.wait()) return fixtures::not_tested("this user may mount no file system");
  CHECK(held);
}

bool make_read_only(const std::string& path) {
  return ::mount("none", path.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
}

/// Fills the file system except for `left_bytes`.
void fill(const std::string& path, std::uintmax_t left_bytes) {
  std::ofstream{path + "/filler"} << std::string(fs::space(path).available - left_bytes, 'x');
}

TEST_CASE("leftovers on a read-only disk stay, and looking for them does no harm") {
  check_on_disk_of("1m", [](const std::string& data_dir) {
    fs::create_directories(data_dir + "/tmp/dead");
    if (!make_read_only(data_dir)) return false;
    remove_leftovers(data_dir);
    return fs::exists(data_dir + "/tmp/dead");
  });
}

TEST_CASE("a read-only disk is told with what to do about it") {
  check_on_disk_of("1m", [](const std::string& data_dir) {
    fs::create_directories(data_dir + "/tmp");
    if (!make_read_only(data_dir)) return false;
    const auto made = base::attempt([&] { return temporary_folder::make(data_dir); });
    return !made && made.error().code == errc::store_failed &&
           made.error().detail.ends_with(
               "Read-only file system; make its file system writable again");
  });
}

TEST_CASE("a disk too full for the index of the log is full, whatever SQLite calls it") {
  check_on_disk_of("24m", [](const std::string& data_dir) {
    auto db =
        sqlite_connection::open(data_dir + "/test.db", sqlite_connection::missing_file::is_made);
    const char* begin = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; "
                        "PRAGMA synchronous = OFF; CREATE TABLE t (x); INSERT INTO t VALUES (0)";
    db.execute(begin, "begin");
    // One page of the log per write. The first 32 KiB of the log's index cover 4,062 pages.
    const auto write = [&] { db.execute("UPDATE t SET x = x + 1", "write"); };
    while (fs::file_size(data_dir + "/test.db-wal") / 4'120 < 4'062)
      write();
    fill(data_dir, 16'384);
    const auto failed = base::attempt(write);
    return !failed && failed.error().code == errc::store_full &&
           failed.error().detail.find("[SQLite 4874]") != std::string::npos;
  });
}

} // namespace

} // namespace matchcloud::store
