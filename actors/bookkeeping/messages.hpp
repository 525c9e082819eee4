#pragma once

#include "actors/request/message.hpp"

namespace matchcloud::actors {

/// bookkeeping -> bookkeeping, at every tick.
struct keep_books {};

/// blocking pool -> bookkeeping: the books are kept until the next tick.
struct books_kept {};

} // namespace matchcloud::actors
