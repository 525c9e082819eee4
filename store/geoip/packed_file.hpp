#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace matchcloud::store {

/// The bytes at the beginning of a file that `describe_packing` looks at.
inline constexpr std::size_t packing_bytes = 4UL * 1024;

/// Describes by its first bytes how a file is packed (compressed or an archive), and how to unpack
/// it: vendors distribute databases in packed form. Continues "it is"; empty if the bytes show no
/// packing. Looks into gzip, because an archive inside needs a different command.
std::string describe_packing(std::span<const std::uint8_t> beginning);

} // namespace matchcloud::store
