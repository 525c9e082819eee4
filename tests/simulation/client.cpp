#include "tests/simulation/client.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace matchcloud::simulation {

namespace {

using base::fault_point;
using std::chrono::milliseconds;

constexpr int small_buffer_bytes = 4'096;
/// A time step, two ticks of the timers, and the untended time before and after.
constexpr milliseconds patience = 2 * time_step + milliseconds{32} + 2 * untended_limit;

std::string lower(std::string_view text) {
  std::string all{text};
  std::transform(all.begin(), all.end(), all.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return all;
}

/// Parses the head up to its empty line; returns what is wrong with it.
std::string read_head(std::string_view head, answer& into) {
  if (!head.starts_with("HTTP/1.1 ") || head.size() < 13) return "no status line";
  std::from_chars(head.data() + 9, head.data() + 12, into.status);
  if (into.status < 100 || into.status > 599) return "no status";
  head.remove_prefix(head.find("\r\n") + 2);
  while (!head.empty()) {
    const auto end = head.find("\r\n");
    const auto colon = head.find(": ");
    if (end == std::string_view::npos || colon > end) return "no header line";
    const auto name = lower(head.substr(0, colon));
    if (!into.headers.emplace(name, head.substr(colon + 2, end - colon - 2)).second)
      return "header " + name + " twice";
    head.remove_prefix(end + 2);
  }
  return {};
}

} // namespace

client::client(world& in, oracle& by, std::size_t number, std::uint8_t address, bool slow,
               bool of_ops)
    : world_{&in},
      oracle_{&by},
      number_{number},
      address_{address},
      slow_{slow},
      of_ops_{of_ops},
      slow_buffers_{slow},
      opened_at_{in.clock.now()},
      last_sent_{opened_at_},
      last_emptied_{opened_at_},
      last_answer_{opened_at_} {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error{"socketpair"};
  socket_ = base::file_descriptor{ends[0]};
  base::file_descriptor other{ends[1]};
  if (slow)
    ::setsockopt(other.get(), SOL_SOCKET, SO_SNDBUF, &small_buffer_bytes,
                 sizeof small_buffer_bytes);
  const auto loop = of_ops ? ops_loop : number % loop_count;
  // Operators ask from the machine itself, where they need no token.
  world_->transports[loop]->acceptor().adopt(std::move(other),
                                             of_ops ? *model::parse_ip_address("127.0.0.1")
                                                    : fixtures::address_of(address));
  note("connects to loop " + std::to_string(loop) + (slow ? ", reads slowly" : ""));
}

void client::note(const std::string& what) {
  world_->note("client " + std::to_string(number_) + " " + what);
}

void client::violated(const std::string& what) {
  world_->violated("client " + std::to_string(number_) + ": " + what);
}

// -- sending ------------------------------------------------------------------

bool client::may_ask() const {
  // Not when an idle connection may be closed at any moment.
  const auto& limits = world_->limits;
  // The first request has less time than those after it.
  const auto idle_time = (sent_bytes_ == 0 ? limits.head_timeout : limits.idle_timeout) / 2;
  return !gone() && may_send_ && !asks_no_more_ && !close_announced_ &&
         world_->clock.now() - last_sent_ < (waiting_.empty() ? idle_time : limits.export_timeout);
}

void client::ask(std::shared_ptr<simulated_request> what) {
  what->begin = queued_bytes_;
  queued_bytes_ += what->bytes.size();
  what->end = queued_bytes_;
  unsent_ += what->bytes;
  asks_no_more_ = asks_no_more_ || what->closes;
  note("asks " + what->id + ": " + what->what);
  waiting_.push_back(std::move(what));
}

void client::begin(simulated_request& of) {
  of.begun = true;
  of.begun_at = world_->clock.now();
  of.begun_ts = world_->clock.unix_ms();
  of.state = world_->disk.last();
  of.geoip = world_->geoip_history().size() - 1;
  world_->observe();
  of.crashes = world_->in_the_way.crashes;
  of.vacant = world_->in_the_way.vacant;
  of.ingestion_ends = world_->ingestion_ends();
}

void client::mark_sent() {
  const auto now = world_->clock.now();
  last_sent_ = now;
  for (const auto& each : waiting_) {
    if (!each->begun && each->begin < sent_bytes_) begin(*each);
    if (!std::exchange(each->whole, each->end <= sent_bytes_) && each->whole) each->whole_at = now;
    if (each->batch != nullptr && each->begun) note_sent(*each);
  }
}

void client::note_sent(simulated_request& of) const {
  of.batch->deliver(of.body_bytes_in(std::min(sent_bytes_, of.end) - of.begin), of.whole);
}

void client::send(std::size_t most) {
  if (gone() || !has_unsent()) return;
  const auto bytes = std::min(most, unsent_.size());
  const auto sent = ::send(socket_.get(), unsent_.data(), bytes, MSG_NOSIGNAL);
  if (sent > 0) {
    note("sends " + std::to_string(sent) + " bytes");
    sent_bytes_ += static_cast<std::size_t>(sent);
    unsent_.erase(0, static_cast<std::size_t>(sent));
    return mark_sent();
  }
  if (sent < 0 && errno == EAGAIN) return;
  may_send_ = false; // the reason shows at the end of the stream
  note("cannot send any more");
}

void client::half_close() {
  if (gone() || half_closed_) return;
  note("half-closes");
  half_closed_ = asks_no_more_ = true;
  may_send_ = false;
  ::shutdown(socket_.get(), SHUT_WR);
  std::erase_if(waiting_, [](const auto& each) { return !each->begun; });
}

void client::abandon() {
  auto& random = world_->random;
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [](const auto& each) { return each->batch && !each->whole; });
  if (gone() || found == waiting_.end()) return;
  const auto& of = **found;
  // Without its line end a line may look whole.
  const auto line_end = of.batch->end_of(random.below(of.batch->line_count()));
  const auto until = of.begin + of.bytes_with(line_end - 1) - random.below(2);
  note("abandons " + of.id);
  if (until > sent_bytes_) send(until - sent_bytes_);
  random.one_in(2) ? half_close() : leave();
}

void client::leave() {
  note("leaves");
  socket_.reset();
  waiting_.clear();
}

// -- receiving ----------------------------------------------------------------

void client::receive(std::size_t most) {
  std::array<char, 64 * 1'024> buffer;
  while (!gone() && most > 0) {
    const auto got = ::recv(socket_.get(), buffer.data(), std::min(most, buffer.size()), 0);
    const auto now = world_->clock.now();
    was_away_ = was_away_ ||
                (slow_buffers_ && now - last_emptied_ >= world_->limits.write_timeout - patience);
    if (got < 0 && errno == EAGAIN) {
      last_emptied_ = now;
      return;
    }
    if (got <= 0) return on_end();
    most -= static_cast<std::size_t>(got);
    received_.append(buffer.data(), static_cast<std::size_t>(got));
    while (take_answer()) {
    }
  }
}

bool client::take_answer() {
  const auto end = received_.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  if (waiting_.empty()) {
    violated("an answer that nobody asked for: " + received_.substr(0, 200));
    received_.clear();
    return false;
  }
  auto& request = *waiting_.front();
  answer got;
  if (const auto wrong = read_head(std::string_view{received_}.substr(0, end + 2), got);
      !wrong.empty()) {
    violated(wrong + " in " + received_.substr(0, end));
    received_.clear();
    return false;
  }
  if (got.status == 100) {
    if (!std::exchange(request.expects_continue, false)) violated("100 that nobody expects");
    received_.erase(0, end + 4);
    return true;
  }
  std::size_t length = 0;
  const auto text = got.header("content-length");
  std::from_chars(text.data(), text.data() + text.size(), length);
  if (request.head || got.status == 204 || got.status == 304) length = 0;
  if (received_.size() - end - 4 < length) return false;
  got.body = received_.substr(end + 4, length);
  received_.erase(0, end + 4 + length);
  judge(got);
  return true;
}

void client::judge(const answer& got) {
  const auto request = std::move(waiting_.front());
  waiting_.pop_front();
  last_answer_ = world_->clock.now();
  note("gets " + std::to_string(got.status) + " for " + request->id + ", " +
       std::to_string(got.body.size()) + " bytes");
  world_->observe();
  if (close_announced_) violated("an answer after the last one");
  close_announced_ = got.header("connection") == "close";
  if (is_io_disturbed() && (got.status == 400 || got.status == 408) && close_announced_)
    return; // the request was not read completely, or not framed
  const bool too_late = request->whole_at - request->begun_at >= world_->limits.head_timeout;
  if (!request->whole || (too_late && got.status == 408)) return judge_unfinished(*request, got);
  if (request->malformed) {
    if (!close_announced_) violated("a malformed request does not end its connection");
  } else if (got.header("x-request-id") != request->id) {
    return violated("the answer to " + std::string{got.header("x-request-id")} + " instead of " +
                    request->id);
  }
  // The node may not have read all of an ingest that fails.
  const bool unread = request->batch != nullptr && got.status != 200 && got.status != 422;
  if (close_announced_ && !request->closes && !half_closed_ && !world_->tight && !unread)
    violated("an answer ends its connection without a reason");
  if (const auto wrong = oracle_->judge(*request, got); !wrong.empty())
    violated(request->id + " (" + request->what + "): " + wrong);
}

void client::judge_unfinished(const simulated_request& request, const answer& got) {
  // A refusal before the request was complete must be about its beginning, or because it never
  // ends.
  const auto waited = world_->clock.now() - request.begun_at;
  const bool late = got.status == 408 && waited >= world_->limits.head_timeout;
  const bool cut = got.status == 400 && half_closed_;
  const bool crowded = got.status == 503 && world_->tight;
  if (!late && !cut && !crowded && !request.malformed && !oracle_->may_cut_short(request, got))
    violated(request.id + " is answered before it was whole: " + std::to_string(got.status) + " " +
             got.body);
  if (!close_announced_) violated("an unfinished request does not end its connection");
}

bool client::is_io_disturbed() const {
  if (of_ops_) return false; // these have no such fault points
  const auto& met = world_->in_the_way;
  return met.since(fault_point::read, opened_at_) || met.since(fault_point::write, opened_at_) ||
         met.since(fault_point::frame, opened_at_);
}

void client::on_end() {
  note("sees the end");
  socket_.reset();
  const bool any =
      std::any_of(waiting_.begin(), waiting_.end(), [](const auto& each) { return each->whole; });
  if (!close_announced_ && !was_away_ && !is_io_disturbed()) {
    if (any) violated("the end instead of an answer to " + waiting_.front()->id);
    if (!received_.empty()) violated("the end in the middle of an answer");
  }
  waiting_.clear();
}

// -- deadlines ----------------------------------------------------------------

bool client::all_whole() const {
  return std::all_of(waiting_.begin(), waiting_.end(),
                     [](const auto& each) { return each->whole; });
}

void client::check_deadline() {
  if (gone() || slow_ || waiting_.empty() || !waiting_.front()->whole || is_io_disturbed()) return;
  // The end of the connection or the rest of an answer is still to come.
  if (close_announced_ || !received_.empty()) return;
  const auto& request = *waiting_.front();
  const auto& limits = world_->limits;
  auto timeout = limits.request_timeout;
  if (request.owner == base::owner::lobby_export) timeout = limits.export_timeout;
  // The node takes the body's last bytes from the socket once the store has taken those before.
  if (request.batch != nullptr) timeout = 3 * limits.ingest_timeout;
  const auto due = std::max(request.whole_at, last_answer_) + timeout + patience;
  if (world_->clock.now() <= due) return;
  violated(request.id + " (" + request.what + ") has no answer after its deadline");
  leave();
}

} // namespace matchcloud::simulation
