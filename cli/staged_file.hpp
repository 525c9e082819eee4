#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::cli {

/// What becomes of a file whose name a new one wants.
enum class taken_name : bool { refuse, replace };

/// A small new file that is written aside, in the same directory, and takes its name when it is
/// whole: it is there with all of its content, or not at all. Several are prepared before the first
/// of them takes its name. One thread.
class staged_file {
public:
  /// Writes the whole content aside and syncs it. Until then its owner alone may read it; then it
  /// gets `mode`, whatever the umask. Fails with `io_failed` or `store_full`; with `refuse`, also
  /// if anything of that name exists, even a link that leads nowhere.
  static base::expected<staged_file> write(const std::string& file, std::string_view bytes,
                                           mode_t mode, taken_name taken);

  staged_file(staged_file&& other) noexcept
      : name_{std::move(other.name_)},
        aside_{std::exchange(other.aside_, {})},
        taken_{other.taken_} {}
  staged_file& operator=(staged_file&&) = delete;
  /// Removes what has not taken its name.
  ~staged_file();

  /// Gives the file its name, and syncs the directory. Replaces a file of that name, a link itself
  /// and not what it leads to, or fails if there is one by now. Fails with `io_failed`,
  /// `store_full` or `store_failed`.
  base::expected<void> commit();

private:
  staged_file(std::string name, taken_name taken) : name_{std::move(name)}, taken_{taken} {}

  base::expected<base::file_descriptor> create_aside();

  std::string name_;
  /// Empty before it is created, after it took its name and after a move.
  std::string aside_;
  taken_name taken_;
};

} // namespace matchcloud::cli
