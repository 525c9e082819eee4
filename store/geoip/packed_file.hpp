#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace matchcloud::store {

/// The bytes at the beginning of a file that `describe_packing` looks at.
inline constexpr std::size_t packing_bytes = 4UL * 1024;

/// What is packed (compressed or an archive) by its first bytes, and how to unpack it: databases
/// are handed out so. Continues "it is"; empty if the bytes tell of no packing. Looks into gzip,
/// because an archive in it is unpacked in another way.
std::string describe_packing(std::span<const std::uint8_t> beginning);

} // namespace matchcloud::store
