#include "store/sql/copy_mark.hpp"

namespace matchcloud::store {

base::expected<void> set_copy_mark(sql_connection& on) {
  static constexpr sql_command insert{
      "INSERT INTO revisions (name, revision) VALUES ($1, 1) ON CONFLICT (name) DO NOTHING",
      "mark the store as a copy that is not complete"};
  return on.run(insert, {copy_mark});
}

base::expected<void> remove_copy_mark(sql_connection& on) {
  static constexpr sql_command remove{"DELETE FROM revisions WHERE name = $1",
                                      "mark the store as a complete copy"};
  return on.run(remove, {copy_mark});
}

base::expected<void> check_is_whole(sql_connection& on, const std::string& name) {
  static constexpr sql_command query{"SELECT count(*) FROM revisions WHERE name = $1",
                                     "look whether a copy is complete"};
  const auto marks = select_integer(on, query, {copy_mark});
  if (!marks) return tl::unexpected(marks.error());
  if (*marks == 0) return {};
  return base::fail(base::errc::import_invalid,
                    name + ": a `matchcloud store copy` or `restore` into this store was not "
                           "completed, so parts of it are missing. Run the same command again to "
                           "complete it, or use a new data directory or database");
}

} // namespace matchcloud::store
