#include "store/copy/filling.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr int lock_tries = 20;

base::error is_taken(const std::string& name) {
  return {base::errc::import_invalid,
          name + ": another `matchcloud restore` or `store copy` into it is at work; wait until "
                 "that one has ended"};
}

} // namespace

base::expected<filling> filling::begin(const std::string& data_dir) {
  auto path = data_dir + "/" + filling_name;
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return file_failure(path, "create the directory", errno);
  auto lock = directory_lock::try_take(path);
  if (!lock) return tl::unexpected(lock.error());
  // The process that had it may have removed it in between.
  if (!*lock || !(*lock)->is_on(path)) return tl::unexpected(is_taken(data_dir));
  return filling{std::move(path), **std::move(lock)};
}

filling::~filling() {
  if (!path_.empty()) ::rmdir(path_.c_str());
}

void begin_filling(sql_connection& on, const std::string& name) {
  // The key is the bytes "mcfl".
  static constexpr sql_command take{
      "SELECT CASE WHEN pg_try_advisory_lock(1835230828) THEN 1 ELSE 0 END",
      "look whether another copy is at work"};
  static constexpr sql_command wait{"SELECT 1 FROM pg_sleep(0.1)", "wait for another copy"};
  if (on.dialect() == sql_dialect::sqlite) return;
  // The server may not know yet that a copy ended a moment ago.
  for (int left = lock_tries; left > 0; --left) {
    if (on.number(take) == 1) return;
    on.has(wait, {});
  }
  throw base::failure{is_taken(name)};
}

} // namespace matchcloud::store
