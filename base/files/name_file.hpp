#pragma once

namespace matchcloud::base {

/// Gives the file `from` the name `to` on the same file system, unless that name is taken. Returns
/// 0, EEXIST if the name is taken, or another errno. Uses a hard link, after which `from` is still
/// a name of the file. On file systems without hard links (FAT, some network and FUSE file systems)
/// it renames, after which `from` is gone. If the file system cannot even rename without replacing,
/// it first checks that the name is free: if two processes use one name at the same instant, the
/// later one wins.
int name_file(const char* from, const char* to) noexcept;

} // namespace matchcloud::base
