#pragma once

#include "base/expected.hpp"
#include "store/sqlite/sqlite.hpp"

#include <cstdint>
#include <functional>

namespace matchcloud::store {

/// How many pages a step of `copy_pages` copies, after which it asks whether to stop.
inline constexpr int copied_pages = 1'024;

/// Copies a whole database, page by page, over what `into` has. All pages are of the snapshot that
/// `from` reads: call this in a read transaction that has read something. In a write-ahead log,
/// nobody who writes to `from` waits meanwhile, but the log grows. `into` has the copy once this
/// returns, or what it had before. `stop` may be empty; `show` takes how many pages of how many are
/// copied.
///
/// Fails with `store_failed`, `store_full`, or with `cancelled` if `stop` returns true.
base::expected<void>
copy_pages(sqlite_connection& from, sqlite_connection& into, const std::function<bool()>& stop,
           const std::function<void(std::uint64_t pages, std::uint64_t whole)>& show);

} // namespace matchcloud::store
