#include "http/takeover/handover_channel.hpp"

#include "tests/catch.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::http {
namespace {

namespace protocol = handover_protocol;
using std::chrono::milliseconds;

constexpr milliseconds shortly{20};

struct channels {
  base::file_descriptor stop{::eventfd(0, EFD_CLOEXEC)};
  std::optional<handover_channel> left;
  std::optional<handover_channel> right;

  channels() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    left.emplace(base::file_descriptor{ends[0]});
    right.emplace(base::file_descriptor{ends[1]}, stop.get());
  }
};

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator open{"/proc/self/fd"};
  return std::distance(begin(open), end(open));
}

TEST_CASE("messages arrive whole and in order, with the descriptors that were sent") {
  channels two;
  const std::vector<int> sent(protocol::descriptors_per_message, two.stop.get());
  REQUIRE(two.left->say("first", {}, sent));
  const std::string longest(protocol::message_limit_bytes - protocol::prefix.size() - 2, 'x');
  REQUIRE(two.left->say("v", longest));
  const auto first = two.right->hear();
  REQUIRE(first);
  CHECK(first->verb == "first");
  REQUIRE(first->descriptors.size() == sent.size());
  for (const auto& each : first->descriptors)
    CHECK((::fcntl(each.get(), F_GETFD) & FD_CLOEXEC) != 0);
  CHECK(two.right->hear()->argument == longest);
  // The received descriptor refers to the same eventfd.
  const std::uint64_t one = 1;
  REQUIRE(::write(first->descriptors[3].get(), &one, sizeof one) == sizeof one);
  CHECK(two.right->hear().error().code == base::errc::cancelled);
}

TEST_CASE("a message that is too long, or has too many descriptors, is refused and leaves nothing "
          "open") {
  channels two;
  const auto before = open_descriptors();
  SECTION("text") {
    const std::string text(protocol::message_limit_bytes + 1, 'x');
    REQUIRE(::send(two.left->get(), text.data(), text.size(), 0) ==
            static_cast<ssize_t>(text.size()));
  }
  SECTION("descriptors, as many as the kernel lets through") {
    constexpr std::size_t count = 253;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(count * sizeof(int))> control{};
    char byte = 'x';
    iovec part{&byte, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    auto* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::fill_n(reinterpret_cast<int*>(CMSG_DATA(rights)), count, two.stop.get());
    REQUIRE(::sendmsg(two.left->get(), &message, 0) == 1);
  }
  CHECK(two.right->hear().error().code == base::errc::request_malformed);
  CHECK(open_descriptors() == before);
}

TEST_CASE("descriptors for which this process has no room are refused, all of them") {
  channels two;
  const std::vector<int> sent(8, two.stop.get());
  REQUIRE(two.left->say("many", {}, sent));
  rlimit limits{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limits) == 0);
  // The kernel assigns the lowest free numbers: three of eight fit under the limit.
  const base::file_descriptor next{::dup(two.stop.get())};
  auto lowered = limits;
  lowered.rlim_cur = static_cast<rlim_t>(next.get()) + 4;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &lowered) == 0);
  const auto received = two.right->hear();
  ::setrlimit(RLIMIT_NOFILE, &limits);
  REQUIRE(!received);
  CHECK(received.error().code == base::errc::request_malformed);
  CHECK(received.error().detail.find("RLIMIT_NOFILE") != std::string::npos);
}

TEST_CASE("waiting ends at the deadline, when the process ends and when the peer is gone") {
  channels two;
  CHECK(two.right->hear(shortly).error().code == base::errc::deadline_exceeded);
  // Nobody reads, so the buffer fills up.
  base::expected<void> sent;
  while (sent)
    sent = two.right->say(std::string(1'000, 'x'), {}, {}, shortly);
  CHECK(sent.error().code == base::errc::deadline_exceeded);
  two.left.reset();
  CHECK(two.right->say("x").error().code == base::errc::unavailable);
  CHECK(two.right->hear().error().code == base::errc::unavailable);
}

TEST_CASE("what a peer said before it closed is heard although it left something unread") {
  channels two;
  REQUIRE(two.right->say("unread"));
  REQUIRE(two.left->say("last", "words"));
  two.left.reset();
  const auto heard = two.right->hear();
  REQUIRE(heard);
  CHECK(heard->verb == "last");
  CHECK(heard->argument == "words");
  CHECK(two.right->hear().error().code == base::errc::unavailable);
}

} // namespace
} // namespace matchcloud::http
