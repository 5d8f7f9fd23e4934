// The smallest blocks of a system of equations that determine one another in turn
// (A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", 1958).
#pragma once

#include "kernel/base/scratch_stack.hpp"

#include <string.h>

namespace kinegen {

// A row for each column, all different, into row_of; by augmenting paths. False when there is none.
inline bool match_rows(ScratchStack& stack, const int32_t* pattern, int32_t rows, int32_t columns,
                       int32_t* row_of) {
    Level level(stack);
    int32_t *column_of = stack.ints(rows), *came = stack.ints(rows),
            *queue = stack.ints(columns + 1);
    for (int32_t i = 0; i < rows; ++i) column_of[i] = -1;
    for (int32_t j = 0; j < columns; ++j) row_of[j] = -1;
    for (int32_t start = 0; start < columns; ++start) {
        // breadth-first from a free column to a free row, alternating along matched pairs
        for (int32_t i = 0; i < rows; ++i) came[i] = -1;
        int32_t head = 0, tail = 0, free = -1;
        queue[tail++] = start;
        while (head < tail && free < 0) {
            const int32_t column = queue[head++];
            for (int32_t row = 0; row < rows && free < 0; ++row) {
                if (!pattern[(int64_t)row * columns + column] || came[row] >= 0) continue;
                came[row] = column;
                if (column_of[row] < 0)
                    free = row;
                else
                    queue[tail++] = column_of[row];
            }
        }
        if (free < 0) return false;
        while (free >= 0) {
            const int32_t column = came[free], next = row_of[column];
            row_of[column] = free;
            column_of[free] = column;
            free = next;
        }
    }
    return true;
}

// Square blocks of a pattern (rows × columns, nonzero: an entry) in block triangular form; their
// rows and columns, each rising, go behind one another, block b from first[b] to first[b + 1].
// Columns that have too many rows come in no block. Room: `columns` numbers, first one more.
// Returns the number of blocks, -1 when the columns are dependent whatever the numbers are.
inline int32_t diagonal_blocks(ScratchStack& stack, const int32_t* pattern, int32_t rows,
                               int32_t columns, int32_t* first, int32_t* block_rows,
                               int32_t* block_columns) {
    Level level(stack);
    int32_t *row_of = stack.ints(columns), *owned = stack.ints(rows), *over = stack.ints(columns);
    int32_t* queue = stack.ints(rows + columns);
    if (!match_rows(stack, pattern, rows, columns, row_of)) return -1;
    // columns that a row without a column of its own needs, and those that they need in turn
    for (int32_t i = 0; i < rows; ++i) owned[i] = 0;
    for (int32_t j = 0; j < columns; ++j) {
        owned[row_of[j]] = 1;
        over[j] = 0;
    }
    int32_t waiting = 0;
    for (int32_t i = 0; i < rows; ++i)
        if (!owned[i]) queue[waiting++] = i;
    while (waiting > 0) {
        const int32_t row = queue[--waiting];
        for (int32_t j = 0; j < columns; ++j)
            if (pattern[(int64_t)row * columns + j] && !over[j]) {
                over[j] = 1;
                queue[waiting++] = row_of[j];
            }
    }
    // column j needs column k when the row that determines j contains k; closed by Warshall
    const int32_t words = (columns + 31) / 32;
    int32_t* reach = stack.ints((int64_t)columns * words);
    memset(reach, 0, sizeof(int32_t) * (size_t)columns * (size_t)words);
    auto bit = [](int32_t k) { return (int32_t)(1u << (k % 32)); };
    for (int32_t j = 0; j < columns; ++j)
        for (int32_t k = 0; k < columns; ++k)
            if (!over[j] && !over[k] && (j == k || pattern[(int64_t)row_of[j] * columns + k]))
                reach[(int64_t)j * words + k / 32] |= bit(k);
    for (int32_t k = 0; k < columns; ++k)
        for (int32_t j = 0; j < columns; ++j)
            if (reach[(int64_t)j * words + k / 32] & bit(k))
                for (int32_t w = 0; w < words; ++w)
                    reach[(int64_t)j * words + w] |= reach[(int64_t)k * words + w];
    auto needs = [&](int32_t j, int32_t k) {
        return (reach[(int64_t)j * words + k / 32] & bit(k)) != 0;
    };
    int32_t count = 0, used = 0;
    first[0] = 0;
    for (int32_t j = 0; j < columns; ++j) {
        bool leads = !over[j];
        for (int32_t k = 0; k < j && leads; ++k) leads = !(needs(j, k) && needs(k, j));
        if (!leads) continue;
        const int32_t begin = used;
        for (int32_t k = j; k < columns; ++k)
            if (needs(j, k) && needs(k, j)) {
                block_columns[used] = k;
                // insert its row in rising order
                int32_t at = used++;
                while (at > begin && block_rows[at - 1] > row_of[k]) {
                    block_rows[at] = block_rows[at - 1];
                    --at;
                }
                block_rows[at] = row_of[k];
            }
        first[++count] = used;
    }
    return count;
}

}  // namespace kinegen
