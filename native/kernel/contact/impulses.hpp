// Impulses that push one way, rub and hold, solved together: sweeps over all rows (projected
// Gauss-Seidel), and between them a direct step, which solves for all rows that are not at their
// bounds at once. Sweeps alone need hundreds of rounds where several contacts share a load; the
// direct step finds it in one or two, and the sweeps say whether it was right.
#pragma once

#include "kernel/base/rotation.hpp"
#include "kernel/linalg/skyline.hpp"
#include "kernel/linalg/square.hpp"

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
// The same where direct steps lead nowhere: bodies that touch in more places than they need share
// their load in several ways, and sweeps crawl between them.
constexpr double IMPULSE_ENOUGH = 1e-6;
// Sweeps before that may end them.
constexpr int32_t IMPULSE_LEAST = 20;
// Softness of rows in a direct step, against their own mobility: rows that repeat each other share.
constexpr double IMPULSE_SOFT = 1e-7;
// Direct steps that follow each other, each up to the first bound.
constexpr int32_t DIRECT_STEPS = 12;
// Degrees of freedom up to which rows are whole; others list what they reach, mostly two bodies.
constexpr int32_t DENSE_MOST = 24;
// Largest sparse system that is solved directly: numbers on one side of its diagonal, and
// multiplications.
constexpr int64_t DIRECT_MOST = 1 << 16;
constexpr double DIRECT_WORK = 2e6;

// Rows of bodies that act on each other, over the variables of these alone.
struct ImpulseRows {
    int32_t n;               // variables
    int32_t count;           // rows
    int32_t stride, widest;  // numbers from one row to the next, and most that a row may have
    int32_t *kind, *push;    // per row
    double* Y;               // rows × stride
    int32_t* width;          // per row: its numbers
    bool is_sparse;          // rows list their variables, upwards: those of one push share a list
    int32_t* cols;
    double *p, *before, *aim, *own, *limit;
    double *x, *x_before;  // n: Yᵀ p
    // of a direct step
    int32_t* active;  // rows that are solved for
    int32_t* across;  // 1: the first of a pair that slides, solved for across its way
    double *C, *total, *left, *u, *kept;  // their columns (rows × stride), and numbers per row
    double *soft, *give;                  // on the diagonal, and how much of that is meant
    double *M, *work;
    Skyline sky;
    bool has_sky;  // whether its rows' starts are known

    const double* row(int32_t i) const { return Y + (int64_t)i * stride; }
    double* row(int32_t i) { return Y + (int64_t)i * stride; }
    double* column(int32_t a) const { return C + (int64_t)a * stride; }
    const double* active_row(int32_t a) const { return across[a] ? column(a) : row(active[a]); }
    int32_t* cols_of(int32_t i) const { return cols + (int64_t)push[i] * stride; }
};

// Memory for any island: so many rows over n variables at most, each over `widest` at most.
inline void lay_out_rows(int32_t rows, int32_t n, int32_t widest, Arena<double>& reals,
                         Arena<int32_t>& ints, ImpulseRows& r) {
    const int32_t dense = n < DENSE_MOST ? n : DENSE_MOST;
    const bool may_be_sparse = n > DENSE_MOST;
    const int64_t stride = may_be_sparse && widest > dense ? widest : dense;
    r.widest = widest;
    r.kind = ints.take(rows);
    r.push = ints.take(rows);
    r.active = ints.take(rows);
    r.across = ints.take(rows);
    r.cols = ints.take(may_be_sparse ? rows * stride : 0);
    r.width = ints.take(rows);
    r.Y = reals.take(rows * stride);
    r.C = reals.take(rows * stride);
    double** const per_row[] = {&r.p,    &r.before, &r.aim,  &r.own,  &r.limit, &r.total,
                                &r.left, &r.u,      &r.kept, &r.soft, &r.give};
    for (double** part : per_row) *part = reals.take(rows);
    r.x = reals.take(n);
    r.x_before = reals.take(n);
    r.M = reals.take((int64_t)dense * dense);
    r.work = reals.take(n);
    const int64_t size = may_be_sparse ? DIRECT_MOST : 0;
    r.sky.start = ints.take(may_be_sparse ? n : 0);
    r.sky.at = ints.take(may_be_sparse ? n : 0);
    r.sky.L = reals.take(size);
    r.sky.U = reals.take(size);
    r.sky.d = reals.take(may_be_sparse ? n : 0);
}

// Begins an island of n variables.
inline void begin_rows(ImpulseRows& r, int32_t n) {
    r.n = n;
    r.count = 0;
    r.is_sparse = n > DENSE_MOST;
    r.stride = r.is_sparse ? r.widest : n;
}

// Numbers y of row i times x, a row times x, and x += a row.
inline double numbers_dot(const ImpulseRows& r, int32_t i, const double* y, const double* x) {
    if (!r.is_sparse) return dot(y, x, r.n);
    const int32_t* cols = r.cols_of(i);
    double sum = 0;
    for (int32_t k = 0; k < r.width[i]; ++k) sum += y[k] * x[cols[k]];
    return sum;
}
inline double row_dot(const ImpulseRows& r, int32_t i, const double* x) {
    return numbers_dot(r, i, r.row(i), x);
}
inline void numbers_add(const ImpulseRows& r, int32_t i, double a, const double* y, double* x) {
    if (!r.is_sparse) return add_scaled(a, y, x, r.n);
    const int32_t* cols = r.cols_of(i);
    for (int32_t k = 0; k < r.width[i]; ++k) x[cols[k]] += a * y[k];
}
inline void row_add(const ImpulseRows& r, int32_t i, double a, double* x) {
    numbers_add(r, i, a, r.row(i), x);
}

inline void add_all_impulses(ImpulseRows& r) {
    clear_all(r.x, r.n);
    for (int32_t i = 0; i < r.count; ++i)
        if (r.p[i] != 0) row_add(r, i, r.p[i], r.x);
}

// Brings both impulses of a pair back within a limit.
inline void shorten(double& s, double& t, double limit) {
    const double size = sqrt(s * s + t * t);
    if (size <= limit) return;
    s *= limit / size;
    t *= limit / size;
}

// One sweep over all rows, up or down; x holds Yᵀ p. Returns the square of what it changed.
inline double sweep_impulses(ImpulseRows& r, bool down) {
    auto change = [&](int32_t i, double p) {
        const double by = p - r.p[i];
        if (by == 0) return;
        r.p[i] = p;
        row_add(r, i, by, r.x);
    };
    auto wanted = [&](int32_t i, double own) {
        return r.p[i] + (r.aim[i] - r.before[i] - row_dot(r, i, r.x)) / own;
    };
    const int32_t n = r.n;
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

// Direction of the impulse of a pair that slides; false: it has none.
inline bool sliding_way(const ImpulseRows& r, int32_t i, double& s, double& t) {
    const double size = sqrt(r.p[i] * r.p[i] + r.p[i + 1] * r.p[i + 1]);
    s = size > 0 ? r.p[i] / size : 0;
    t = size > 0 ? r.p[i + 1] / size : 0;
    return size > 0;
}

// What the active row a has left to do for its aim where impulses did x; across a sliding pair's
// way: the speed there, which is to vanish but for what its impulse turns.
inline double speed_left(const ImpulseRows& r, int32_t a, const double* x) {
    const int32_t i = r.active[a];
    if (!r.across[a]) return r.aim[i] - r.before[i] - row_dot(r, i, x);
    double s, t;
    sliding_way(r, i, s, t);
    return -s * r.before[i + 1] + t * r.before[i] - numbers_dot(r, i, r.column(a), x);
}

// Which rows a direct step solves for: pushes that push, what sticks; what slides keeps its share
// of the push along the direction it has, and turns as its speed across that asks for: an impulse f
// against a speed v turns by dv / v as f df (P. Alart, A. Curnier, "A mixed formulation for
// frictional contact problems prone to Newton like solution methods", Computer Methods in Applied
// Mechanics and Engineering 92, 1991). Columns C say what a unit of each does to x. slides: whether
// any does.
inline int32_t list_active(ImpulseRows& r, bool& slides) {
    constexpr double AT = 1 - 1e-9;  // share of a limit from which on it is reached
    int32_t active = 0;
    slides = false;
    auto take = [&](int32_t i) {
        copy_all(r.column(active), r.row(i), r.width[i]);
        r.soft[active] = IMPULSE_SOFT * r.own[i];
        r.give[active] = 0;
        r.across[active] = 0;
        r.active[active++] = i;
    };
    auto take_across = [&](int32_t i) {
        double s, t;
        if (!(r.p[r.push[i]] > 0) || !(larger(r.own[i], r.own[i + 1]) > 1e-14) ||
            !sliding_way(r, i, s, t))
            return;
        double* y = r.column(active);
        for (int32_t k = 0; k < r.width[i]; ++k) y[k] = s * r.row(i + 1)[k] - t * r.row(i)[k];
        const double a = r.before[i] + row_dot(r, i, r.x);
        const double b = r.before[i + 1] + row_dot(r, i + 1, r.x);
        const double f = sqrt(r.p[i] * r.p[i] + r.p[i + 1] * r.p[i + 1]);
        r.give[active] = sqrt(a * a + b * b) / f;
        r.soft[active] = r.give[active] + IMPULSE_SOFT * larger(r.own[i], r.own[i + 1]);
        r.across[active] = 1;
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
                    slides = true;
                    for (int32_t k = 0; k < (pair ? 2 : 1); ++k)
                        add_scaled(r.p[j + k] / r.p[i], r.row(j + k), r.column(active - 1),
                                   r.width[i]);
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
                if (!(size < AT * r.limit[i] * r.p[r.push[i]])) {
                    take_across(i);
                    break;
                }
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

// Where the rows of a sparse system begin: with the first variable that a row shares with theirs.
inline void find_sky(ImpulseRows& r) {
    Skyline& sky = r.sky;
    sky.n = r.n;
    for (int32_t k = 0; k < r.n; ++k) sky.start[k] = k;
    for (int32_t i = 0; i < r.count; ++i) {
        if (r.push[i] != i) continue;  // others reach the same
        const int32_t* cols = r.cols_of(i);
        for (int32_t k = 0; k < r.width[i]; ++k)
            if (cols[0] < sky.start[cols[k]]) sky.start[cols[k]] = cols[0];
    }
    r.has_sky = true;
}

// Factors Σ c yᵀ / own + soft of a sparse system; false: it is too large or singular.
inline bool factor_sparse(ImpulseRows& r, int32_t active, bool slides) {
    Skyline& sky = r.sky;
    if (!r.has_sky) find_sky(r);
    const int64_t size = measure_skyline(sky);
    if (size > DIRECT_MOST || skyline_work(sky) > DIRECT_WORK) return false;
    clear_all(sky.L, size);
    if (slides) clear_all(sky.U, size);
    for (int32_t k = 0; k < r.n; ++k) sky.d[k] = IMPULSE_SOFT;
    for (int32_t a = 0; a < active; ++a) {
        const int32_t i = r.active[a], *cols = r.cols_of(i);
        const double *y = r.active_row(a), *c = r.column(a), inverse = IMPULSE_SOFT / r.soft[a];
        for (int32_t k = 0; k < r.width[i]; ++k) {
            const double share = c[k] * inverse;
            double* lower = sky.L + sky.at[cols[k]];
            for (int32_t l = 0; l < k; ++l) lower[cols[l]] += share * y[l];
            sky.d[cols[k]] += share * y[k];
            if (!slides) continue;
            for (int32_t l = k + 1; l < r.width[i]; ++l)
                sky.U[sky.at[cols[l]] + cols[k]] += share * y[l];
        }
    }
    return factor_skyline(sky, !slides);
}

// How a direct step is solved.
enum class Direct : int32_t { BY_ROWS, BY_VARIABLES, SPARSE };

// Changes u of the active rows that bring their speeds by rhs, once; M is factored.
inline void solve_active(const ImpulseRows& r, int32_t active, Direct way, const int32_t* order,
                         const double* rhs, double* u) {
    if (way == Direct::BY_ROWS) {
        copy_all(u, rhs, active);
        solve_square(r.M, order, active, u);
        return;
    }
    double* z = r.work;
    clear_all(z, r.n);
    for (int32_t a = 0; a < active; ++a)
        numbers_add(r, r.active[a], IMPULSE_SOFT * rhs[a] / r.soft[a], r.column(a), z);
    if (way == Direct::SPARSE)
        solve_skyline(r.sky, z);
    else
        solve_square(r.M, order, r.n, z);
    for (int32_t a = 0; a < active; ++a)
        u[a] = (rhs[a] - numbers_dot(r, r.active[a], r.active_row(a), z)) / r.soft[a];
}

// Factors the system of a direct step of few variables; false: it is singular.
inline bool factor_dense(ImpulseRows& r, int32_t active, bool by_rows, int32_t* order) {
    const int32_t n = r.n, size = by_rows ? active : n;
    if (by_rows) {
        for (int32_t a = 0; a < active; ++a) {
            for (int32_t b = 0; b < active; ++b)
                r.M[(int64_t)a * size + b] = dot(r.active_row(a), r.column(b), n);
            r.M[(int64_t)a * size + a] += r.soft[a];
        }
    } else {
        clear_all(r.M, (int64_t)n * n);
        for (int32_t a = 0; a < active; ++a) {
            const double *y = r.active_row(a), *c = r.column(a);
            const double inverse = IMPULSE_SOFT / r.soft[a];
            for (int32_t k = 0; k < n; ++k)
                if (c[k] != 0) add_scaled(c[k] * inverse, y, r.M + (int64_t)k * n, n);
        }
        for (int32_t k = 0; k < n; ++k) r.M[(int64_t)k * n + k] += IMPULSE_SOFT;
    }
    return factor_square(r.M, order, size);
}

// Share of a change by df, from f, at which it reaches limit + share * dl; at most 1.
inline double share_to_limit(double ff, double fd, double dd, double limit, double dl) {
    // (f + a df)² = (limit + a dl)²
    const double c = ff - limit * limit, b = fd - limit * dl, a = dd - dl * dl;
    if (c >= 0) return b > 0 ? 0 : 1;
    if (a + 2 * b + c <= 0 && limit + dl >= 0) return 1;
    const double root = sqrt(larger(0, b * b - a * c));
    // the one that is positive, without cancellation
    const double found = b > 0 ? -c / (b + root) : a > 0 ? (root - b) / a : 1;
    return smaller(1, larger(0, found));
}

// Share of the active rows' changes up to the first bound: a push that ends, what begins to slide.
inline double share_to_bound(const ImpulseRows& r, int32_t active) {
    double share = 1, change = 0;
    for (int32_t a = 0; a < active; ++a) {
        const int32_t i = r.active[a];
        const double by = r.total[a];
        double own = 1;
        switch (r.kind[i]) {
            case IMPULSE_PUSH:
                change = by;  // what follows in the list belongs to it
                if (by < 0) own = r.p[i] / -by;
                break;
            case IMPULSE_HOLD:
                own = share_to_limit(r.p[i] * r.p[i], r.p[i] * by, by * by, r.limit[i], 0);
                break;
            case IMPULSE_SHARE:
                own = share_to_limit(r.p[i] * r.p[i], r.p[i] * by, by * by,
                                     r.limit[i] * r.p[r.push[i]], r.limit[i] * change);
                break;
            case IMPULSE_PAIR: {
                if (r.across[a]) break;
                const bool both = a + 1 < active && r.active[a + 1] == i + 1;
                const double t = r.p[i + 1], dt = both ? r.total[a + 1] : 0;
                own =
                    share_to_limit(r.p[i] * r.p[i] + t * t, r.p[i] * by + t * dt, by * by + dt * dt,
                                   r.limit[i] * r.p[r.push[i]], r.limit[i] * change);
                break;
            }
            default:
                break;
        }
        share = smaller(share, own);
    }
    return share;
}

// A direct step: all active rows at once, up to the first bound that one of them meets. False:
// there is none. is_whole: none meets one.
inline bool solve_directly(ImpulseRows& r, bool& is_whole) {
    bool slides = false;
    const int32_t active = list_active(r, slides);
    if (active == 0) return false;
    const Direct way = r.is_sparse     ? Direct::SPARSE
                       : active <= r.n ? Direct::BY_ROWS
                                       : Direct::BY_VARIABLES;
    int32_t order[DENSE_MOST];
    if (!(r.is_sparse ? factor_sparse(r, active, slides)
                      : factor_dense(r, active, way == Direct::BY_ROWS, order)))
        return false;
    double *total = r.total, *left = r.left;  // changes of all active rows
    // once more for what softness and rounding left
    for (int32_t a = 0; a < active; ++a) {
        left[a] = speed_left(r, a, r.x);
        total[a] = 0;
    }
    for (int round = 0; round < 2; ++round) {
        solve_active(r, active, way, order, left, r.u);
        for (int32_t a = 0; a < active; ++a) total[a] += r.u[a];
        if (round > 0) break;
        copy_all(r.x_before, r.x, r.n);
        for (int32_t a = 0; a < active; ++a)
            numbers_add(r, r.active[a], total[a], r.column(a), r.x_before);
        for (int32_t a = 0; a < active; ++a)
            left[a] = speed_left(r, a, r.x_before) - r.give[a] * total[a];
    }
    const double share = share_to_bound(r, active);
    is_whole = share == 1;
    for (int32_t a = 0; a < active; ++a) total[a] *= share;
    // what slides follows its push; all within their bounds
    for (int32_t a = 0; a < active; ++a) {
        const int32_t i = r.active[a];
        if (r.across[a]) {
            double s, t;
            if (sliding_way(r, i, s, t)) {
                r.p[i] -= t * total[a];
                r.p[i + 1] += s * total[a];
            }
            continue;
        }
        if (r.kind[i] != IMPULSE_PUSH) {
            r.p[i] += total[a];
            continue;
        }
        const double ended = 1e-12 * r.p[i], moved = r.p[i] + total[a];
        const double p = moved > ended ? moved : 0, factor = p / r.p[i];
        for (int32_t j = i + 1; j < r.count && r.push[j] == i; ++j) {
            bool solved = false;  // sticks: it is in the list, behind its push
            for (int32_t b = a + 1; b < active && r.push[r.active[b]] == i && !solved; ++b)
                solved = r.active[b] == j && !r.across[b];
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
    add_all_impulses(r);
    return true;
}

// Impulses p from those that there are, a guess; x becomes Yᵀ p. Returns the sweeps it took.
inline int32_t solve_impulses(ImpulseRows& r) {
    r.has_sky = false;
    for (int32_t i = 0; i < r.count; ++i) r.own[i] = dot(r.row(i), r.row(i), r.width[i]);
    add_all_impulses(r);
    const double accuracy = IMPULSE_ACCURACY * IMPULSE_ACCURACY;
    auto is_done = [&](double change) { return change <= accuracy * dot(r.x, r.x, r.n); };
    int32_t sweeps = 0, plain = 0;
    double last = sweep_impulses(r, false);
    while (++sweeps < IMPULSE_SWEEPS && !is_done(last)) {
        if (plain > 0) {
            --plain;
            last = sweep_impulses(r, sweeps % 2 == 1);
            continue;
        }
        // a direct step counts if the sweep after it has less to change
        copy_all(r.kept, r.p, r.count);
        bool is_whole = false, found = false;
        for (int32_t n = 0; n < DIRECT_STEPS && !is_whole; ++n) {
            if (!solve_directly(r, is_whole)) break;
            found = true;
        }
        if (!found) {
            plain = IMPULSE_SWEEPS;
            continue;
        }
        const double next = sweep_impulses(r, sweeps % 2 == 1);
        if (next < 0.25 * last || is_done(next)) {
            last = next;
            continue;
        }
        copy_all(r.p, r.kept, r.count);
        add_all_impulses(r);
        if (sweeps >= IMPULSE_LEAST && last <= IMPULSE_ENOUGH * IMPULSE_ENOUGH * dot(r.x, r.x, r.n))
            break;
        plain = 8;
    }
    return sweeps;
}

}  // namespace kinegen
