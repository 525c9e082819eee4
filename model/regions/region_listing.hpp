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

/// What listings say of a catalog's regions to every client alike, rendered once. Immutable.
class region_fragments {
public:
  struct fragment {
    std::string head;
    /// See `append_region_head`.
    std::array<text_range, 5> values;
  };

  explicit region_fragments(std::span<const region> regions);

  const fragment& operator[](std::size_t position) const noexcept { return all_[position]; }

private:
  std::vector<fragment> all_;
};

/// A region in a listing: its position in the catalog, and the client's distance.
struct listed_region {
  std::size_t position = 0;
  /// Metres.
  double distance_m = 0;
};

/// The response of `regions.list` for one location: the order and the distances as they are
/// printed. It is put together with what the fragments hold each time that it is sent, plain or in
/// the gzip format, and is the same as `render_regions` makes. Immutable, any thread.
class region_listing {
public:
  /// `ranked` in the order of the listing; positions are those of `fragments`.
  region_listing(std::shared_ptr<const region_fragments> fragments,
                 std::span<const listed_region> ranked);

  std::size_t json_bytes() const noexcept { return json_bytes_; }
  void append_json(std::string& out) const;

  /// The same JSON in the gzip format (RFC 1952), compressed by what is known of its text: in an
  /// eighth of the time that zlib takes at level 1, and a third longer.
  /// Only where it `is_compressible`.
  std::size_t gzip_bytes() const noexcept { return gzip_bytes_; }
  void append_gzip(std::string& out) const;
  /// It is smaller so, and not `reordered`.
  bool is_compressible() const noexcept { return gzip_bytes_ != 0 && gzip_bytes_ < json_bytes_; }

  /// Names the JSON, by 64 bits of a SHA-256: what has the same digest is the same.
  std::uint64_t digest() const noexcept { return digest_; }

  /// Has the processor fetch the beginning of what is written of it: one of tens of thousands is in
  /// memory, not in a cache, and the answer's head can be made meanwhile.
  void prefetch() const noexcept;

  /// Memory that it holds, besides the fragments.
  std::size_t memory_bytes() const noexcept;

  /// The same regions in another order: `order[i]` is the place here of the one that comes i-th. It
  /// is one client's own and not kept, so it must cost little: a hundredth of what ranking costs.
  region_listing reordered(std::span<const std::size_t> order) const;

  /// How many regions, and the position in the catalog of the i-th.
  std::size_t size() const noexcept { return rows_.size(); }
  std::size_t position(std::size_t i) const noexcept { return rows_[i].position; }

private:
  /// A region's line in the listing; its digits stand in `digits_`, behind those of the row before.
  /// Behind the last there is room to read on.
  struct row {
    std::uint32_t position;
    std::uint8_t kilometers_bytes;
    std::uint8_t miles_bytes;
  };
  class value_places;

  explicit region_listing(std::shared_ptr<const region_fragments> fragments)
      : fragments_{std::move(fragments)} {}
  void add(std::size_t position, std::string_view kilometers, std::string_view miles);
  /// Once all are added: knows the length.
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
