#include "tests/catch.hpp"

TEST_CASE("placeholder") {}
