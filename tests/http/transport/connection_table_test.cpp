#include "http/transport/connection_table.hpp"

#include "tests/http/transport/connection_fixture.hpp"

#include <array>

namespace matchcloud::http {
namespace {

using namespace fixtures;

/// A table with connections of a scripted host.
struct connection_table_bench {
  connection_bench on;
  std::array<wire, 3> peers;
  connection_table table;

  connection& add(std::size_t which) {
    return table.add([&](std::uint32_t slot, std::uint32_t generation) {
      return std::make_unique<connection>(on, std::make_unique<scripted_stream>(peers[which]),
                                          address_of(1), slot, generation);
    });
  }
  /// Has an exchange begin on a connection.
  actors::exchange_ref ask(connection& from, std::size_t which) {
    peers[which].to_read = connection_bench::get;
    from.start();
    return from.current();
  }
  void close(connection& which) {
    which.end_now();
    on.end_turn(); // it may be scheduled, and must not be once it is destroyed
    table.note_closed(which);
  }
};

TEST_CASE("a reference leads to the connection whose exchange is open, and to no other") {
  connection_table_bench with;
  auto& first = with.add(0);
  auto& second = with.add(1);
  CHECK(with.table.size() == 2);
  const auto asked = with.ask(second, 1);
  CHECK(with.table.current(asked) == &second);
  CHECK(with.table.current({asked.exchange, asked.attempt + 1}) == nullptr);
  CHECK(with.table.current(first.current()) == nullptr); // it asked for nothing
  CHECK(with.table.current({~std::uint64_t{0}, 1}) == nullptr);
  with.on.end_turn();
  with.close(second);
  CHECK(with.table.current(asked) == nullptr);
}

TEST_CASE("a slot is used again after its connection is gone, with other references") {
  connection_table_bench with;
  auto& gone = with.add(0);
  const auto slot = gone.slot();
  const auto asked = with.ask(gone, 0);
  with.on.end_turn();
  CHECK_FALSE(with.table.drop_closed());
  with.close(gone);
  CHECK(with.table.size() == 1); // until the turn ends
  CHECK(with.table.drop_closed());
  CHECK(with.table.size() == 0);
  CHECK(with.table.in(slot) == nullptr);
  with.table.for_each([](const connection&) { FAIL("nothing is left"); });
  auto& next = with.add(1);
  CHECK(next.slot() == slot);
  CHECK(with.table.slot_count() == 1);
  const auto asks = with.ask(next, 1);
  CHECK(asks != asked);
  CHECK(with.table.current(asked) == nullptr);
  CHECK(with.table.current(asks) == &next);
  with.on.end_turn();
}

} // namespace
} // namespace matchcloud::http
