// Impulses that push one way, rub and hold, solved together: sweeps over all rows (projected
// Gauss-Seidel), and between them a direct step, which solves for all rows that are not at their
// bounds at once. Sweeps alone need hundreds of rounds where several contacts share a load; the
// direct step finds it in one or two, and the sweeps say whether it was right.
#pragma once

#include "kernel/linalg/square.hpp"
#include "kernel/reduced/implicit.hpp"

namespace kinegen {

enum ImpulseKind : int32_t {
    IMPULSE_NONE = -1,
    IMPULSE_HOLD = 0,    // both ways, up to a limit: dry friction of a joint
    IMPULSE_PUSH = 1,    // one way: ends of travel, normals
    IMPULSE_PAIR = 2,    // this row and the next, together up to a share of their push
    IMPULSE_SECOND = 3,  // the other row of a pair
    IMPULSE_SHARE = 4,   // both ways, up to a share of its push
};

constexpr int32_t IMPULSE_SWEEPS = 300;
// Change of speeds [m/s, rad/s], against the largest, at which the sweeps end.
constexpr double IMPULSE_ACCURACY = 1e-8;
// Softness of rows in a direct step, against their own mobility: rows that repeat each other share.
constexpr double IMPULSE_SOFT = 1e-7;
// Degrees of freedom from which on rows are taken by what they reach: most reach two bodies only.
constexpr int32_t DENSE_MOST = 24;
// Largest system that is solved directly.
constexpr int32_t DIRECT_MOST = 128;

struct ImpulseRows {
    int32_t count, capacity;
    int32_t *kind, *push;  // per row
    double* Y;             // rows × n
    double *p, *before, *aim, *own, *limit;
    double *x, *x_before;       // n: Yᵀ p
    int32_t *cols, *col_count;  // of large systems: where rows are not 0 (rows × n)
    bool is_sparse;
    // of a direct step
    int32_t* active;                      // rows that are solved for
    double *C, *total, *left, *u, *kept;  // their columns (rows × n), and numbers per row
    double *M, *work;
};

inline void lay_out_rows(int32_t rows, int32_t n, Arena<double>& reals, Arena<int32_t>& ints,
                         ImpulseRows& r) {
    r.capacity = rows;
    r.kind = ints.take(rows);
    r.push = ints.take(rows);
    r.active = ints.take(rows);
    r.is_sparse = n > DENSE_MOST;
    r.cols = ints.take(r.is_sparse ? (int64_t)rows * n : 0);
    r.col_count = ints.take(rows);
    r.Y = reals.take((int64_t)rows * n);
    r.C = reals.take((int64_t)rows * n);
    double** const per_row[] = {&r.p,     &r.before, &r.aim, &r.own, &r.limit,
                                &r.total, &r.left,   &r.u,   &r.kept};
    for (double** part : per_row) *part = reals.take(rows);
    r.x = reals.take(n);
    r.x_before = reals.take(n);
    const int32_t small = rows < n ? rows : n;
    const int64_t side = small < DIRECT_MOST ? small : DIRECT_MOST;
    r.M = reals.take(side * side);
    r.work = reals.take(side > 0 ? 2 * side : 1);
}

// Notes where rows are not 0.
inline void list_columns(ImpulseRows& r, int32_t n) {
    for (int32_t i = 0; r.is_sparse && i < r.count; ++i) {
        const double* y = r.Y + (int64_t)i * n;
        int32_t *cols = r.cols + (int64_t)i * n, count = 0;
        for (int32_t k = 0; k < n; ++k)
            if (y[k] != 0) cols[count++] = k;
        r.col_count[i] = count;
    }
}
// A row times x, and x += a row.
inline double row_dot(const ImpulseRows& r, int32_t i, const double* x, int32_t n) {
    const double* y = r.Y + (int64_t)i * n;
    if (!r.is_sparse) return dot(y, x, n);
    const int32_t* cols = r.cols + (int64_t)i * n;
    double sum = 0;
    for (int32_t k = 0; k < r.col_count[i]; ++k) sum += y[cols[k]] * x[cols[k]];
    return sum;
}
inline void row_add(const ImpulseRows& r, int32_t i, double a, double* x, int32_t n) {
    const double* y = r.Y + (int64_t)i * n;
    if (!r.is_sparse) return add_scaled(a, y, x, n);
    const int32_t* cols = r.cols + (int64_t)i * n;
    for (int32_t k = 0; k < r.col_count[i]; ++k) x[cols[k]] += a * y[cols[k]];
}

inline void add_all_impulses(ImpulseRows& r, int32_t n) {
    for (int32_t k = 0; k < n; ++k) r.x[k] = 0;
    for (int32_t i = 0; i < r.count; ++i)
        if (r.p[i] != 0) row_add(r, i, r.p[i], r.x, n);
}

// Brings both impulses of a pair back within a limit.
inline void shorten(double& s, double& t, double limit) {
    const double size = sqrt(s * s + t * t);
    if (size <= limit) return;
    s *= limit / size;
    t *= limit / size;
}

// One sweep over all rows, up or down; x holds Yᵀ p. Returns the square of what it changed.
inline double sweep_impulses(ImpulseRows& r, int32_t n, bool down) {
    auto change = [&](int32_t i, double p) {
        const double by = p - r.p[i];
        if (by == 0) return;
        r.p[i] = p;
        row_add(r, i, by, r.x, n);
    };
    auto wanted = [&](int32_t i, double own) {
        return r.p[i] + (r.aim[i] - r.before[i] - row_dot(r, i, r.x, n)) / own;
    };
    copy_all(r.x_before, r.x, n);
    for (int32_t k = 0; k < r.count; ++k) {
        // up and down in turn: no row is always the first
        const int32_t i = down ? r.count - 1 - k : k;
        const double own = r.own[i];
        switch (r.kind[i]) {
            case IMPULSE_PUSH:
                if (own > 1e-14 && r.aim[i] > -INFINITY) change(i, larger(0, wanted(i, own)));
                break;
            case IMPULSE_HOLD:
            case IMPULSE_SHARE: {
                const bool shares = r.kind[i] == IMPULSE_SHARE;
                const double limit = shares ? r.limit[i] * r.p[r.push[i]] : r.limit[i];
                if (own > 1e-14) change(i, larger(-limit, smaller(limit, wanted(i, own))));
                break;
            }
            case IMPULSE_PAIR: {
                // both directions with one weight, then back onto the cone
                const double both = larger(own, r.own[i + 1]);
                if (!(both > 1e-14)) break;
                double s = wanted(i, both), t = wanted(i + 1, both);
                shorten(s, t, r.limit[i] * r.p[r.push[i]]);
                change(i, s);
                change(i + 1, t);
                break;
            }
            default:
                break;
        }
    }
    // what the impulses do counts, not how many share it
    for (int32_t k = 0; k < n; ++k) r.x_before[k] -= r.x[k];
    return dot(r.x_before, r.x_before, n);
}

// Which rows a direct step solves for: pushes that push, what sticks; what slides keeps its share
// of the push along the direction it has. Columns C say what a unit of each does to x.
inline int32_t list_active(ImpulseRows& r, int32_t n) {
    constexpr double AT = 1 - 1e-9;  // share of a limit from which on it is reached
    int32_t active = 0;
    auto take = [&](int32_t i) {
        copy_all(r.C + (int64_t)active * n, r.Y + (int64_t)i * n, n);
        r.active[active++] = i;
    };
    for (int32_t i = 0; i < r.count; ++i) {
        switch (r.kind[i]) {
            case IMPULSE_PUSH:
                if (!(r.p[i] > 0) || !(r.own[i] > 1e-14)) break;
                take(i);
                for (int32_t j = i + 1; j < r.count && r.push[j] == i; ++j) {
                    const bool pair = r.kind[j] == IMPULSE_PAIR;
                    const double limit = r.limit[j] * r.p[i];
                    const double size =
                        pair ? sqrt(r.p[j] * r.p[j] + r.p[j + 1] * r.p[j + 1]) : fabs(r.p[j]);
                    if (r.kind[j] == IMPULSE_SECOND || !(limit > 0) || size < AT * limit) continue;
                    double* column = r.C + (int64_t)(active - 1) * n;
                    for (int32_t k = 0; k < (pair ? 2 : 1); ++k)
                        add_scaled(r.p[j + k] / r.p[i], r.Y + (int64_t)(j + k) * n, column, n);
                }
                break;
            case IMPULSE_HOLD:
                if (r.own[i] > 1e-14 && fabs(r.p[i]) < AT * r.limit[i]) take(i);
                break;
            case IMPULSE_SHARE:
                if (r.own[i] > 1e-14 && fabs(r.p[i]) < AT * r.limit[i] * r.p[r.push[i]]) take(i);
                break;
            case IMPULSE_PAIR: {
                const double size = sqrt(r.p[i] * r.p[i] + r.p[i + 1] * r.p[i + 1]);
                if (!(size < AT * r.limit[i] * r.p[r.push[i]])) break;
                if (r.own[i] > 1e-14) take(i);
                if (r.own[i + 1] > 1e-14) take(i + 1);
                break;
            }
            default:
                break;
        }
    }
    return active;
}

// Changes u of the active rows that bring their speeds by rhs, once; M is factored.
inline void solve_active(const ImpulseRows& r, int32_t active, int32_t n, bool by_rows,
                         const int32_t* order, const double* rhs, double* u) {
    if (by_rows) {
        copy_all(u, rhs, active);
        solve_square(r.M, order, active, u);
        return;
    }
    double* z = r.work;
    for (int32_t k = 0; k < n; ++k) z[k] = 0;
    for (int32_t a = 0; a < active; ++a)
        add_scaled(rhs[a] / r.own[r.active[a]], r.C + (int64_t)a * n, z, n);
    solve_square(r.M, order, n, z);
    for (int32_t a = 0; a < active; ++a) {
        const int32_t i = r.active[a];
        u[a] = (rhs[a] - dot(r.Y + (int64_t)i * n, z, n)) / (IMPULSE_SOFT * r.own[i]);
    }
}

// A direct step: all active rows at once, then back within the bounds. False: there is none.
inline bool solve_directly(ImpulseRows& r, int32_t n) {
    const int32_t active = list_active(r, n);
    const bool by_rows = active <= n;
    const int32_t size = by_rows ? active : n;
    if (active == 0 || size > DIRECT_MOST) return false;
    int32_t order[DIRECT_MOST];
    if (by_rows) {
        for (int32_t a = 0; a < active; ++a) {
            const int32_t i = r.active[a];
            for (int32_t b = 0; b < active; ++b)
                r.M[(int64_t)a * size + b] = dot(r.Y + (int64_t)i * n, r.C + (int64_t)b * n, n);
            r.M[(int64_t)a * size + a] += IMPULSE_SOFT * r.own[i];
        }
    } else {
        clear_all(r.M, (int64_t)n * n);
        for (int32_t a = 0; a < active; ++a) {
            const double *y = r.Y + (int64_t)r.active[a] * n, *c = r.C + (int64_t)a * n;
            const double inverse = 1 / r.own[r.active[a]];
            for (int32_t k = 0; k < n; ++k)
                if (c[k] != 0) add_scaled(c[k] * inverse, y, r.M + (int64_t)k * n, n);
        }
        for (int32_t k = 0; k < n; ++k) r.M[(int64_t)k * n + k] += IMPULSE_SOFT;
    }
    if (!factor_square(r.M, order, size)) return false;
    double *total = r.total, *left = r.left;  // changes of all active rows
    // once more for what softness and rounding left
    for (int32_t a = 0; a < active; ++a) {
        const int32_t i = r.active[a];
        left[a] = r.aim[i] - r.before[i] - dot(r.Y + (int64_t)i * n, r.x, n);
        total[a] = 0;
    }
    for (int round = 0; round < 2; ++round) {
        solve_active(r, active, n, by_rows, order, left, r.u);
        for (int32_t a = 0; a < active; ++a) total[a] += r.u[a];
        if (round > 0) break;
        copy_all(r.x_before, r.x, n);
        for (int32_t a = 0; a < active; ++a)
            add_scaled(total[a], r.C + (int64_t)a * n, r.x_before, n);
        for (int32_t a = 0; a < active; ++a) {
            const int32_t i = r.active[a];
            left[a] = r.aim[i] - r.before[i] - dot(r.Y + (int64_t)i * n, r.x_before, n);
        }
    }
    // what slides follows its push; all within their bounds
    for (int32_t a = 0; a < active; ++a) {
        const int32_t i = r.active[a];
        if (r.kind[i] != IMPULSE_PUSH) {
            r.p[i] += total[a];
            continue;
        }
        const double p = larger(0, r.p[i] + total[a]), factor = p / r.p[i];
        for (int32_t j = i + 1; j < r.count && r.push[j] == i; ++j) {
            bool solved = false;  // sticks: it is in the list, behind its push
            for (int32_t b = a + 1; b < active && r.push[r.active[b]] == i && !solved; ++b)
                solved = r.active[b] == j;
            if (!solved) r.p[j] *= factor;
        }
        r.p[i] = p;
    }
    for (int32_t i = 0; i < r.count; ++i) {
        const double limit = r.limit[i] * (r.kind[i] == IMPULSE_HOLD ? 1 : r.p[r.push[i]]);
        if (r.kind[i] == IMPULSE_PAIR)
            shorten(r.p[i], r.p[i + 1], limit);
        else if (r.kind[i] == IMPULSE_HOLD || r.kind[i] == IMPULSE_SHARE)
            r.p[i] = larger(-limit, smaller(limit, r.p[i]));
    }
    add_all_impulses(r, n);
    return true;
}

// Impulses p from those that there are, a guess; x becomes Yᵀ p. Returns the sweeps it took.
inline int32_t solve_impulses(ImpulseRows& r, int32_t n) {
    list_columns(r, n);
    for (int32_t i = 0; i < r.count; ++i) r.own[i] = row_dot(r, i, r.Y + (int64_t)i * n, n);
    add_all_impulses(r, n);
    const double accuracy = IMPULSE_ACCURACY * IMPULSE_ACCURACY;
    auto is_done = [&](double change) { return change <= accuracy * dot(r.x, r.x, n); };
    int32_t sweeps = 0, plain = 0;
    double last = sweep_impulses(r, n, false);
    while (++sweeps < IMPULSE_SWEEPS && !is_done(last)) {
        if (plain > 0) {
            --plain;
            last = sweep_impulses(r, n, sweeps % 2 == 1);
            continue;
        }
        // a direct step counts if the sweep after it has less to change
        copy_all(r.kept, r.p, r.count);
        if (!solve_directly(r, n)) {
            plain = IMPULSE_SWEEPS;
            continue;
        }
        const double next = sweep_impulses(r, n, sweeps % 2 == 1);
        if (next < 0.25 * last || is_done(next)) {
            last = next;
            continue;
        }
        copy_all(r.p, r.kept, r.count);
        add_all_impulses(r, n);
        plain = 8;
    }
    return sweeps;
}

}  // namespace kinegen
