#pragma once

#include "base/file_descriptor.hpp"
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

/// One connection to the node, by a socket pair: sends what it is given piece by piece, reads
/// answers, and knows which are due. What is wrong goes to the world.
class client {
public:
  /// `slow`: reads little and seldom, through small buffers.
  client(world& in, oracle& by, std::size_t number, std::uint8_t address, bool slow);

  // -- what chance does -------------------------------------------------------

  void ask(std::shared_ptr<simulated_request> what);
  /// At most `most` bytes of what was asked and not sent.
  void send(std::size_t most);
  /// At most `most` bytes of what came.
  void receive(std::size_t most);
  /// Sends nothing more; what was begun and not sent never will be.
  void half_close();
  /// Goes, without a word.
  void leave();
  /// From now on reads like anybody.
  void hurry() { slow_ = false; }

  // -- what is known ----------------------------------------------------------

  bool slow() const noexcept { return slow_; }
  bool gone() const noexcept { return !socket_; }
  /// Nothing is waited for, nothing is to be sent.
  bool idle() const noexcept { return waiting_.empty(); }
  bool has_unsent() const noexcept { return !unsent_.empty() && may_send_; }
  /// Further requests will be answered, if any are.
  bool may_ask() const;
  std::uint8_t address() const noexcept { return address_; }
  std::size_t number() const noexcept { return number_; }
  /// Whether every request was sent whole whose answer is missing.
  bool all_whole() const;
  /// Complains of an answer that should be there by now.
  void check_deadline();

private:
  void note(const std::string& what);
  void violated(const std::string& what);
  void mark_sent();
  void begin(simulated_request& of);
  bool take_answer();
  void judge(const answer& got);
  void judge_unfinished(const simulated_request& request, const answer& got);
  void on_end();
  /// Injected faults break connections.
  bool is_io_disturbed() const;

  world* world_;
  oracle* oracle_;
  std::size_t number_;
  std::uint8_t address_;
  bool slow_;
  /// The node's side of the connection takes little at once.
  bool slow_buffers_;
  /// It took nothing for so long that the node may have given up.
  bool was_away_ = false;
  base::file_descriptor socket_;
  base::steady_time opened_at_;
  base::steady_time last_sent_;
  /// When there was nothing to read: only whole pieces that were read make room for others.
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
  /// An answer said that it is the last.
  bool close_announced_ = false;
};

} // namespace matchcloud::simulation
