#pragma once

#include "model/regions/deflate.hpp"
#include "model/regions/ranking.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// The part of a catalog's regions that is the same in all listings, rendered once. Immutable.
class region_fragments {
public:
  static constexpr std::size_t value_count = 5;

  /// A value in a fragment, to be compressed.
  struct value {
    /// Where it begins in `joint_and_head`.
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
    /// Equal for values with the same text.
    std::uint32_t number = 0;
    /// Where its codes end in `literals`; they begin where those of the value before it end.
    std::uint32_t literals_end = 0;
    /// Its first characters as deflate's literals.
    deflate::code beginning;
  };

  struct fragment {
    /// The end of the region before it and a comma, with which each region of a listing except the
    /// first begins, then the head.
    std::string joint_and_head;
    /// The values that `append_region_head` returns.
    std::array<value, value_count> values;
    /// The rest of their codes, after `value::beginning`, one value after the other.
    std::vector<deflate::code> literals;
    /// All of `head` as deflate's literals.
    std::vector<deflate::code> head_literals;

    std::string_view head() const noexcept;
  };

  explicit region_fragments(std::span<const region> regions);

  const fragment& operator[](std::size_t position) const noexcept { return all_[position]; }

private:
  std::vector<fragment> all_;
};

/// A region in a listing: its position in the catalog, and its distance from the client.
struct listed_region {
  std::size_t position = 0;
  /// Meters.
  double distance_m = 0;
};

/// The response of `regions.list` for one location: the order and the distances as printed. Each
/// time it is sent, it is combined with the fragments into the whole listing, as plain JSON or in
/// the gzip format. Immutable, any thread.
class region_listing {
public:
  /// `ranked` is in the order of the listing; its positions index `fragments`.
  region_listing(std::shared_ptr<const region_fragments> fragments,
                 std::span<const listed_region> ranked);

  std::size_t json_bytes() const noexcept { return json_bytes_; }
  void append_json(std::string& out) const;

  /// The JSON in the gzip format (RFC 1952), compressed with knowledge of its text: this takes an
  /// eighth of the time of zlib at level 1, and the result is a third longer. Only valid if
  /// `is_compressible`.
  std::size_t gzip_bytes() const noexcept { return gzip_bytes_; }
  void append_gzip(std::string& out) const;
  /// Whether gzip is smaller than plain JSON. False for a listing made by `reordered`.
  bool is_compressible() const noexcept { return gzip_bytes_ != 0 && gzip_bytes_ < json_bytes_; }

  /// Identifies the JSON by 64 bits of a SHA-256: listings with the same digest have the same text.
  std::uint64_t digest() const noexcept { return digest_; }

  /// Prefetches what is about to be sent, without waiting for it: one of tens of thousands of
  /// listings is in memory, not in a CPU cache. The response's head can be made until it arrives.
  void prefetch() const noexcept;

  /// Bytes of memory in use, without the fragments.
  std::size_t memory_bytes() const noexcept;

  /// The regions in another order: `order[i]` is the index in this listing of the new i-th region.
  /// The result is for one client and not cached, so it must be cheap. It costs a hundredth of a
  /// ranking.
  region_listing reordered(std::span<const std::size_t> order) const;

  /// The number of regions; `position(i)` is the position in the catalog of the i-th.
  std::size_t size() const noexcept { return row_count_; }
  std::size_t position(std::size_t i) const noexcept { return rows()[i].position; }

private:
  /// A region's line in the listing; its digits come after those of the previous row.
  struct row {
    std::uint32_t position : 24;
    std::uint32_t kilometers_bytes : 4;
    std::uint32_t miles_bytes : 4;
  };
  /// Rows and digits, in the order of the listing.
  struct lines {
    std::vector<row> rows;
    std::string digits;

    void add(std::size_t position, std::string_view kilometers, std::string_view miles);
  };
  /// Bytes of rows and digits that need no allocation of their own: enough for 12 regions.
  static constexpr std::size_t inline_bytes = 272;

  /// Leaves out the digest and the compressed form.
  region_listing(std::shared_ptr<const region_fragments> fragments, const lines& all);
  std::span<const row> rows() const noexcept {
    return {reinterpret_cast<const row*>(bytes()), row_count_};
  }
  /// After the last digits is padding, so that reading beyond them is safe.
  const char* digits() const noexcept { return bytes() + row_count_ * sizeof(row); }
  const char* bytes() const noexcept { return heap_ ? heap_.get() : inline_.data(); }
  /// Writes the compressed form, without gzip's header and trailer. Returns its end. `to` must have
  /// room for 8 more bytes.
  char* compress(char* to) const noexcept;

  std::shared_ptr<const region_fragments> fragments_;
  std::size_t json_bytes_ = 0;
  std::size_t gzip_bytes_ = 0;
  std::uint64_t digest_ = 0;
  std::uint32_t crc32_ = 0;
  std::uint32_t row_count_ = 0;
  /// The rows, then the digits, in one run of memory, because each line of it that is not in a
  /// cache costs a wait. Null: they are in `inline_`.
  std::unique_ptr<char[]> heap_;
  alignas(row) std::array<char, inline_bytes> inline_;
};

} // namespace matchcloud::model
