#include "store/sqlite/sqlite_backup.hpp"

#include <sqlite3.h>

#include <memory>

namespace matchcloud::store {

namespace {

struct finisher {
  void operator()(sqlite3_backup* handle) const noexcept { sqlite3_backup_finish(handle); }
};

} // namespace

void copy_pages(sqlite_connection& from, sqlite_connection& into, const std::function<bool()>& stop,
                const std::function<void(std::uint64_t pages, std::uint64_t whole)>& show) {
  static constexpr std::string_view operation = "copy the database";
  std::unique_ptr<sqlite3_backup, finisher> copy{
      sqlite3_backup_init(into.handle_.get(), "main", from.handle_.get(), "main")};
  if (!copy) throw into.failure(operation);
  while (true) {
    // Within the caller's transaction the copy never restarts, whatever others commit.
    const int result = sqlite3_backup_step(copy.get(), copied_pages);
    const auto whole = sqlite3_backup_pagecount(copy.get());
    show(static_cast<std::uint64_t>(whole - sqlite3_backup_remaining(copy.get())),
         static_cast<std::uint64_t>(whole));
    if (result == SQLITE_DONE) return;
    if (result != SQLITE_OK) {
      copy.reset(); // passes the failure to `into`
      throw into.failure(operation);
    }
    if (stop && stop()) throw base::failure{base::errc::cancelled, "interrupted"};
  }
}

} // namespace matchcloud::store
