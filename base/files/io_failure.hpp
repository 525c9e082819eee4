#pragma once

#include "base/expected.hpp"

#include <string>
#include <string_view>

namespace matchcloud::base {

/// Whether an errno means that the disk, or this user's quota, is full.
bool is_disk_full(int code) noexcept;

/// What the operator can do about an errno; empty if the error's own message is enough.
std::string_view advice(int code) noexcept;

/// Makes an error `PATH: cannot OPERATION: REASON; ADVICE` from an errno: `store_full` if the disk
/// is full, else `other`.
tl::unexpected<error> io_failure(std::string_view path, std::string_view operation, int code,
                                 errc other);

} // namespace matchcloud::base
