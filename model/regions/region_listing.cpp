#include "model/regions/region_listing.hpp"

#include "base/check.hpp"
#include "base/crypto/sha256.hpp"
#include "model/regions/deflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

namespace matchcloud::model {

namespace {

/// The header of RFC 1952 section 2.3: deflate, no name, no time, unknown system.
constexpr std::string_view gzip_head{"\x1f\x8b\x08\0\0\0\0\0\0\xff", 10};
/// CRC-32 and length of the plain text.
constexpr std::size_t gzip_tail_bytes = 8;

/// The limits of a row: a position, and the length of a number.
constexpr std::uint32_t most_position = (1U << 24U) - 1;
constexpr std::uint32_t most_length = (1U << 4U) - 1;
/// How many digits are put at once in a compressed listing.
constexpr std::size_t digits_at_once = deflate::most_bits / 8;
/// A number is put in two parts. Every distance on Earth in thousandths of a kilometer or mile is
/// shorter.
constexpr std::size_t most_digits = deflate::literals_beside_match + digits_at_once;
/// How many bytes are copied for every number.
constexpr std::size_t digits_limit = 16;

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

/// More than the compressed form of `json_bytes` can have, with what a writer needs behind it: a
/// character has at most 9 bits, and a repetition of 3 at most 31.
constexpr std::size_t most_compressed_bytes(std::size_t json_bytes) noexcept {
  return 2 * json_bytes + 16;
}

std::uint64_t listing_digest_of(std::string_view text) {
  std::uint64_t digest = 0;
  const auto sha256 = base::sha256(text);
  std::memcpy(&digest, sha256.data(), sizeof digest);
  return digest;
}

/// The text between the last value of a region and the next region.
constexpr std::size_t joint_bytes = region_end.size() + 1;

} // namespace

std::string_view region_fragments::fragment::head() const noexcept {
  return std::string_view{joint_and_head}.substr(joint_bytes);
}

region_fragments::region_fragments(std::span<const region> regions) {
  std::map<std::string, std::uint32_t, std::less<>> numbers;
  all_.reserve(regions.size());
  for (const auto& where : regions) {
    fragment made;
    made.joint_and_head.append(region_end).push_back(',');
    const auto places = append_region_head(made.joint_and_head, where);
    made.head_literals = deflate::literals_of(made.head());
    for (std::size_t k = 0; k < value_count; ++k) {
      const auto [begin, end] = places[k];
      const auto text = made.head().substr(begin, end - begin);
      auto beginning = text.substr(0, deflate::literals_beside_match);
      const auto rest = deflate::literals_of(text.substr(beginning.size()));
      made.literals.insert(made.literals.end(), rest.begin(), rest.end());
      const auto next = static_cast<std::uint32_t>(numbers.size());
      made.values[k] = {
          static_cast<std::uint32_t>(joint_bytes + begin), static_cast<std::uint32_t>(text.size()),
          numbers.emplace(text, next).first->second,
          static_cast<std::uint32_t>(made.literals.size()), deflate::take_literals(beginning)};
    }
    all_.push_back(std::move(made));
  }
}

void region_listing::lines::add(std::size_t position, std::string_view kilometers,
                                std::string_view miles) {
  base::check(position <= most_position && kilometers.size() <= most_digits &&
                  miles.size() <= most_digits,
              "a region and its distances fit a row of a listing");
  rows.push_back({static_cast<std::uint32_t>(position) & most_position,
                  static_cast<std::uint32_t>(kilometers.size()) & most_length,
                  static_cast<std::uint32_t>(miles.size()) & most_length});
  digits.append(kilometers).append(miles);
}

region_listing::region_listing(std::shared_ptr<const region_fragments> fragments, const lines& all)
    : fragments_{std::move(fragments)}, row_count_{static_cast<std::uint32_t>(all.rows.size())} {
  json_bytes_ = listing_begin.size() + all.digits.size() + listing_end.size() +
                all.rows.size() * (between_units.size() + region_end.size());
  for (const auto& line : all.rows)
    json_bytes_ += (*fragments_)[line.position].head().size();
  if (!all.rows.empty()) json_bytes_ += all.rows.size() - 1; // commas

  const auto rows_bytes = all.rows.size() * sizeof(row);
  const auto needed = rows_bytes + all.digits.size() + digits_limit;
  if (needed > inline_.size()) heap_ = std::make_unique<char[]>(needed);
  char* const to = heap_ ? heap_.get() : inline_.data();
  if (rows_bytes > 0) std::memcpy(to, all.rows.data(), rows_bytes); // of no rows, data() is null
  all.digits.copy(to + rows_bytes, all.digits.size());
  std::memset(to + rows_bytes + all.digits.size(), 0, digits_limit);
}

region_listing::region_listing(std::shared_ptr<const region_fragments> fragments,
                               std::span<const listed_region> ranked)
    : region_listing{std::move(fragments), [&] {
                       lines all;
                       all.rows.reserve(ranked.size());
                       std::string kilometers;
                       std::string miles;
                       for (const auto& entry : ranked) {
                         kilometers.clear();
                         miles.clear();
                         append_kilometers(kilometers, entry.distance_m);
                         append_miles(miles, entry.distance_m);
                         all.add(entry.position, kilometers, miles);
                       }
                       return all;
                     }()} {
  std::string text;
  append_json(text);
  crc32_ = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
  digest_ = listing_digest_of(text);
  const auto compressed =
      std::make_unique_for_overwrite<char[]>(most_compressed_bytes(text.size()));
  const auto* const end = compress(compressed.get());
  gzip_bytes_ =
      gzip_head.size() + static_cast<std::size_t>(end - compressed.get()) + gzip_tail_bytes;
}

region_listing region_listing::reordered(std::span<const std::size_t> order) const {
  std::vector<std::string_view> of_rows;
  const char* at = digits();
  for (const auto& line : rows()) {
    const std::size_t length = line.kilometers_bytes + line.miles_bytes;
    of_rows.emplace_back(at, length);
    at += length;
  }
  lines all;
  all.rows.reserve(row_count_);
  for (const auto place : order) {
    const auto& line = rows()[place];
    all.add(line.position, of_rows[place].substr(0, line.kilometers_bytes),
            of_rows[place].substr(line.kilometers_bytes));
  }
  region_listing result{fragments_, all};
  std::string named{reinterpret_cast<const char*>(&digest_), sizeof digest_};
  named.append(reinterpret_cast<const char*>(order.data()), order.size_bytes());
  result.digest_ = listing_digest_of(named);
  return result;
}

void region_listing::append_json(std::string& out) const {
  // Leaves room after the end, because put_digits writes more bytes than a short number has.
  char* at = put(grow(out, json_bytes_ + digits_limit), listing_begin);
  const char* digits = this->digits();
  for (const auto& line : rows()) {
    at = put(at, (*fragments_)[line.position].head());
    at = put_digits(at, digits, line.kilometers_bytes);
    at = put(at, between_units);
    at = put_digits(at, digits + line.kilometers_bytes, line.miles_bytes);
    at = put(at, region_end);
    *at++ = ',';
    digits += line.kilometers_bytes + line.miles_bytes;
  }
  if (row_count_ > 0) --at; // the last comma
  at = put(at, listing_end);
  out.resize(out.size() - digits_limit);
  base::check(at == out.data() + out.size(), "a listing is as long as computed");
}

/// Each region's text differs from the text of the region before it only in its values. The text
/// between them repeats, and so do values that are the same.
char* region_listing::compress(char* to) const noexcept {
  const auto& fragments = *fragments_;
  const char* digits = this->digits();
  deflate::writer out{to};
  out.put_literals(listing_begin);
  struct number_codes {
    deflate::code first; // put with the repetition before the number
    deflate::code rest;
  };
  const auto take_number = [&digits](std::size_t count) __attribute__((always_inline)) {
    const deflate::low_literals codes{digits};
    digits += count;
    const auto first = std::min(count, deflate::literals_beside_match);
    return number_codes{codes.first(first), codes.further(count - first)};
  };
  const region_fragments::fragment* before = nullptr;
  const row* line_before = nullptr;
  for (const auto& line : rows()) {
    const auto& now = fragments[line.position];
    const auto kilometers = take_number(line.kilometers_bytes);
    const auto miles = take_number(line.miles_bytes);
    const std::string_view text = now.joint_and_head;
    std::size_t written = 0;
    // From a place in the region before it to the same place in the current one, in bytes.
    std::size_t distance = 0;
    if (before == nullptr) {
      for (const auto& each : now.head_literals)
        out.put(each);
      written = text.size();
      distance = deflate::nowhere;
    } else {
      if (line_before == rows().data()) { // no region ended before the first
        out.put_literals(text.substr(0, joint_bytes));
        written = joint_bytes;
      }
      distance = before->joint_and_head.size() + between_units.size() +
                 line_before->kilometers_bytes + line_before->miles_bytes;
      const auto* literals = now.literals.data();
      for (std::size_t k = 0; k < now.values.size(); ++k) {
        const auto& value = now.values[k];
        const auto* const end = now.literals.data() + value.literals_end;
        if (value.number != before->values[k].number) {
          out.repeat(text.data() + written, value.begin - written, distance, value.beginning);
          for (; literals != end; ++literals)
            out.put(*literals);
          written = value.begin + value.length;
        }
        literals = end;
        distance += std::size_t{value.length} - before->values[k].length;
      }
    }
    out.repeat(text.data() + written, text.size() - written, distance, kilometers.first);
    out.put(kilometers.rest);
    if (line_before != nullptr)
      distance += std::size_t{line.kilometers_bytes} - line_before->kilometers_bytes;
    out.repeat(between_units.data(), between_units.size(), distance, miles.first);
    out.put(miles.rest);
    before = &now;
    line_before = &line;
  }
  if (row_count_ > 0) out.put_literals(region_end);
  out.put_literals(listing_end);
  return out.finish();
}

void region_listing::append_gzip(std::string& out) const {
  char* at = put(grow(out, gzip_bytes_), gzip_head);
  at = compress(at);
  put_little_endian(at, crc32_);
  put_little_endian(at + 4, static_cast<std::uint32_t>(json_bytes_));
  base::check(at + gzip_tail_bytes == out.data() + out.size(),
              "a compressed listing is as long as computed");
}

void region_listing::prefetch() const noexcept {
  static constexpr std::size_t line_bytes = 64;
  // Does not read this object, because it is in memory, too. If the rows have memory of their own,
  // the processor fetches it when it sees sequential reads.
  for (std::size_t at = 0; at < sizeof *this; at += line_bytes)
    __builtin_prefetch(reinterpret_cast<const char*>(this) + at);
}

std::size_t region_listing::memory_bytes() const noexcept {
  std::size_t digits_bytes = digits_limit;
  for (const auto& line : rows())
    digits_bytes += line.kilometers_bytes + line.miles_bytes;
  return sizeof *this + (heap_ ? row_count_ * sizeof(row) + digits_bytes : 0);
}

} // namespace matchcloud::model
