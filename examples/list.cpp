// list.cpp - the solutions with a queen on a square, and how many pairs attack each other when one queen moves.
#include <nqueens.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

static void must(nq_status status)
{
    if (status != NQ_OK)
        throw std::runtime_error(nq_status_text(status));
}

int main()
{
    const uint32_t n = 6;
    nq_query *asked;
    must(nq_query_open(n, nullptr, &asked));
    const std::unique_ptr<nq_query, decltype(&nq_query_close)> query(asked, nq_query_close);
    must(nq_query_place(query.get(), 0, 2));
    nq_cursor *opened;
    must(nq_cursor_open_query(nullptr, query.get(), &opened));
    const std::unique_ptr<nq_cursor, decltype(&nq_cursor_close)> cursor(opened, nq_cursor_close);
    std::vector<uint32_t> columns(n);
    for (uint64_t budget = UINT64_MAX; nq_cursor_next(cursor.get(), &budget, columns.data()) == NQ_OK;) {
        std::vector<nq_square> queens;
        for (uint32_t row = 0; row < n; row++) {
            std::printf("%s%u", row ? "," : "", columns[row] + 1);
            queens.push_back({row, columns[row]});
        }
        queens[0].column = 0;
        uint64_t pairs;
        must(nq_conflicts(n, nullptr, queens.data(), n, nullptr, &pairs));
        std::printf("; with the first queen in the corner %u attack each other\n", static_cast<unsigned>(pairs));
    }
}
