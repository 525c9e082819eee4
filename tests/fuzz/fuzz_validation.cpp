// Checks the properties of validation_law.hpp for every input.
#include "tests/fixtures/validation_law.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view body{reinterpret_cast<const char*>(bytes), size};
  const auto broken = matchcloud::validation_law::check(body);
  if (broken.empty()) return 0;
  std::fprintf(stderr, "%s\n", broken.c_str());
  std::abort();
}
