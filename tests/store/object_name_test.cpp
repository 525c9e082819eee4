#include "store/object_name.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>

namespace matchcloud::store {
namespace {

TEST_CASE("an object's name is parts between slashes") {
  for (const auto* const good : {"a", "a/b", "media/ab/0-1_2.png", "...", "a/.b/c..", "-/_"})
    CHECK(object_name::parse(good)->text() == good);
  for (const auto* const bad : {"", "/", "a/", "/a", "a//b", ".", "..", "a/./b", "a/..", "../a",
                                "a b", "a\\b", "a?b", "a%2fb", "\xc3\xa4", "a\n"})
    CHECK(!object_name::parse(bad));
  CHECK(object_name::parse(std::string(255, 'a')).has_value());
  CHECK(!object_name::parse(std::string(256, 'a')).has_value());
  CHECK(object_name::parse(std::string(255, 'a') + "/" + std::string(255, 'a')).has_value());
  CHECK(
      !object_name::parse(std::string(255, 'a') + "/" + std::string(255, 'a') + "/a").has_value());
}

TEST_CASE("any name is a path that stays below its folder") {
  CHECK(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', '.', '/', '-', ' '));
    const auto name = object_name::parse(text);
    if (!name) return;
    const auto path = std::filesystem::path{"/root/" + name->text()}.lexically_normal().string();
    RC_ASSERT(path == "/root/" + text);
  }));
}

} // namespace
} // namespace matchcloud::store
