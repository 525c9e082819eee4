#include "http/transport/reply_sender.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

namespace matchcloud::http {

// -- queueing -----------------------------------------------------------------

bool reply_sender::has_room() {
  if (has_separate_body()) return false;
  // Unsent bytes may be held for long, so only few are allowed while the budget is tight.
  if (unsent_bytes() >= unsent_tight_bytes && host_->bounds.budget.is_tight()) return false;
  const auto held = unsent_capacity();
  if (held <= unsent_free_bytes) return true;
  return unsent_bytes() < unsent_pause_bytes && host_->lease(lease_, held, *of_);
}

void reply_sender::make_room() {
  if (out_.empty()) out_ = host_->take_buffer();
  // Sent bytes are erased, or the buffer of a client that never accepts the last byte would grow
  // forever. The bytes that must be moved are never more than those erased.
  if (out_sent_ < out_.size() - out_sent_) return;
  out_.erase(0, out_sent_);
  out_sent_ = 0;
}

bool reply_sender::hold(response& answer) {
  const auto size = answer.memory_size();
  if (size <= unsent_free_bytes) return true;
  if (size > copied_body_bytes) {
    // A large body is sent in place, instead of from a copy whose buffer may be twice its size.
    if (auto* owned = std::get_if<std::string>(&answer.body))
      answer.body = std::make_shared<const std::string>(std::move(*owned));
    if (const auto* shared = std::get_if<std::shared_ptr<const std::string>>(&answer.body))
      return answer.body_leased ||
             host_->lease(lease_, unsent_capacity() + (*shared)->capacity(), *of_);
  }
  make_room();
  const auto needed = out_.size() + head_room_bytes + size;
  // A std::string that grows at least doubles its capacity.
  const auto grown = needed > out_.capacity() ? std::max(needed, 2 * out_.capacity()) : 0;
  if (!host_->lease(lease_, std::max(grown, unsent_capacity()), *of_)) return false;
  out_.reserve(needed);
  return true;
}

void reply_sender::add(response& answer, const write_context& context, bool with_body) {
  make_room();
  write_head(out_, answer, context);
  if (with_body) add_body(answer);
}

void reply_sender::add(std::string_view text) {
  make_room();
  out_.append(text);
}

bool reply_sender::add_part(std::string_view bytes, bool is_last, bool http_1_0) {
  queued_of_parts_ += bytes.size();
  if (queued_of_parts_ > part_credit_bytes) return false;
  make_room();
  out_.reserve(out_.size() + bytes.size() + chunk_room_bytes);
  if (!bytes.empty() && !http_1_0) {
    char digits[2 * sizeof bytes.size()];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), bytes.size(), 16).ptr;
    out_.append(digits, end).append("\r\n");
  }
  out_.append(bytes);
  if (!bytes.empty() && !http_1_0) out_.append("\r\n");
  if (is_last && !http_1_0) out_.append("0\r\n\r\n");
  return unsent_capacity() <= unsent_free_bytes || host_->lease(lease_, unsent_capacity(), *of_);
}

void reply_sender::add_body(response& answer) {
  if (auto* file = std::get_if<file_range>(&answer.body)) {
    if (file->length > 0) file_ = std::move(*file);
    return;
  }
  if (auto* shared = std::get_if<std::shared_ptr<const std::string>>(&answer.body);
      shared != nullptr && *shared && (*shared)->size() > copied_body_bytes) {
    body_ = std::move(*shared);
    body_leased_ = answer.body_leased;
    body_sent_ = 0;
    return;
  }
  answer.append_body(out_);
}

// -- sending ------------------------------------------------------------------

sending reply_sender::flush(byte_stream& to) {
  if (file_state_ == file_state::being_read) return sending::reading_file;
  // Checked at most once per flush, for all of the file that the flush may send. After a read-ahead
  // nothing is checked: the flush sends the part that was read, and may continue after it.
  bool in_memory = std::exchange(file_state_, file_state::unasked) == file_state::in_memory;
  for (std::size_t room = flush_turn_bytes; unsent_bytes() > 0;) {
    if (room == 0) return sending::more;
    const bool from_file = unsent_memory_bytes() == 0;
    // The head is sent: its buffer is released, so that a slow reader of a file does not hold it.
    if (from_file && !out_.empty()) release_out();
    if (from_file && !std::exchange(in_memory, true) && must_read_ahead(room))
      return sending::reading_file;
    const auto sent = from_file ? send_file(to, room) : send_memory(to, room);
    switch (sent.status) {
    case io_status::moved: break;
    case io_status::blocked: return sending::blocked;
    case io_status::failed: host_->metrics.answers_unsent.add(); return sending::failed;
    case io_status::ended: return sending::failed; // the file is shorter than announced
    }
    host_->metrics.sent_bytes.add(sent.bytes);
    host_->wrote(sent.bytes);
    sent_since_look_ += sent.bytes;
    note_progress();
    room -= sent.bytes;
  }
  return sending::done;
}

io_result reply_sender::send_memory(byte_stream& to, std::size_t most) {
  std::array<iovec, 2> pieces;
  std::size_t count = 0;
  const auto add = [&](const std::string& from, std::size_t sent) {
    const auto length = std::min(from.size() - sent, most);
    if (length == 0) return;
    pieces[count++] = {const_cast<char*>(from.data()) + sent, length};
    most -= length;
  };
  add(out_, out_sent_);
  if (body_) add(*body_, body_sent_);
  const auto sent = to.write({pieces.data(), count}, bool{file_.file});
  const auto from_out = std::min(sent.bytes, out_.size() - out_sent_);
  out_sent_ += from_out;
  body_sent_ += sent.bytes - from_out;
  return sent;
}

io_result reply_sender::send_file(byte_stream& to, std::size_t most) {
  const auto sent = to.send_file(file_.file->descriptor(), file_.offset,
                                 std::min<std::uint64_t>(file_.length, most));
  file_.offset += sent.bytes;
  file_.length -= sent.bytes;
  return sent;
}

bool reply_sender::must_read_ahead(std::size_t most) {
  const auto length = std::min<std::uint64_t>(file_.length, most);
  if (!host_->read_ahead(*of_, {file_.file, file_.offset, length})) return false;
  file_state_ = file_state::being_read;
  return true;
}

bool reply_sender::file_ready() noexcept {
  if (file_state_ != file_state::being_read) return false;
  file_state_ = file_state::in_memory;
  return true;
}

void reply_sender::release_out() {
  host_->give_back(std::exchange(out_, {}));
  out_sent_ = 0;
}

void reply_sender::release() {
  if (!out_.empty()) release_out();
  drop();
  body_sent_ = 0;
  file_ = {};
}

void reply_sender::drop() {
  if (body_) host_->give_back(std::exchange(body_, nullptr));
  lease_.reset();
  deadline_ = {};
}

std::size_t reply_sender::unsent_memory_bytes() const noexcept {
  return out_.size() - out_sent_ + (body_ ? body_->size() - body_sent_ : 0);
}

std::size_t reply_sender::unsent_capacity() const noexcept {
  return (out_.empty() ? 0 : out_.capacity()) + (body_ && !body_leased_ ? body_->capacity() : 0);
}

// -- progress of the client ---------------------------------------------------

void reply_sender::start_progress_deadline(const byte_stream& to) {
  if (!is_awaited()) {
    deadline_ = host_->now() + host_->limits.write_timeout;
    unacknowledged_at_look_ = to.unacknowledged_bytes();
    sent_since_look_ = 0;
  }
  // Leased even if small, because many clients that receive nothing hold much together.
  host_->lease(lease_, unsent_capacity() + to.held_bytes(), *of_);
}

std::uint64_t reply_sender::measure_progress(const byte_stream& to) {
  const auto left = to.unacknowledged_bytes();
  const auto were = unacknowledged_at_look_ + std::exchange(sent_since_look_, 0);
  const auto taken = were - std::min<std::uint64_t>(were, left);
  unacknowledged_at_look_ = left;
  const auto& limits = host_->limits;
  const std::chrono::milliseconds earned{taken * 1'000 / limits.write_least_rate};
  deadline_ += std::min(earned, limits.write_timeout * progress_credit_limit);
  return taken;
}

} // namespace matchcloud::http
