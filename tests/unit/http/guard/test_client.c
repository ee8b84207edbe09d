/* test_client.c - tests of src/http/guard/client.c: the address that counts as the client, and how much a
 * client has under way. */
/* CI builds: address */
#include "http/guard/client.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "support/facts.h"

static struct client client(const char *text)
{
    struct networks one;
    assert_true(networks_read(text, &one));
    assert_int_equal(one.count, 1);
    return one.list[0].client;
}

static void assert_is(const struct client *got, const char *wanted)
{
    char text[CLIENT_TEXT_MAX];
    client_text(got, text);
    assert_string_equal(text, wanted);
}

/* A text and, after it, a local address so many times. */
static const char *repeated(const char *begin, size_t times, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", begin);
    for (size_t i = 0; i < times; i++)
        used += (size_t)snprintf(text + used, size - used, ",::1");
    assert_true(used < size);
    return text;
}

TEST(test_networks)
{
    static const struct {
        const char *networks, *address;
        bool in;
    } cases[] = {
        {"", "10.0.0.1", false},
        {"10.0.0.0/8", "10.255.0.1", true},
        {"10.0.0.0/8", "11.0.0.1", false},
        {"10.1.2.128/25", "10.1.2.127", false},
        {"10.1.2.128/25", "10.1.2.129", true},
        {"192.0.2.7", "192.0.2.7", true},
        {"192.0.2.7", "192.0.2.6", false},
        {"192.0.2.6/31", "192.0.2.7", true},
        {"0.0.0.0/0", "8.8.8.8", true},
        {"0.0.0.0/0", "2001:db8::1", false},
        {"::/0", "8.8.8.8", true}, /* every address */
        {"unix", "unix", true},
        {"::1,unix", "unix", true},
        {"unix,::1", "::1", true},
        {"::/0", "unix", false}, /* a unix socket has no address */
        {"unix", "::", false},
        {"2001:db8::/33", "2001:db8:7fff::1", true},
        {"2001:db8::/33", "2001:db8:8000::1", false},
        {"::1,10.0.0.0/8", "::1", true},
        {"::1,10.0.0.0/8", "::2", false},
        {"::ffff:10.0.0.1", "10.0.0.1", true}, /* an IPv4 address written as an IPv6 one */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct networks networks;
        const struct client asked = client(cases[i].address);
        assert_true(networks_read(cases[i].networks, &networks));
        if (networks_contain(&networks, &asked) != cases[i].in)
            fail_msg("%s in %s", cases[i].address, cases[i].networks);
    }
    static const char *const bad[] = {
        "10.0.0.0/33", "10.0.0.0/",  "/8",           "10.0.0",    "10.0.0.0/8,",   ",",     "::/129",
        "::/-1",       "::/1a",      "localhost",    "10.0.0.1 ", "10.0.0.0/008x", "[::1]", "10.0.0.1:8",
        "a.b.c.d",     "1.2.3.4/ 8", "1.2.3.4,,::1", "unix/8",    "unix:/a",       "UNIX",  "uni"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (networks_read(bad[i], &(struct networks){0}))
            fail_msg("%s was read", bad[i]);
    char many[(NETWORKS_MAX + 1) * 4];
    assert_true(networks_read(repeated("::1", NETWORKS_MAX - 1, many, sizeof many), &(struct networks){0}));
    assert_false(networks_read(repeated("::1", NETWORKS_MAX, many, sizeof many), &(struct networks){0}));
}

TEST(test_sockets)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    const struct sockaddr other = {.sa_family = AF_PACKET}, local = {.sa_family = AF_UNIX};
    (void)inet_pton(AF_INET, "192.0.2.7", &v4.sin_addr);
    (void)inet_pton(AF_INET6, "2001:db8::7", &v6.sin6_addr);
    struct client got = client_of((const struct sockaddr *)&v4);
    assert_is(&got, "192.0.2.7");
    static const char *const all[] = {"0.0.0.0", "1.22.133.204", "100.10.0.99", "255.255.255.255"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        got = client(all[i]);
        assert_is(&got, all[i]);
    }
    got = client_of((const struct sockaddr *)&v6);
    assert_is(&got, "2001:db8::7");
    got = client_of(&other);
    assert_is(&got, "unknown");
    got = client_of(&local);
    assert_is(&got, "unix");
    got = client_of(NULL);
    assert_is(&got, "unknown");
}

/* Trusted: 10.0.0.0/8, ::1 and unix sockets. */
TEST(test_proxies)
{
    static const struct {
        bool rfc7239;
        const char *end, *fields[3], *client;
    } cases[] = {
        {false, "192.0.2.9", {"203.0.113.5"}, "192.0.2.9"}, /* it is not trusted */
        {false, "10.0.0.1", {NULL}, "10.0.0.1"},
        {false, "10.0.0.1", {"203.0.113.5"}, "203.0.113.5"},
        {false, "10.0.0.1", {"203.0.113.5, 198.51.100.2"}, "198.51.100.2"}, /* it may have invented the first */
        {false, "10.0.0.1", {"203.0.113.5, 10.0.0.2"}, "203.0.113.5"},
        {false, "10.0.0.1", {"203.0.113.5", "10.0.0.2"}, "203.0.113.5"},
        {false, "10.0.0.1", {"10.0.0.4,10.0.0.3", "10.0.0.2"}, "10.0.0.4"},
        {false, "10.0.0.1", {"203.0.113.5, nonsense"}, "10.0.0.1"},
        {false, "10.0.0.1", {"203.0.113.5,"}, "10.0.0.1"},
        {false, "10.0.0.1", {""}, "10.0.0.1"},
        {false, "10.0.0.1", {"\", 203.0.113.5"}, "203.0.113.5"}, /* it may have sent a quotation mark */
        {false, "10.0.0.1", {"\"", "203.0.113.5"}, "203.0.113.5"},
        {false, "::1", {" 203.0.113.5:4711 "}, "203.0.113.5"},
        {false, "::1", {"2001:db8::5"}, "2001:db8::5"},
        {false, "::1", {"[2001:db8::5]:4711"}, "2001:db8::5"},
        {false, "::1", {"[2001:db8::5"}, "::1"},
        {false, "::1", {"for=203.0.113.5"}, "::1"},
        {true, "::1", {"for=203.0.113.5"}, "203.0.113.5"},
        {true, "::1", {"203.0.113.5"}, "::1"},
        {true, "::1", {"proto=https;For=\"[2001:db8::5]:4711\";by=10.0.0.1"}, "2001:db8::5"},
        {true, "::1", {"for=203.0.113.5;host=\"a,b;c\", for=10.0.0.2"}, "203.0.113.5"},
        {true, "::1", {"for=203.0.113.5, for=unknown"}, "::1"},
        {true, "::1", {"for=\"_hidden\""}, "::1"},
        {true, "::1", {"for="}, "::1"},
        {false, "unix", {"203.0.113.5"}, "203.0.113.5"},
        {false, "unix", {"203.0.113.5, unix"}, "unix"}, /* it is not an address */
    };
    struct networks trusted;
    assert_true(networks_read("10.0.0.0/8,::1,unix", &trusted));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t count = 0;
        while (count < 3 && cases[i].fields[count])
            count++;
        const struct client got =
            client_behind(&trusted, client(cases[i].end), cases[i].fields, count, cases[i].rfc7239);
        assert_is(&got, cases[i].client);
    }
}

/* No field makes it follow more hops than the limit. */
TEST(test_many_hops)
{
    char field[4 * HOPS_MAX + 40];
    const char *const fields[] = {field};
    struct networks trusted;
    assert_true(networks_read("::1", &trusted));
    (void)repeated("203.0.113.5", HOPS_MAX - 1, field, sizeof field);
    struct client got = client_behind(&trusted, client("::1"), fields, 1, false);
    assert_is(&got, "203.0.113.5");
    (void)repeated("203.0.113.5", HOPS_MAX, field, sizeof field);
    got = client_behind(&trusted, client("::1"), fields, 1, false);
    assert_is(&got, "::1");
}

TEST(test_hashes)
{
    const struct client a = client("192.0.2.7"), b = client("192.0.2.8"), c = client("2001:db8::1"),
                        d = client("2001:db8::2"), e = client("2001:db8:0:1::1"), f = client("::1"), g = client("unix");
    assert_int_equal(client_hash(&a, 1), client_hash(&a, 1));
    assert_int_not_equal(client_hash(&a, 1), client_hash(&a, 2));
    assert_int_not_equal(client_hash(&a, 1), client_hash(&b, 1));
    assert_int_equal(client_hash(&c, 1), client_hash(&d, 1)); /* one network */
    assert_int_not_equal(client_hash(&c, 1), client_hash(&e, 1));
    assert_int_not_equal(client_hash(&f, 1), client_hash(&g, 1));
}

TEST(test_counts)
{
    struct clients *clients = clients_new();
    assert_non_null(clients);
    for (uint64_t i = 0; i < 5000; i++) { /* more than there are slots */
        assert_true(clients_enter(clients, i, USE_CONNECTION, UINT32_MAX));
        assert_true(clients_enter(clients, i, USE_SEARCH, 2));
        assert_true(clients_enter(clients, i, USE_SEARCH, 2));
        assert_false(clients_enter(clients, i, USE_SEARCH, 2));
    }
    for (uint64_t i = 0; i < 5000; i++) {
        assert_int_equal(clients_count(clients, i, USE_CONNECTION), 1);
        assert_int_equal(clients_count(clients, i, USE_SEARCH), 2);
        clients_leave(clients, i, USE_SEARCH);
        assert_true(clients_enter(clients, i, USE_SEARCH, 2));
        clients_leave(clients, i, USE_SEARCH);
        clients_leave(clients, i, USE_SEARCH);
        clients_leave(clients, i, USE_CONNECTION);
        assert_int_equal(clients_count(clients, i, USE_SEARCH), 0);
    }
    clients_free(clients);
    clients_free(NULL);
}
