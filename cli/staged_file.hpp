#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::cli {

/// What to do if the new file's name is taken.
enum class taken_name : bool { refuse, replace };

/// A small new file that is first written to a temporary file in the same directory and renamed
/// when it is complete, so it exists with all of its content or not at all. Several can be prepared
/// before the first one is renamed. One thread.
class staged_file {
public:
  /// Writes the whole content to the temporary file and syncs it. Only the owner can read it until
  /// it is written; then it gets `mode`, whatever the umask. Fails with `io_failed` or
  /// `store_full`; with `refuse`, also if the name is taken, even by a dangling link.
  static base::expected<staged_file> write(const std::string& file, std::string_view bytes,
                                           mode_t mode, taken_name taken);

  staged_file(staged_file&& other) noexcept
      : name_{std::move(other.name_)},
        aside_{std::exchange(other.aside_, {})},
        taken_{other.taken_} {}
  staged_file& operator=(staged_file&&) = delete;
  /// Removes the temporary file if it was not renamed.
  ~staged_file();

  /// Renames the file and syncs the directory. If the name is taken, replaces that file (a link
  /// itself, not its target), or fails with `refuse`. Fails with `io_failed`, `store_full` or
  /// `store_failed`.
  base::expected<void> commit();

private:
  staged_file(std::string name, taken_name taken) : name_{std::move(name)}, taken_{taken} {}

  base::expected<base::file_descriptor> create_aside();

  std::string name_;
  /// The temporary file's path; empty before it is created, after it is renamed and after a move.
  std::string aside_;
  taken_name taken_;
};

} // namespace matchcloud::cli
