#pragma once

namespace matchcloud::base {

/// Gives the file `from` the name `to` on the same file system, unless something has that name:
/// returns 0, EEXIST if the name is taken, or another errno. By a hard link, after which `from` is
/// still a name of the file; where the file system has none (FAT, some network and FUSE file
/// systems), by a rename, after which it is not. A file system that cannot rename without replacing
/// either is looked at first: there, of two processes that use one name at the same instant, the
/// later one wins.
int name_file(const char* from, const char* to) noexcept;

} // namespace matchcloud::base
