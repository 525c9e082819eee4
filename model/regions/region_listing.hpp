#pragma once

#include "model/regions/ranking.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::model {

/// The part of a catalog's regions that is the same in all listings, rendered once. Immutable.
class region_fragments {
public:
  struct fragment {
    std::string head;
    /// The values that `append_region_head` returns.
    std::array<text_range, 5> values;
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
/// time it is sent, it is combined with the fragments, as plain JSON or in the gzip format, and
/// equals the result of `render_regions`. Immutable, any thread.
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

  /// Prefetches the beginning of the data that is about to be written: one listing of tens of
  /// thousands is in memory, not in a CPU cache, and the response's head can be made meanwhile.
  void prefetch() const noexcept;

  /// Bytes of memory in use, without the fragments.
  std::size_t memory_bytes() const noexcept;

  /// The regions in another order: `order[i]` is the index in this listing of the region that comes
  /// i-th. The result is for one client and not cached, so it must be cheap: a hundredth of the
  /// cost of ranking.
  region_listing reordered(std::span<const std::size_t> order) const;

  /// The number of regions; `position(i)` is the position in the catalog of the i-th.
  std::size_t size() const noexcept { return rows_.size(); }
  std::size_t position(std::size_t i) const noexcept { return rows_[i].position; }

private:
  /// A region's line in the listing; its digits are in `digits_`, after those of the previous row.
  /// `digits_` is padded at its end, so that reading beyond the last digits is safe.
  struct row {
    std::uint32_t position;
    std::uint8_t kilometers_bytes;
    std::uint8_t miles_bytes;
  };
  class value_places;

  explicit region_listing(std::shared_ptr<const region_fragments> fragments)
      : fragments_{std::move(fragments)} {}
  void add(std::size_t position, std::string_view kilometers, std::string_view miles);
  /// Computes the lengths; called when all rows are added.
  void complete();
  template <class Sink>
  void compress(Sink& sink, std::string_view text) const;

  std::shared_ptr<const region_fragments> fragments_;
  std::vector<row> rows_;
  std::string digits_;
  std::size_t json_bytes_ = 0;
  std::size_t gzip_bytes_ = 0;
  std::uint64_t digest_ = 0;
  std::uint32_t crc32_ = 0;
};

} // namespace matchcloud::model
