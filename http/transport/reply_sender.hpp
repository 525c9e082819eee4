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

namespace matchcloud::http {

/// How far sending came.
enum class sending : std::uint8_t {
  /// Everything is with the kernel.
  done,
  /// The connection sent its share of this turn; there is more.
  more,
  /// The stream takes no more for now.
  blocked,
  /// The next bytes of a file are being read into memory.
  reading_file,
  failed,
};

/// The sending side of a connection: replies one behind the other, sent as the stream takes them.
/// Between replies it owns no buffer. Loop thread only.
class reply_sender {
public:
  /// Unsent bytes beyond which no further request is read.
  static constexpr std::size_t unsent_pause_bytes = 256 * 1024;
  /// Memory for unsent bytes that needs no lease of the byte budget while the socket takes them.
  static constexpr std::size_t unsent_free_bytes = 16 * 1024;
  /// Unsent bytes beyond which no further request is read while the budget is tight.
  static constexpr std::size_t unsent_tight_bytes = 8 * 1024;
  /// Larger shared bodies are sent from where they are, smaller ones copied behind their head.
  static constexpr std::size_t copied_body_bytes = 32 * 1024;
  /// Kept for the head of an answer that is copied.
  static constexpr std::size_t head_room_bytes = 1024;
  /// What one connection sends per turn of the loop: the others wait no longer than that.
  static constexpr std::size_t flush_turn_bytes = 256 * 1024;
  /// What a client took at once counts for at most so many write timeouts: a receiver with much
  /// room acknowledges in steps, half a buffer each.
  static constexpr int progress_credit_limit = 4;

  reply_sender(connection_host& host, connection& of) noexcept
      : host_{&host}, of_{&of}, account_{host, of} {}

  /// Whether so little is unsent that a further request may be read.
  bool has_room();
  /// Takes from the budget what the answer's body will hold here, and makes room for it.
  bool hold(response& answer);
  /// Queues an answer; its body only where it is sent.
  void add(response& answer, const write_context& context, bool with_body);
  /// Queues an interim response, whole.
  void add(std::string_view text);

  sending flush(byte_stream& to);
  /// Everything is sent: gives back what held it.
  void release();
  /// Nothing is sent any more.
  void drop();

  /// What `connection_host::read_ahead` promised is in memory. False: nobody waits for it.
  bool file_ready() noexcept;
  bool is_reading_file() const noexcept { return file_state_ == file_state::being_read; }

  bool has_unsent() const noexcept { return unsent_bytes() > 0; }
  /// A body is being sent that is not in `out_` but comes after it: the head of a further answer
  /// would overtake what is left of it.
  bool has_separate_body() const noexcept { return body_ || file_.file; }

  /// The stream takes no more: from the first time on the client has to take what is sent.
  void expect_progress(const byte_stream& to);
  /// By when it has to have taken more; unset while the stream takes what there is to send.
  base::steady_time deadline() const noexcept { return deadline_; }
  bool is_awaited() const noexcept { return deadline_ != base::steady_time{}; }
  /// Moves the deadline by what the client took since the look before; how many bytes.
  std::uint64_t take_stock(const byte_stream& to);
  /// Since when the client has taken nothing of what holds bytes of the budget; nothing where it
  /// takes them or none waits.
  std::optional<base::steady_time> stalled_since() const noexcept;
  /// It has taken some after all.
  void note_progress();

private:
  enum class file_state : std::uint8_t {
    unasked,
    /// Waits for `file_ready`: nothing is sent.
    being_read,
    /// The next part was just read: the next flush sends it without asking again.
    in_memory,
  };

  /// Before something is appended to `out_`.
  void make_room();
  void add_body(response& answer);
  /// Both send at most `most` bytes, at least one where the stream takes any.
  io_result send_memory(byte_stream& to, std::size_t most);
  io_result send_file(byte_stream& to, std::size_t most);
  /// Whether the file's next bytes, at most `most`, have to be read first.
  bool must_read_ahead(std::size_t most);
  void release_out();

  /// Of memory and file together.
  std::size_t unsent_bytes() const noexcept { return unsent_memory_bytes() + file_.length; }
  std::size_t unsent_memory_bytes() const noexcept;
  /// What those in memory take, allocated; shared bodies only where nobody else accounts for them.
  std::size_t unsent_capacity() const noexcept;

  connection_host* host_;
  connection* of_;
  byte_account account_;
  std::string out_;
  /// One of them is sent after `out_`, or none.
  std::shared_ptr<const std::string> body_;
  /// What is left to send.
  file_range file_;
  std::size_t out_sent_ = 0;
  std::size_t body_sent_ = 0;
  base::byte_lease lease_;
  base::steady_time deadline_;
  /// When the stream last took something.
  base::steady_time moved_at_;
  /// Since the look at the kernel's queue that set `deadline_`, and what was in it then.
  std::uint64_t sent_since_look_ = 0;
  std::size_t unacknowledged_at_look_ = 0;
  bool body_leased_ = false;
  file_state file_state_ = file_state::unasked;
};

} // namespace matchcloud::http
