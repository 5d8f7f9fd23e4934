// Hard constraints, eliminated one small group of rows at a time.
//
// Every group (a loop, a pin, a reached limit) is a few rows over a few variables. Gauss-Jordan
// elimination with pivoting writes some of the variables as formulas of the others; later groups
// see only what is left. Rank decides, never a row count: rows that vanish are redundant.
#pragma once

#include <stdint.h>
#include <string.h>

#include "kernel/base/rotation.hpp"

namespace kinegen {

// A pivot may be this much smaller than the largest entry if its variable is needed less elsewhere.
constexpr double PIVOT_THRESHOLD = 0.3;
// What is left of a term that cancels out: carried on, it would couple everything with everything.
constexpr double LEAST_TERM = 1e-14;

// Variables written as formulas of the remaining ones: x[owner] = sum coef x[var] + constant.
struct Elimination {
    int32_t variable_count;
    int32_t count;           // formulas so far
    int32_t* formula_of;     // per variable: its formula, or -1 while free
    int32_t* owner;          // per formula
    int32_t* first;          // per formula + 1: where its terms begin
    double* constant;        // per formula
    int32_t* term_variable;  // terms of all formulas
    double* term_coefficient;
    int32_t term_capacity;
    const int32_t* uses;    // per variable: how many groups need it
    int32_t* place;         // scratch per variable: local column + 1, zero outside of a call
    bool overflow;          // the terms did not fit: ask again with more memory
    double smallest_pivot;  // of all groups so far, rows being of size one
    int32_t redundant;      // rows found dependent on others
};

inline void start_elimination(Elimination& e) {
    for (int32_t i = 0; i < e.variable_count; ++i) e.formula_of[i] = -1;
    e.count = 0;
    e.first[0] = 0;
    e.overflow = false;
    e.smallest_pivot = 1e300;
    e.redundant = 0;
}

// Replaces eliminated variables in dense rows (row_count × variable_count) and their right sides,
// beginning with formula `from`.
inline void substitute(const Elimination& e, int32_t from, double* rows, double* rhs,
                       int32_t row_count) {
    const int32_t n = e.variable_count;
    for (int32_t f = from; f < e.count; ++f) {
        const int32_t owner = e.owner[f];
        for (int32_t r = 0; r < row_count; ++r) {
            double* row = rows + (int64_t)r * n;
            const double a = row[owner];
            if (a == 0) continue;
            row[owner] = 0;
            rhs[r] -= a * e.constant[f];
            for (int32_t t = e.first[f]; t < e.first[f + 1]; ++t)
                row[e.term_variable[t]] += a * e.term_coefficient[t];
        }
    }
}

// Fills in the eliminated variables from the free ones.
inline void back_substitute(const Elimination& e, double* x, bool with_constants) {
    for (int32_t f = e.count - 1; f >= 0; --f) {
        double sum = with_constants ? e.constant[f] : 0;
        for (int32_t t = e.first[f]; t < e.first[f + 1]; ++t)
            sum += e.term_coefficient[t] * x[e.term_variable[t]];
        x[e.owner[f]] = sum;
    }
}

// One group: rows (row_count × column_count, overwritten) over the listed variables, rows·x = rhs.
// local: scratch of row_count × variable_count; columns: scratch of variable_count.
// Entries below `tolerance` count as zero. Returns the rank of what the group adds.
inline int32_t eliminate(Elimination& e, const int32_t* variables, int32_t column_count,
                         const double* rows, double* rhs, int32_t row_count, double tolerance,
                         double* local, int32_t* columns) {
    // local copy of the rows with a column per variable that is still free
    const int32_t stride = e.variable_count;
    int32_t width = 0;
    auto column_of = [&](int32_t variable) {
        if (e.place[variable] == 0) {
            for (int32_t r = 0; r < row_count; ++r) local[(int64_t)r * stride + width] = 0;
            columns[width] = variable;
            e.place[variable] = ++width;
        }
        return e.place[variable] - 1;
    };
    for (int32_t c = 0; c < column_count; ++c) {
        const int32_t at = column_of(variables[c]);
        for (int32_t r = 0; r < row_count; ++r)
            local[(int64_t)r * stride + at] += rows[(int64_t)r * column_count + c];
    }
    // formulas only mention variables that were eliminated after them, so oldest first is enough
    for (int32_t last = -1;;) {
        int32_t next = INT32_MAX, at = -1;
        for (int32_t c = 0; c < width; ++c) {
            const int32_t f = e.formula_of[columns[c]];
            if (f > last && f < next) {
                next = f;
                at = c;
            }
        }
        if (at < 0) break;
        last = next;
        for (int32_t t = e.first[next]; t < e.first[next + 1]; ++t) {
            const int32_t to = column_of(e.term_variable[t]);
            for (int32_t r = 0; r < row_count; ++r) {
                double* row = local + (int64_t)r * stride;
                row[to] += row[at] * e.term_coefficient[t];
            }
        }
        for (int32_t r = 0; r < row_count; ++r) {
            double* row = local + (int64_t)r * stride;
            rhs[r] -= row[at] * e.constant[next];
            row[at] = 0;
        }
    }

    // Gauss-Jordan: the row with the largest entry, and in it the variable that the fewest other
    // groups need among those of nearly that size
    bool used[6] = {};
    double row_max[6];
    int32_t pivot_column[6], pivot_row[6], rank = 0;
    for (int32_t r = 0; r < row_count; ++r) {
        const double* row = local + (int64_t)r * stride;
        row_max[r] = 0;
        for (int32_t c = 0; c < width; ++c) row_max[r] = larger(row_max[r], fabs(row[c]));
    }
    for (; rank < row_count; ++rank) {
        int32_t best_row = -1;
        double largest = tolerance;
        for (int32_t r = 0; r < row_count; ++r)
            if (!used[r] && row_max[r] > largest) {
                largest = row_max[r];
                best_row = r;
            }
        if (best_row < 0) break;
        double* pivot = local + (int64_t)best_row * stride;
        int32_t best_column = -1, fewest = INT32_MAX;
        double best = 0;
        for (int32_t c = 0; c < width; ++c) {
            const double a = fabs(pivot[c]);
            if (a < PIVOT_THRESHOLD * largest) continue;
            const int32_t uses = e.uses[columns[c]];
            if (uses < fewest || (uses == fewest && a > best)) {
                fewest = uses;
                best = a;
                best_column = c;
            }
        }
        if (largest < e.smallest_pivot) e.smallest_pivot = largest;
        used[best_row] = true;
        pivot_row[rank] = best_row;
        pivot_column[rank] = best_column;
        const double scale = 1 / pivot[best_column];
        for (int32_t c = 0; c < width; ++c) pivot[c] *= scale;
        pivot[best_column] = 1;
        rhs[best_row] *= scale;
        for (int32_t r = 0; r < row_count; ++r) {
            if (r == best_row) continue;
            double* row = local + (int64_t)r * stride;
            const double a = row[best_column];
            if (a == 0) continue;
            for (int32_t c = 0; c < width; ++c) row[c] -= a * pivot[c];
            row[best_column] = 0;
            rhs[r] -= a * rhs[best_row];
            if (used[r]) continue;
            row_max[r] = 0;
            for (int32_t c = 0; c < width; ++c) row_max[r] = larger(row_max[r], fabs(row[c]));
        }
    }
    e.redundant += row_count - rank;

    // each pivot's variable as a formula of the columns that have none
    for (int32_t k = 0; k < rank; ++k) {
        const double* row = local + (int64_t)pivot_row[k] * stride;
        int32_t at = e.first[e.count];
        for (int32_t c = 0; c < width; ++c) {
            if (fabs(row[c]) < LEAST_TERM || c == pivot_column[k]) continue;
            if (at == e.term_capacity) {
                e.overflow = true;
                break;
            }
            e.term_variable[at] = columns[c];
            e.term_coefficient[at++] = -row[c];
        }
        const int32_t owner = columns[pivot_column[k]];
        e.owner[e.count] = owner;
        e.constant[e.count] = rhs[pivot_row[k]];
        e.formula_of[owner] = e.count;
        e.first[++e.count] = at;
    }
    for (int32_t c = 0; c < width; ++c) e.place[columns[c]] = 0;
    return rank;
}

}  // namespace kinegen
