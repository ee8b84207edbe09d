/* test_digest.c - tests of src/engine/ask/digest.c. */
/* CI builds: address */
#include "engine/ask/digest.h"

#include "support/facts.h"

/* The first digits of what sha256sum says of the same bytes. */
TEST(test_digest)
{
    char id[17];
    digest_id("", "", id);
    assert_string_equal(id, "6e340b9cffb37a98");
    digest_id("1.0.0", "json /count?n=8", id);
    assert_string_equal(id, "054fd6ff17653193");
    digest_id("1.0.0j", "son /count?n=8", id);
    assert_string_equal(id, "d5a53df8c013ba8d");
}
