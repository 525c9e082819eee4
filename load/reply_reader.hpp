#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::load {

/// A whole reply, as views of what was read.
struct reply {
  int status = 0;
  /// Without chunks.
  std::string_view body;
  /// Whether the server ends the connection behind it.
  bool closes = false;
  /// Whether the body is compressed.
  bool gzip = false;
};

/// Finds where HTTP/1.1 replies end (RFC 9112 section 6.3), one at a time: nothing is asked before
/// the last one has come. One thread.
class reply_reader {
public:
  static constexpr std::size_t head_limit_bytes = 64UL * 1024;
  static constexpr std::size_t reply_limit_bytes = 256UL * 1024 * 1024;

  enum class progress : std::uint8_t { more, complete, malformed };

  /// Bytes came. Where that completes a reply, it is valid until the next call. After `malformed`
  /// nothing but `reset` makes sense.
  progress feed(std::string_view bytes);
  /// The server closed: the end of a reply that says no length.
  progress end();
  const reply& current() const noexcept { return reply_; }
  /// Whether what is malformed begins behind a reply that was whole.
  bool has_more_than_asked() const noexcept { return more_than_asked_; }
  /// Whether nothing of a reply came yet.
  bool untouched() const noexcept { return !begun_; }
  /// Begins anew, for the next reply.
  void reset() noexcept;

private:
  enum class delimiting : std::uint8_t { length, chunks, end };

  progress parse(std::string_view all);
  bool parse_head(std::string_view head);
  bool take_field(std::string_view line);
  progress parse_body(std::string_view all);
  progress parse_chunks(std::string_view all);
  progress complete(bool is_all) noexcept;

  /// What came of an unfinished reply.
  std::string held_;
  std::string unchunked_;
  reply reply_;
  bool begun_ = false;
  bool has_head_ = false;
  bool more_than_asked_ = false;
  /// Of the last line of the chunks: only trailers follow.
  bool in_trailers_ = false;
  delimiting by_ = delimiting::end;
  /// What is read of `held_` or of the bytes at hand.
  std::size_t at_ = 0;
  std::uint64_t length_ = 0;
};

} // namespace matchcloud::load
