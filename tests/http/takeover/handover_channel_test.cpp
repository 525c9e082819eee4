#include "http/takeover/handover_channel.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/forked_process.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/not_tested.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
using base::errc;
using fixtures::contains;
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
  CHECK(two.right->hear().error().code == errc::cancelled);
}

TEST_CASE("oversized messages are refused and leave no descriptor open") {
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
  CHECK(two.right->hear().error().code == errc::request_malformed);
  CHECK(open_descriptors() == before);
}

TEST_CASE("descriptors beyond RLIMIT_NOFILE are refused, all of them") {
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
  CHECK(received.error().code == errc::request_malformed);
  CHECK(contains(received.error().detail, "RLIMIT_NOFILE"));
}

TEST_CASE("waiting ends at the deadline or when the peer is gone") {
  channels two;
  CHECK(two.right->hear(shortly).error().code == errc::deadline_exceeded);
  // Nobody reads, so the buffer fills up.
  base::expected<void> sent;
  while (sent)
    sent = two.right->say(std::string(1'000, 'x'), {}, {}, shortly);
  CHECK(sent.error().code == errc::deadline_exceeded);
  two.left.reset();
  CHECK(two.right->say("x").error().code == errc::unavailable);
  CHECK(two.right->hear().error().code == errc::unavailable);
}

TEST_CASE("a peer's last message is heard after it closed") {
  channels two;
  REQUIRE(two.right->say("unread"));
  REQUIRE(two.left->say("last", "words"));
  two.left.reset();
  const auto heard = two.right->hear();
  REQUIRE(heard);
  CHECK(heard->verb == "last");
  CHECK(heard->argument == "words");
  CHECK(two.right->hear().error().code == errc::unavailable);
}

const std::string name = "take-over-[2001:db8::1]:65535.sock";

TEST_CASE("only its user can connect, and both sides know the other process") {
  const fixtures::temporary_directory in;
  const auto listening = listen_local(in.path(), name);
  REQUIRE(listening);
  struct stat found {};
  REQUIRE(::stat(in.path(name).c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
  const auto connected = connect_local(in.path(), name);
  REQUIRE(connected);
  REQUIRE(*connected);
  const base::file_descriptor accepted{::accept(listening->socket.get(), nullptr, nullptr)};
  CHECK(same_user_peer((*connected)->get()) == ::getpid());
  CHECK(same_user_peer(accepted.get()) == ::getpid());
}

TEST_CASE("a data directory may have a path longer than a socket's name") {
  const fixtures::temporary_directory in;
  auto deep = in.path();
  for (int i = 0; i < 4; ++i)
    deep += "/" + std::string(100, 'd');
  std::filesystem::create_directories(deep);
  const auto listening = listen_local(deep, name);
  REQUIRE(listening);
  CHECK(std::filesystem::is_socket(deep + "/" + name));
  CHECK(connect_local(deep, name).value());
  CHECK(!listen_local(deep, std::string(200, 'n')));
}

TEST_CASE("nobody listens in a directory that is not there, or under another name") {
  const fixtures::temporary_directory in;
  CHECK_FALSE(connect_local(in.path("nowhere"), name).value());
  CHECK_FALSE(connect_local(in.path(), name).value());
}

TEST_CASE("the socket file of a dead process is replaced, a living one's is not") {
  const fixtures::temporary_directory in;
  { const auto gone = listen_local(in.path(), name); }
  CHECK(std::filesystem::is_socket(in.path(name)));
  CHECK_FALSE(connect_local(in.path(), name).value());
  const auto living = listen_local(in.path(), name);
  REQUIRE(living);
  const auto another = listen_local(in.path(), name);
  REQUIRE(!another);
  CHECK(another.error().code == base::errc::address_unavailable);
  CHECK(connect_local(in.path(), name).value());
  living->remove_file();
  CHECK_FALSE(std::filesystem::exists(in.path(name)));
}

TEST_CASE("something else of that name is left alone") {
  const fixtures::temporary_directory in;
  in.file(name, "precious");
  // A plain file refuses connections like a dead socket.
  const auto refused = listen_local(in.path(), name);
  CHECK(!refused);
  CHECK(std::filesystem::file_size(in.path(name)) == 8);
}

TEST_CASE("another user is kept out by mode and by credentials") {
  if (::geteuid() != 0) return fixtures::not_tested("only root can become another user");
  const fixtures::temporary_directory in;
  std::filesystem::permissions(in.path(), std::filesystem::perms{0755});
  const auto listening = listen_local(in.path(), name);
  REQUIRE(listening);
  const auto as_another = [&](const auto& body) {
    return fixtures::child{[&] { return ::setgid(65534) == 0 && ::setuid(65534) == 0 && body(); }}
        .succeeded();
  };
  CHECK(as_another([&] { return !connect_local(in.path(), name).has_value(); }));
  REQUIRE(::chmod(in.path(name).c_str(), 0666) == 0);
  // The client notices that the listener belongs to another user.
  CHECK(as_another([&] {
    const auto connected = connect_local(in.path(), name);
    return connected && *connected && !same_user_peer((*connected)->get());
  }));
  const base::file_descriptor accepted{::accept(listening->socket.get(), nullptr, nullptr)};
  REQUIRE(accepted);
  CHECK_FALSE(same_user_peer(accepted.get()));
}

} // namespace
} // namespace matchcloud::http
