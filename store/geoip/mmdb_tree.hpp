#pragma once

#include "base/error.hpp"
#include "store/files/stable_file.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace matchcloud::store {

/// The search tree of a MaxMind database, of which only some pages are in memory: writers number
/// nodes in the order in which a walk finds them, so a walk reads each page about once. (A tree in
/// another order is read correctly, but more slowly.) Format: MaxMind DB specification 2.0, "Binary
/// search tree section". One thread at a time.
class mmdb_tree {
public:
  struct shape {
    std::uint32_t node_count = 0;
    /// 24, 28 or 32.
    unsigned record_bits = 0;
    /// The size of the data section.
    std::size_t section_bytes = 0;
  };

  struct child {
    enum class kind : std::uint8_t {
      /// There are no records for these addresses.
      nothing,
      node,
      record,
      /// It points neither to a node after the first nor to a record.
      damaged,
    };
    kind what = kind::nothing;
    /// The number of a node, or the offset of a record in the data section.
    std::uint32_t value = 0;
  };

  /// `file` must outlive this.
  mmdb_tree(const stable_file& file, const shape& of);

  /// The children of a node below `node_count`, for a next bit of 0 and of 1; nothing if the file
  /// can no longer be read.
  std::array<child, 2> read(std::uint32_t node);

  /// Why the file could not be read.
  const std::optional<base::error>& failure() const noexcept { return failure_; }

private:
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::size_t page_count = 512;
  /// A node that begins in one page may end in the next.
  static constexpr std::size_t node_bytes_limit = 8;
  static constexpr std::size_t kept_bytes = page_bytes + node_bytes_limit;

  /// The bytes from `offset` on, at least those of a node.
  const std::uint8_t* at(std::uint64_t offset);
  child child_of(std::uint32_t record) const noexcept;

  const stable_file* file_;
  shape shape_;
  /// Pages by their number modulo `page_count`.
  std::vector<std::uint8_t> pages_;
  std::vector<std::uint64_t> numbers_;
  std::optional<base::error> failure_;
};

} // namespace matchcloud::store
