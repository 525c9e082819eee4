#pragma once

#include "store/sqlite/sqlite.hpp"

#include <cstdint>
#include <functional>

namespace matchcloud::store {

/// How many pages a step of `copy_pages` copies before it checks whether to stop.
inline constexpr int copied_pages = 1'024;

/// Copies a whole database, page by page, over the content of `into`. All pages are from the
/// snapshot that `from` reads: call this in a read transaction that has read something. With a
/// write-ahead log, writers to `from` do not wait, but the log grows. Once this returns, `into` has
/// either the copy or its previous content. `stop` may be empty; `show` receives how many pages of
/// how many are copied.
///
/// Throws `store_failed`, `store_full`, or `cancelled` if `stop` returns true.
void copy_pages(sqlite_connection& from, sqlite_connection& into, const std::function<bool()>& stop,
                const std::function<void(std::uint64_t pages, std::uint64_t whole)>& show);

} // namespace matchcloud::store
