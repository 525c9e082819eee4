#include "store/sql/copy_mark.hpp"

namespace matchcloud::store {

void set_copy_mark(sql_connection& on) {
  static constexpr sql_command insert{
      "INSERT INTO revisions (name, revision) VALUES ($1, 1) ON CONFLICT (name) DO NOTHING",
      "mark the store as a copy that is not complete"};
  on.run(insert, {copy_mark});
}

void remove_copy_mark(sql_connection& on) {
  static constexpr sql_command remove{"DELETE FROM revisions WHERE name = $1",
                                      "mark the store as a complete copy"};
  on.run(remove, {copy_mark});
}

bool has_copy_mark(sql_connection& on) {
  static constexpr sql_command query{"SELECT count(*) FROM revisions WHERE name = $1",
                                     "look whether a copy is complete"};
  return on.number(query, {copy_mark}) > 0;
}

void check_is_whole(sql_connection& on, const std::string& name) {
  if (has_copy_mark(on))
    throw base::failure{base::errc::import_invalid,
                        name + ": a `matchcloud store copy` or `restore` into this store was not "
                               "completed, so parts of it are missing. Run the same command again "
                               "to complete it, or use a new data directory or database"};
}

} // namespace matchcloud::store
