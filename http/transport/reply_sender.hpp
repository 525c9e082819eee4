#pragma once

#include "base/byte_budget.hpp"
#include "base/clock.hpp"
#include "http/loop/byte_stream.hpp"
#include "http/transport/connection_host.hpp"
#include "http/wire/response.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::http {

/// How a flush ended.
enum class sending : std::uint8_t {
  /// Everything has been passed to the kernel.
  done,
  /// The connection used its share of this turn; more is left to send.
  more,
  /// The stream accepts no more for now.
  blocked,
  /// The next bytes of a file are being read into memory.
  reading_file,
  failed,
};

/// The sending side of a connection: queues replies and sends them in order as the stream accepts
/// them. Between replies it owns no buffer. Loop thread only.
class reply_sender {
public:
  /// From this many unsent bytes on, no further request is read.
  static constexpr std::size_t unsent_pause_bytes = 256 * 1024;
  /// Memory for unsent bytes that needs no lease of the byte budget while the socket accepts them.
  static constexpr std::size_t unsent_free_bytes = 16 * 1024;
  /// From this many unsent bytes on, no further request is read while the budget is tight.
  static constexpr std::size_t unsent_tight_bytes = 8 * 1024;
  /// Larger shared bodies are sent in place; smaller ones are copied after their head.
  static constexpr std::size_t copied_body_bytes = 32 * 1024;
  /// Buffer space for the head of an answer whose body is copied.
  static constexpr std::size_t head_room_bytes = 1024;
  /// The credit of an owner that sends an answer in parts: how many of their bytes may be unsent.
  static constexpr std::size_t part_credit_bytes = 256 * 1024;
  /// Buffer space for what chunked coding adds to a part, its end included.
  static constexpr std::size_t chunk_room_bytes = 32;
  /// What one connection sends per turn of the loop; it bounds how long the others wait.
  static constexpr std::size_t flush_turn_bytes = 256 * 1024;
  /// The most write timeouts that the bytes taken since the last look can earn. More than one,
  /// because a receiver with a large buffer acknowledges in steps of half of it.
  static constexpr int progress_credit_limit = 4;

  reply_sender(connection_host& host, connection& of) noexcept : host_{&host}, of_{&of} {}

  /// Whether so little is unsent that a further request may be read.
  bool has_room();
  /// Leases from the budget what the answer's body will occupy here, and reserves buffer space for
  /// it. False where the budget is exhausted.
  bool hold(response& answer);
  /// Queues an answer, with its body only if `with_body`.
  void add(response& answer, const write_context& context, bool with_body);
  /// Queues a complete interim response.
  void add(std::string_view text);
  /// Queues a part of an answer's body, and its end if it is the last. False where more is unsent
  /// than an owner has credit for, or the budget is exhausted.
  bool add_part(std::string_view bytes, bool is_last, bool http_1_0);
  /// How many bytes of parts were sent since the last call. Call when nothing is unsent.
  std::size_t take_sent_of_parts() noexcept { return std::exchange(queued_of_parts_, 0); }

  sending flush(byte_stream& to);
  /// Releases the buffers and leases after everything was sent.
  void release();
  /// Drops what is unsent: nothing more will be sent.
  void drop();

  /// The part of a file that `read_ahead` was to read is in memory. False: nothing waits for it.
  bool file_ready() noexcept;
  bool is_reading_file() const noexcept { return file_state_ == file_state::being_read; }

  bool has_unsent() const noexcept { return unsent_bytes() > 0; }
  /// A body outside `out_` is being sent after `out_`: the head of a further answer would overtake
  /// what is left of it.
  bool has_separate_body() const noexcept { return body_ || file_.file; }

  /// The stream accepts no more: from the first call on, the client must make progress.
  void start_progress_deadline(const byte_stream& to);
  /// The time by which the client must have made progress; unset while the stream accepts data.
  base::steady_time deadline() const noexcept { return deadline_; }
  bool is_awaited() const noexcept { return deadline_ != base::steady_time{}; }
  /// Moves the deadline by the time that the bytes taken since the last look earn. Returns that
  /// number of bytes.
  std::uint64_t measure_progress(const byte_stream& to);
  /// Since when the client has received nothing of an answer, with `with_lease` of one that holds
  /// bytes of the budget; nothing if it receives them or no such answer waits.
  std::optional<base::steady_time> stalled_since(bool with_lease) const noexcept {
    const bool is_meant = is_awaited() && (!with_lease || lease_.bytes() > 0);
    return is_meant ? std::optional{moved_at_} : std::nullopt;
  }
  /// The client has received something.
  void note_progress() { moved_at_ = host_->now(); }

private:
  enum class file_state : std::uint8_t {
    unasked,
    /// Waits for `file_ready`: nothing is sent until then.
    being_read,
    /// The next part was just read: the next flush sends it without checking again.
    in_memory,
  };

  /// Compacts or allocates `out_` before something is appended.
  void make_room();
  void add_body(response& answer);
  /// Sends from memory, as `send_file` sends from the file, at most `most` bytes, and at least one
  /// if the stream accepts any.
  io_result send_memory(byte_stream& to, std::size_t most);
  io_result send_file(byte_stream& to, std::size_t most);
  /// Whether the file's next bytes, at most `most`, must be read into memory first.
  bool must_read_ahead(std::size_t most);
  void release_out();

  /// In memory and in the file together.
  std::size_t unsent_bytes() const noexcept { return unsent_memory_bytes() + file_.length; }
  std::size_t unsent_memory_bytes() const noexcept;
  /// The memory allocated for unsent bytes; shared bodies count only if nobody else leases them.
  std::size_t unsent_capacity() const noexcept;

  connection_host* host_;
  connection* of_;
  std::string out_;
  /// At most one of `body_` and `file_` is set; it is sent after `out_`.
  std::shared_ptr<const std::string> body_;
  /// The part of the file that is left to send.
  file_range file_;
  std::size_t out_sent_ = 0;
  std::size_t body_sent_ = 0;
  /// Bytes of parts in `out_`, sent or not.
  std::size_t queued_of_parts_ = 0;
  base::byte_lease lease_;
  base::steady_time deadline_;
  /// When the stream last accepted something.
  base::steady_time moved_at_;
  /// Bytes sent since the look at the kernel's queue that set `deadline_`, and the queue's length
  /// then.
  std::uint64_t sent_since_look_ = 0;
  std::size_t unacknowledged_at_look_ = 0;
  bool body_leased_ = false;
  file_state file_state_ = file_state::unasked;
};

} // namespace matchcloud::http
