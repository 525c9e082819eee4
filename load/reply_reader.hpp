#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::load {

/// A complete reply. Its views refer to the bytes that were read.
struct reply {
  int status = 0;
  /// The content, without the framing of chunks.
  std::string_view body;
  /// Whether the server closes the connection after the reply.
  bool closes = false;
  /// Whether the body is compressed.
  bool gzip = false;
  /// Whether the server says when to retry (Retry-After).
  bool asks_back = false;
  /// The header lines, without the status line and without the empty line.
  std::string_view head{};
};

/// Finds where HTTP/1.1 replies end (RFC 9112 section 6.3), one at a time: no request is sent
/// before the previous reply is complete. One thread.
class reply_reader {
public:
  static constexpr std::size_t head_limit_bytes = 64UL * 1024;
  static constexpr std::size_t reply_limit_bytes = 256UL * 1024 * 1024;

  enum class progress : std::uint8_t { more, complete, malformed };

  /// Processes the bytes that arrived. If they complete a reply, it is valid until the next call
  /// and as long as `bytes` are. After `malformed`, call only `reset`.
  progress feed(std::string_view bytes);
  /// The server closed the connection, which ends a reply that declares no length; any other is
  /// `malformed`.
  progress end();
  const reply& current() const noexcept { return reply_; }
  /// Whether the malformed bytes follow a complete reply.
  bool has_extra_bytes() const noexcept { return extra_bytes_; }
  /// Whether no byte of a reply has arrived.
  bool untouched() const noexcept { return !begun_; }
  /// Prepares for the next reply, which has no body if `to_head`: it answers HEAD.
  void reset(bool to_head = false) noexcept;
  /// Whether at least `bytes` of the body of an incomplete reply have arrived. If so, `current` has
  /// what has arrived.
  bool is_cut_at(std::size_t bytes);

private:
  enum class delimiting : std::uint8_t { length, chunks, end };

  progress parse(std::string_view all);
  bool parse_head(std::string_view head);
  bool take_field(std::string_view line);
  progress parse_body(std::string_view all);
  progress parse_chunks(std::string_view all);
  progress complete(std::string_view all, bool is_all) noexcept;

  /// The bytes of an incomplete reply.
  std::string held_;
  std::string unchunked_;
  reply reply_;
  bool begun_ = false;
  bool has_head_ = false;
  bool extra_bytes_ = false;
  /// The last chunk was read: only trailers follow.
  bool in_trailers_ = false;
  delimiting by_ = delimiting::end;
  /// How much of `held_`, or of the bytes being fed, has been parsed.
  std::size_t at_ = 0;
  std::uint64_t length_ = 0;
  /// The position of the header lines, in the same units as `at_`.
  std::size_t head_at_ = 0;
  std::size_t head_size_ = 0;
  bool to_head_ = false;
};

} // namespace matchcloud::load
