#pragma once

#include "base/files/file_descriptor.hpp"
#include "tests/simulation/oracle.hpp"
#include "tests/simulation/simulated_request.hpp"
#include "tests/simulation/world.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::simulation {

/// One connection to the node over a socket pair: sends its requests piece by piece, reads answers,
/// and knows which are due. Reports violations to the world.
class client {
public:
  /// `slow`: reads little and rarely, through small buffers.
  client(world& in, oracle& by, std::size_t number, std::uint8_t address, bool slow,
         bool of_ops = false);

  // -- what chance does -------------------------------------------------------

  void ask(std::shared_ptr<simulated_request> what);
  /// Sends at most `most` of the unsent bytes.
  void send(std::size_t most);
  /// Reads at most `most` of the received bytes.
  void receive(std::size_t most);
  /// Shuts down the sending direction; unsent bytes are never sent.
  void half_close();
  /// Sends a part of the body of an ingest, often up to the very end of a line, and no more.
  void abandon();
  /// Closes the connection without notice.
  void leave();
  /// From now on reads at normal speed.
  void hurry() { slow_ = false; }
  /// From now on sends what is unsent as soon as the node takes it.
  void keep_sending() { keeps_sending_ = true; }

  // -- what is known ----------------------------------------------------------

  bool slow() const noexcept { return slow_; }
  bool keeps_sending() const noexcept { return keeps_sending_; }
  bool of_ops() const noexcept { return of_ops_; }
  bool gone() const noexcept { return !socket_; }
  /// No answer is awaited and nothing is unsent.
  bool idle() const noexcept { return waiting_.empty(); }
  bool has_unsent() const noexcept { return !unsent_.empty() && may_send_; }
  /// Whether further requests can still be answered.
  bool may_ask() const;
  std::uint8_t address() const noexcept { return address_; }
  std::size_t number() const noexcept { return number_; }
  /// Whether every unanswered request was sent completely.
  bool all_whole() const;
  /// Reports a violation if an answer is overdue.
  void check_deadline();

private:
  void note(const std::string& what);
  void violated(const std::string& what);
  void mark_sent();
  void begin(simulated_request& of);
  void note_sent(simulated_request& of) const;
  bool take_answer();
  void judge(const answer& got);
  void judge_unfinished(const simulated_request& request, const answer& got);
  void on_end();
  /// Whether injected faults may break connections.
  bool is_io_disturbed() const;

  world* world_;
  oracle* oracle_;
  std::size_t number_;
  std::uint8_t address_;
  bool slow_;
  bool of_ops_;
  bool keeps_sending_ = false;
  /// The node's side of the connection has small buffers.
  bool slow_buffers_;
  /// This client read nothing for so long that the node may have given up.
  bool was_away_ = false;
  base::file_descriptor socket_;
  base::steady_time opened_at_;
  base::steady_time last_sent_;
  /// The last time there was nothing to read: only completely read segments free buffer space.
  base::steady_time last_emptied_;
  base::steady_time last_answer_;
  std::string unsent_;
  std::size_t queued_bytes_ = 0;
  std::size_t sent_bytes_ = 0;
  std::deque<std::shared_ptr<simulated_request>> waiting_;
  std::string received_;
  bool may_send_ = true;
  bool asks_no_more_ = false;
  bool half_closed_ = false;
  /// An answer announced that the connection closes after it.
  bool close_announced_ = false;
};

} // namespace matchcloud::simulation
