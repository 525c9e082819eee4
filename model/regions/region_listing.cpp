#include "model/regions/region_listing.hpp"

#include "base/check.hpp"
#include "base/sha256.hpp"
#include "model/regions/deflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace matchcloud::model {

namespace {

/// The header of RFC 1952 section 2.3: deflate, no name, no time, unknown system.
constexpr std::string_view gzip_head{"\x1f\x8b\x08\0\0\0\0\0\0\xff", 10};
/// CRC-32 and length of the plain text.
constexpr std::size_t gzip_tail_bytes = 8;

constexpr std::size_t value_count = 7;
/// The length limit of a number: every distance on Earth in thousandths of a kilometer or mile is
/// shorter.
constexpr std::size_t digits_limit = 16;
/// The text between the last value of a region and the next region: its end and a comma.
constexpr std::size_t joint_bytes = region_end.size() + 1;

void put_little_endian(char* at, std::uint32_t value) noexcept {
  for (unsigned i = 0; i < 4; ++i)
    at[i] = static_cast<char>(value >> (8 * i));
}

/// Extends `out` by `bytes`; returns the beginning of the new part.
char* grow(std::string& out, std::size_t bytes) {
  out.resize(out.size() + bytes);
  return out.data() + (out.size() - bytes);
}

char* put(char* at, std::string_view text) noexcept {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

/// Copies `count` bytes, but reads and writes `digits_limit`. A copy of constant length compiles to
/// one instruction; for a few bytes of variable length, g++ emits code that takes longer than the
/// rest of a listing.
char* put_digits(char* at, const char* from, std::size_t count) noexcept {
  std::memcpy(at, from, digits_limit);
  return at + count;
}

std::uint64_t digest_of(std::string_view text) {
  std::uint64_t digest = 0;
  const auto sha256 = base::sha256(text);
  std::memcpy(&digest, sha256.data(), sizeof digest);
  return digest;
}

} // namespace

region_fragments::region_fragments(std::span<const region> regions) {
  all_.reserve(regions.size());
  for (const auto& where : regions) {
    fragment made;
    made.values = append_region_head(made.head, where);
    all_.push_back(std::move(made));
  }
}

/// The positions of one region's values in a listing's text.
class region_listing::value_places {
public:
  /// `begin` is where the region's text begins.
  value_places(const region_fragments::fragment& region, const row& line,
               std::size_t begin) noexcept {
    for (std::size_t i = 0; i < region.values.size(); ++i)
      places_[i] = {begin + region.values[i].begin, begin + region.values[i].end};
    const auto kilometers = begin + region.head.size();
    const auto kilometers_end = kilometers + line.kilometers_bytes;
    const auto miles = kilometers_end + between_units.size();
    places_[5] = {kilometers, kilometers_end};
    places_[6] = {miles, miles + line.miles_bytes};
  }

  const text_range& operator[](std::size_t i) const noexcept { return places_[i]; }
  /// The end of the last value.
  std::size_t end() const noexcept { return places_.back().end; }

private:
  std::array<text_range, value_count> places_;
};

region_listing::region_listing(std::shared_ptr<const region_fragments> fragments,
                               std::span<const listed_region> ranked)
    : region_listing{std::move(fragments)} {
  rows_.reserve(ranked.size());
  std::string kilometers;
  std::string miles;
  for (const auto& entry : ranked) {
    kilometers.clear();
    miles.clear();
    append_kilometers(kilometers, entry.distance_m);
    append_miles(miles, entry.distance_m);
    add(entry.position, kilometers, miles);
  }
  complete();

  std::string text;
  append_json(text);
  deflate::bit_counter counter;
  compress(counter, text);
  gzip_bytes_ = gzip_head.size() + counter.bytes() + gzip_tail_bytes;
  crc32_ = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
  digest_ = digest_of(text);
}

region_listing region_listing::reordered(std::span<const std::size_t> order) const {
  std::vector<std::string_view> digits;
  std::string_view rest = digits_;
  for (const auto& line : rows_) {
    const std::size_t length = line.kilometers_bytes + line.miles_bytes;
    digits.push_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  region_listing result{fragments_};
  result.rows_.reserve(rows_.size());
  for (const auto place : order) {
    const auto& line = rows_[place];
    result.add(line.position, digits[place].substr(0, line.kilometers_bytes),
               digits[place].substr(line.kilometers_bytes));
  }
  result.complete();
  std::string named{reinterpret_cast<const char*>(&digest_), sizeof digest_};
  named.append(reinterpret_cast<const char*>(order.data()), order.size_bytes());
  result.digest_ = digest_of(named);
  return result;
}

void region_listing::add(std::size_t position, std::string_view kilometers,
                         std::string_view miles) {
  base::check(kilometers.size() <= digits_limit && miles.size() <= digits_limit,
              "digits are no more than are copied");
  rows_.push_back({static_cast<std::uint32_t>(position),
                   static_cast<std::uint8_t>(kilometers.size()),
                   static_cast<std::uint8_t>(miles.size())});
  digits_.append(kilometers).append(miles);
}

void region_listing::complete() {
  json_bytes_ = listing_begin.size() + digits_.size() + listing_end.size() +
                rows_.size() * (between_units.size() + region_end.size());
  for (const auto& line : rows_)
    json_bytes_ += (*fragments_)[line.position].head.size();
  if (!rows_.empty()) json_bytes_ += rows_.size() - 1; // commas
  // Padding for put_digits, which reads beyond the last digits.
  digits_.append(digits_limit, '\0');
  digits_.shrink_to_fit();
}

void region_listing::append_json(std::string& out) const {
  // Leaves room after the end, because put_digits writes more bytes than a short number has.
  char* at = put(grow(out, json_bytes_ + digits_limit), listing_begin);
  const char* digits = digits_.data();
  for (const auto& line : rows_) {
    at = put(at, (*fragments_)[line.position].head);
    at = put_digits(at, digits, line.kilometers_bytes);
    at = put(at, between_units);
    at = put_digits(at, digits + line.kilometers_bytes, line.miles_bytes);
    at = put(at, region_end);
    *at++ = ',';
    digits += line.kilometers_bytes + line.miles_bytes;
  }
  if (!rows_.empty()) --at; // the last comma
  at = put(at, listing_end);
  out.resize(out.size() - digits_limit);
  base::check(at == out.data() + out.size(), "a listing is as long as was reckoned");
}

/// Each region's text differs from that of the previous one only in its values.
template <class Sink>
void region_listing::compress(Sink& sink, std::string_view text) const {
  const auto part = [text](std::size_t begin, std::size_t end) {
    return text.substr(begin, end - begin);
  };
  deflate::begin(sink);
  std::size_t written = 0;
  if (!rows_.empty()) {
    const auto places_of = [this](std::size_t i, std::size_t begin) {
      return value_places{(*fragments_)[rows_[i].position], rows_[i], begin};
    };
    auto before = places_of(0, listing_begin.size());
    deflate::literals(sink, part(0, before.end()));
    written = before.end();
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      const auto begin = written + joint_bytes;
      const auto now = places_of(i, begin);
      if (i == 1) { // no region ended before
        deflate::literals(sink, part(written, begin));
        written = begin;
      }
      for (std::size_t k = 0; k < value_count; ++k) {
        const auto value = part(now[k].begin, now[k].end);
        if (k + 1 < value_count && value == part(before[k].begin, before[k].end)) continue;
        deflate::repeat(sink, part(written, now[k].begin), now[k].begin - before[k].begin);
        deflate::literals(sink, value);
        written = now[k].end;
      }
      before = now;
    }
  }
  deflate::literals(sink, part(written, text.size()));
  deflate::end(sink);
}

void region_listing::append_gzip(std::string& out) const {
  std::string text;
  append_json(text);
  char* at = put(grow(out, gzip_bytes_), gzip_head);
  deflate::bit_writer writer{at};
  compress(writer, text);
  at = writer.finish();
  put_little_endian(at, crc32_);
  put_little_endian(at + 4, static_cast<std::uint32_t>(text.size()));
  base::check(at + gzip_tail_bytes == out.data() + out.size(),
              "a compressed listing is as long as was reckoned");
}

void region_listing::prefetch() const noexcept {
  static constexpr std::size_t line_bytes = 64;
  // The rest of longer data is fetched by the processor when it sees sequential reads.
  static constexpr std::size_t enough_bytes = 4 * line_bytes;
  const auto fetch = [](const void* begin, std::size_t bytes) {
    for (std::size_t at = 0; at < std::min(bytes, enough_bytes); at += line_bytes)
      __builtin_prefetch(static_cast<const char*>(begin) + at);
  };
  fetch(rows_.data(), rows_.size() * sizeof(row));
  fetch(digits_.data(), digits_.size());
}

std::size_t region_listing::memory_bytes() const noexcept {
  return sizeof *this + rows_.capacity() * sizeof(row) + digits_.capacity();
}

} // namespace matchcloud::model
