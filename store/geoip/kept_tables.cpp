#include "store/geoip/kept_tables.hpp"

#include "base/hexadecimal.hpp"
#include "base/sha256.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/new_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr std::string_view suffix = ".tables";
constexpr std::string_view unfinished_suffix = ".tables.new";

/// How much of a file's own name the name of its tables has, for people.
constexpr std::size_t shown_name_limit = 80;
/// How many bytes of a digest tell files of the same name in different folders apart.
constexpr std::size_t distinction_bytes = 8;

/// A name for the tables of the file at `path`, wherever the process was started.
std::string name_of(const std::string& path) {
  std::error_code ignored;
  const auto whole = std::filesystem::absolute(path, ignored).lexically_normal();
  auto name = whole.filename().string().substr(0, shown_name_limit);
  const auto digest = base::sha256(whole.native());
  name += '-';
  base::append_hexadecimal(name, std::span{digest}.first(distinction_bytes));
  return name.append(suffix);
}

} // namespace

std::string kept_tables::place_of(const std::string& path) const {
  return folder_ + "/" + name_of(path);
}

tl::expected<tables_read, tables_unusable> kept_tables::read(const std::string& path,
                                                             const file_state& source) const {
  // The state of a file that was just written does not identify its content.
  if (source.is_fresh()) return tl::unexpected{tables_unusable{"the file was just written"}};
  if (folder_.empty() || source.failure != 0) return tl::unexpected{tables_unusable{"not there"}};
  return read_tables(place_of(path), source);
}

base::expected<void> kept_tables::keep(const std::string& path, const file_state& source,
                                       const mmdb_file& tables) const {
  if (auto made = make_data_directory(folder_); !made) return made;
  const auto alone = directory_lock::try_take(folder_);
  if (!alone) return tl::unexpected{alone.error()};
  if (!*alone) return {}; // another process is at it; one of the next will find what it keeps
  const auto place = place_of(path);
  const auto unfinished = place + ".new";
  ::unlink(unfinished.c_str()); // of a process that was killed
  auto file = new_file::create(unfinished);
  if (!file) return tl::unexpected{file.error()};
  if (auto written = write_tables(*file, source, tables); !written) return written;
  // The folder is not synced: a name that a power failure takes costs time only.
  return file->rename_to(place);
}

void kept_tables::remove(const std::string& path) const noexcept {
  ::unlink(place_of(path).c_str());
}

void kept_tables::remove_others(const std::vector<std::string>& paths) const {
  if (folder_.empty()) return;
  const auto alone = directory_lock::try_take(folder_);
  if (!alone || !*alone) return; // there is no folder, or another process writes into it
  std::vector<std::string> wanted;
  wanted.reserve(paths.size());
  for (const auto& path : paths)
    wanted.push_back(name_of(path));
  std::error_code failed;
  for (std::filesystem::directory_iterator entry{folder_, failed}, end; !failed && entry != end;
       entry.increment(failed)) {
    const auto name = entry->path().filename().string();
    const bool is_kept = name.ends_with(suffix) && std::ranges::find(wanted, name) == wanted.end();
    // The folder may have others' files, such as the GeoIP files themselves.
    if (is_kept || name.ends_with(unfinished_suffix)) ::unlink(entry->path().c_str());
  }
}

} // namespace matchcloud::store
