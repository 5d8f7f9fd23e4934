// The equations of the reduced engine: H v̇ = f + Jᵀ λ, J v̇ = target, by H = Lᵀ L and Y = L⁻ᵀ Jᵀ.
//
// Y Yᵀ λ = target - Y L⁻ᵀ f is solved by Cholesky factors within a skyline. Rank decides: a row
// whose pivot is negligible against its own diagonal follows from the rows before it and is left
// out, as are rows that no degree of freedom moves at all (a planar loop in space). Stiff springs
// are rows with a compliance: they join the diagonal.
#pragma once

#include "kernel/linalg/linalg.hpp"
#include "kernel/loops/system.hpp"
#include "kernel/reduced/loops.hpp"

namespace kinegen {

// Pivot against its diagonal below which a row is redundant: singular values of 1e-5. Far above
// the squared gap of a step's stages, which makes redundant rows look independent.
constexpr double REDUNDANT = 1e-10;
// A row of J below this, against forces and moments of one unit and arms of the mechanism's size,
// counts as zero.
constexpr double EMPTY_ROW = 1e-11;

// Pivot against the largest that its row has had below which the row is weak: singular values of
// 3e-4. Nearer to a singular place rounding of the gaps is more than what rows say there.
constexpr double WEAK_ROW = 1e-7;
// The same above which rows are strong again, where they were used although they were weak.
constexpr double STRONG_ROW = 1e-5;
// The same below which loops are closed as exactly as numbers allow.
constexpr double NEARLY_WEAK = 1e-3;

struct ReducedSystem {
    ReducedTree tree;
    PointSprings springs;
    Couplings ties;
    int32_t* start;       // per row: first column of the skyline
    int32_t* pair_first;  // per coupling + 1: its partners
    int32_t* pair_with;   // couplings up to itself that share degrees of freedom
    int32_t* run_first;   // per pair + 1: stretches of shared degrees of freedom
    int32_t* run_at;
    int32_t* run_length;
    double* Y;           // rows × n
    double* A;           // rows × rows, then its factor
    int32_t* stop;       // per row: the last one whose skyline reaches it
    double* own;         // per row: its diagonal before factoring
    double* pivot;       // per row: 1 / diagonal of the factor; 0: left out
    double* compliance;  // per row, 0 for rigid ones
    double* lambda;      // per row
    double* gap;         // per row
    double* x;           // per variable
    double* y;           // per row: scratch
    double* peak;        // per row: largest square of its pivot so far
    int32_t* weak;       // per row: whether it is weak here
    int32_t weak_count;
    bool watches;             // whether weak rows are left out
    bool is_stiffened;        // by springs: masses are others then, and rows are not compared
    const int32_t* excluded;  // null, or rows that are always left out
    double nearest;           // smallest square of a pivot against its peak
    int32_t left_out;         // rows without a pivot of their own
    double weakest;           // smallest pivot in use against its diagonal
    // parts of the mechanism that joints and loops hold together: nothing but contacts and springs
    // acts between two of them
    int32_t part_count;
    int32_t* part;        // per variable
    int32_t* part_first;  // per part + 1: its variables in part_list, upwards
    int32_t* part_list;
    int32_t* is_tied;      // per part: whether loops share its impulses
    int32_t widest_reach;  // most variables that an impulse on one link reaches
};

struct SystemSizes {
    int64_t reach, pairs, runs;
};

// Calls back for every pair of couplings (i, j <= i) that share degrees of freedom, and for every
// stretch.
template <class Pair, class Run>
inline void walk_pairs(const ReducedTree& t, const PointSprings& springs, const Couplings& c,
                       Pair&& pair, Run&& run) {
    const Model& m = *t.model;
    auto below = [&](int32_t at, int32_t variable) {
        while (at > variable) at = t.before[at];
        return at == variable;
    };
    auto reaches = [&](int32_t j, int32_t variable) {
        const int32_t relation = relation_of(m, c, j);
        for (int end = 0; relation < 0 && end < 2; ++end)
            if (below(t.last[coupling_link(m, springs, c, j, end)], variable)) return true;
        for (int32_t n = relation < 0 ? 0 : m.term_start[relation];
             relation >= 0 && n < m.term_start[relation + 1]; ++n)
            if (below(dof_of_term(t, n), variable)) return true;
        return false;
    };
    for (int32_t i = 0; i < c.count; ++i)
        for (int32_t j = 0; j <= i; ++j) {
            // what i reaches against what j does, outermost first
            int32_t before = -2;
            bool shared = false;
            auto visit = [&](int32_t at) {
                if (!reaches(j, at)) return;
                if (!shared) pair(i, j);
                shared = true;
                run(at, before == at + 1);
                before = at;
            };
            if (relation_of(m, c, i) >= 0) {
                for (int32_t at = t.n - 1; at >= 0; --at)
                    if (reaches(i, at)) visit(at);
                continue;
            }
            int32_t a = t.last[coupling_link(m, springs, c, i, 0)];
            int32_t b = t.last[coupling_link(m, springs, c, i, 1)];
            while (a >= 0 || b >= 0) {
                const int32_t at = a > b ? a : b;
                visit(at);
                if (a == at) a = t.before[a];
                if (b == at) b = t.before[b];
            }
        }
}

inline SystemSizes count_system(const ReducedTree& t, const PointSprings& springs,
                                const Couplings& c) {
    SystemSizes sizes{0, 0, 0};
    for (int32_t i = 0; i < c.count; ++i)
        sizes.reach += reach_of_coupling(t, springs, c, i, nullptr, nullptr);
    walk_pairs(
        t, springs, c, [&](int32_t, int32_t) { ++sizes.pairs; },
        [&](int32_t, bool joined) { sizes.runs += joined ? 0 : 1; });
    return sizes;
}

// ties.count, loop_count, spring_count and cut_count are given.
inline void lay_out_reduced(const Model& m, const SystemSizes& sizes, Arena<double>& reals,
                            Arena<int32_t>& ints, ReducedSystem& s) {
    lay_out_couplings(m, sizes.reach, reals, ints, s.ties);
    const int64_t rows = 6LL * s.ties.loop_count + s.ties.spring_count;
    s.start = ints.take(rows);
    s.stop = ints.take(rows);
    s.pair_first = ints.take(s.ties.loop_count + s.ties.spring_count + s.ties.cut_count + 1);
    s.pair_with = ints.take(sizes.pairs);
    s.run_first = ints.take(sizes.pairs + 1);
    s.run_at = ints.take(sizes.runs);
    s.run_length = ints.take(sizes.runs);
    s.Y = reals.take(rows * s.tree.n);
    s.A = reals.take(rows * rows);
    s.own = reals.take(rows);
    s.peak = reals.take(rows);
    s.weak = ints.take(rows);
    s.pivot = reals.take(rows);
    s.compliance = reals.take(rows);
    s.lambda = reals.take(rows);
    s.gap = reals.take(rows);
    s.x = reals.take(s.tree.n);
    s.y = reals.take(rows);
    s.tree.H = reals.take(s.tree.H_size);
    s.part = ints.take(s.tree.n);
    s.part_first = ints.take(s.tree.n + 1);
    s.part_list = ints.take(s.tree.n);
    s.is_tied = ints.take(s.tree.n);
}

// Finds the parts that joints and loops hold together.
inline void number_parts(ReducedSystem& s) {
    const ReducedTree& t = s.tree;
    const Couplings& c = s.ties;
    // the first variable of each part stands for it
    auto leader = [&](int32_t k) {
        while (s.part[k] != k) k = s.part[k];
        return k;
    };
    auto join = [&](int32_t a, int32_t b) {
        a = leader(a);
        b = leader(b);
        s.part[a > b ? a : b] = a > b ? b : a;
    };
    for (int32_t k = 0; k < t.n; ++k) s.part[k] = t.before[k] < 0 ? k : leader(t.before[k]);
    for (int32_t i = 0; i < c.loop_count; ++i)
        for (int32_t k = c.reach_first[i] + 1; k < c.reach_first[i + 1]; ++k)
            join(c.reach[k - 1], c.reach[k]);
    // numbers of parts; leaders come before the rest
    s.part_count = 0;
    for (int32_t k = 0; k < t.n; ++k) s.part_list[k] = leader(k);
    for (int32_t k = 0; k < t.n; ++k)
        s.part[k] = s.part_list[k] == k ? s.part_count++ : s.part[s.part_list[k]];
    for (int32_t p = 0; p <= s.part_count && p <= t.n; ++p) s.part_first[p] = 0;
    for (int32_t k = 0; k < t.n; ++k) ++s.part_first[s.part[k] + 1];
    for (int32_t p = 0; p < s.part_count; ++p) s.part_first[p + 1] += s.part_first[p];
    for (int32_t k = t.n - 1; k >= 0; --k) s.part_list[--s.part_first[s.part[k] + 1]] = k;
    for (int32_t p = 0; p < s.part_count; ++p) s.part_first[p] = s.part_first[p + 1];
    s.part_first[s.part_count] = t.n;
    // what an impulse reaches: all that loops tie together, or the way to the base
    for (int32_t p = 0; p < s.part_count; ++p) s.is_tied[p] = 0;
    for (int32_t i = 0; i < c.loop_count; ++i)
        if (c.reach_first[i] < c.reach_first[i + 1])
            s.is_tied[s.part[c.reach[c.reach_first[i]]]] = 1;
    s.widest_reach = 0;
    for (int32_t k = 0; k < t.n; ++k) {
        int32_t width = 0;
        if (s.is_tied[s.part[k]])
            width = s.part_first[s.part[k] + 1] - s.part_first[s.part[k]];
        else
            for (int32_t at = k; at >= 0; at = t.before[at]) ++width;
        s.widest_reach = width > s.widest_reach ? width : s.widest_reach;
    }
}

// Finds which rows share degrees of freedom; the ties' counts and loop are given.
inline void number_system(ReducedSystem& s) {
    Couplings& c = s.ties;
    number_couplings(s.tree, s.springs, c);
    clear_all(s.tree.H, s.tree.H_size);
    int32_t pairs = 0, runs = 0, last = -1;
    s.pair_first[0] = s.run_first[0] = 0;
    walk_pairs(
        s.tree, s.springs, c,
        [&](int32_t i, int32_t j) {
            while (last < i) s.pair_first[++last] = pairs;
            s.pair_with[pairs++] = j;
            s.run_first[pairs] = runs;
        },
        [&](int32_t at, bool joined) {
            if (!joined) {
                s.run_length[runs++] = 0;
                s.run_first[pairs] = runs;
            }
            s.run_at[runs - 1] = at;  // stretches run downwards: the last is the lowest
            ++s.run_length[runs - 1];
        });
    while (last < c.count) s.pair_first[++last] = pairs;
    number_parts(s);
    for (int32_t row = 0; row < c.row_count; ++row) s.compliance[row] = 0;
}

// Rows of J of one coupling over its reach, outermost first, into Y.
inline void coupling_rows(ReducedSystem& s, int32_t i) {
    const Couplings& c = s.ties;
    const ReducedTree& t = s.tree;
    const Model& m = *t.model;
    const int32_t relation = relation_of(m, c, i);
    for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row) {
        double* to = s.Y + (int64_t)row * t.n;
        if (relation >= 0) {
            for (int32_t k = c.reach_first[i]; k < c.reach_first[i + 1]; ++k) to[c.reach[k]] = 0;
            for (int32_t n = m.term_start[relation]; n < m.term_start[relation + 1]; ++n)
                if (c.term_dof[n] >= 0) to[c.term_dof[n]] += c.slope[n];
            continue;
        }
        const double* T = c.T + 6LL * row;
        for (int32_t k = c.reach_first[i]; k < c.reach_first[i + 1]; ++k) {
            const int32_t at = c.reach[k];
            to[at] = c.side[k] == 0 ? 0 : c.side[k] * dot6(T, t.S + 6LL * at);
        }
    }
}

// Drops the rows that no degree of freedom moves, tried at places drawn at random: they hold by
// themselves. q: scratch of nq numbers that holds a configuration.
inline void sift_rows(ReducedSystem& s, double* q) {
    const Model& m = *s.tree.model;
    Couplings& c = s.ties;
    Draws draws{11};
    double* most = s.gap;  // largest entry of each row so far
    for (int32_t row = 0; row < c.row_count; ++row) most[row] = 0;
    for (int trial = 0; trial < 3; ++trial) {
        for (int32_t j = 0; j < m.joint_count; ++j)
            for (int32_t k = 0; k < JOINT_NQ[m.joint_type[j]]; ++k)
                q[m.joint_q[j] + k] = draws.normal();
        place_tree(s.tree, q);
        place_couplings(s.tree, s.springs, c);
        for (int32_t i = 0; i < c.count; ++i) {
            coupling_rows(s, i);
            for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row)
                for (int32_t k = c.reach_first[i]; k < c.reach_first[i + 1]; ++k)
                    most[row] = larger(most[row], fabs(s.Y[(int64_t)row * s.tree.n + c.reach[k]]));
        }
    }
    int32_t kept = 0, at = 0;
    for (int32_t i = 0; i < c.count; ++i) {
        const int32_t end = c.row_first[i + 1];
        c.row_first[i] = kept;
        for (; at < end; ++at)
            if (most[at] > EMPTY_ROW || c.kind[at] == SPRING) c.kind[kept++] = c.kind[at];
    }
    c.row_first[c.count] = c.row_count = kept;
    for (int32_t row = 0; row < kept; ++row) s.peak[row] = 0;
    for (int64_t k = 0; k < (int64_t)c.row_count * s.tree.n; ++k) s.Y[k] = 0;
    for (int64_t k = 0; k < (int64_t)c.row_count * c.row_count; ++k) s.A[k] = 0;
    // the skyline begins at the first coupling that shares a degree of freedom
    for (int32_t i = 0; i < c.count; ++i) {
        const int32_t pair = s.pair_first[i];
        const int32_t first = pair < s.pair_first[i + 1] ? s.pair_with[pair] : i;
        for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row)
            s.start[row] = c.row_first[first];
    }
    for (int32_t j = 0; j < c.row_count; ++j) s.stop[j] = j;
    for (int32_t i = 0; i < c.row_count; ++i)
        for (int32_t j = s.start[i]; j < i; ++j) s.stop[j] = i;
}

// About how many multiplications it takes to assemble the system; after sift_rows.
inline double dense_cost(const ReducedSystem& s) {
    const ReducedTree& t = s.tree;
    const Couplings& c = s.ties;
    double cost = 0;
    auto depth = [&](int32_t k) {
        int32_t count = 0;
        for (; k >= 0; k = t.before[k]) ++count;
        return (double)count;
    };
    for (int32_t k = 0; k < t.n; ++k) cost += depth(k) * (6 + 0.5 * depth(k)) + 50;
    for (int32_t i = 0; i < c.loop_count; ++i) {
        const double rows = c.row_first[i + 1] - c.row_first[i];
        for (int32_t k = c.reach_first[i]; k < c.reach_first[i + 1]; ++k)
            cost += rows * (6 + depth(c.reach[k]));
        for (int32_t pair = s.pair_first[i]; pair < s.pair_first[i + 1]; ++pair) {
            const int32_t j = s.pair_with[pair];
            for (int32_t run = s.run_first[pair]; run < s.run_first[pair + 1]; ++run)
                cost += rows * (c.row_first[j + 1] - c.row_first[j]) * s.run_length[run];
        }
        for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row)
            cost += 0.5 * (row - s.start[row]) * (row - s.start[row]);
    }
    return cost;
}

// Y = L⁻ᵀ Jᵀ, row by row.
inline void transform_rows(ReducedSystem& s) {
    const Couplings& c = s.ties;
    const ReducedTree& t = s.tree;
    const int64_t n = t.n;
    for (int32_t i = 0; i < c.count; ++i) {
        coupling_rows(s, i);
        const int32_t rows = c.row_first[i + 1] - c.row_first[i];
        double* Y = s.Y + c.row_first[i] * n;
        for (int32_t k = c.reach_first[i]; k < c.reach_first[i + 1]; ++k) {
            const int32_t at = c.reach[k];
            const double* L = t.row(at);
            for (int32_t r = 0; r < rows; ++r) {
                double* row = Y + r * n;
                const double value = row[at] *= t.inverse[at];
                for (int32_t a = t.before[at]; a >= 0; a = t.before[a]) row[a] -= L[a] * value;
            }
        }
    }
}

// A = Y Yᵀ within the skyline.
inline void square_rows(ReducedSystem& s) {
    const Couplings& c = s.ties;
    const int64_t n = s.tree.n, wide = c.row_count;
    for (int32_t i = 0; i < c.count; ++i) {
        for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row)
            for (int32_t k = s.start[row]; k <= row; ++k) s.A[row * wide + k] = 0;
        for (int32_t pair = s.pair_first[i]; pair < s.pair_first[i + 1]; ++pair) {
            const int32_t j = s.pair_with[pair];
            for (int32_t run = s.run_first[pair]; run < s.run_first[pair + 1]; ++run) {
                const int32_t at = s.run_at[run], length = s.run_length[run];
                for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row) {
                    const double* a = s.Y + row * n + at;
                    const int32_t end = j == i ? row + 1 : c.row_first[j + 1];
                    double* to = s.A + row * wide;
                    // three products side by side: one sum's additions would wait for each other
                    int32_t k = c.row_first[j];
                    for (; k + 3 <= end; k += 3) {
                        const double *x = s.Y + k * n + at, *y = x + n, *z = y + n;
                        double sx = 0, sy = 0, sz = 0;
                        for (int32_t f = 0; f < length; ++f) {
                            sx += a[f] * x[f];
                            sy += a[f] * y[f];
                            sz += a[f] * z[f];
                        }
                        to[k] += sx;
                        to[k + 1] += sy;
                        to[k + 2] += sz;
                    }
                    for (; k < end; ++k) to[k] += dot(a, s.Y + k * n + at, length);
                }
            }
        }
    }
}

// Cholesky factors in place, column by column: each is taken at once from all that is left.
inline void factor_rows(ReducedSystem& s) {
    const int64_t wide = s.ties.row_count;
    double* column = s.y;
    s.left_out = s.weak_count = 0;
    s.weakest = s.nearest = 1;
    for (int32_t i = 0; i < wide; ++i) {
        s.A[i * wide + i] += s.compliance[i];
        s.own[i] = s.A[i * wide + i];
    }
    for (int32_t j = 0; j < wide; ++j) {
        const double left = s.A[j * wide + j], own = s.own[j];
        // springs' rows come last and may not be in use
        const int32_t last = s.stop[j] < wide ? s.stop[j] : (int32_t)wide - 1;
        const bool counts = left > REDUNDANT * own;
        s.weak[j] = 0;
        if (!s.is_stiffened) {
            if (counts) s.peak[j] = larger(s.peak[j], left);
            if (s.peak[j] > 0) s.nearest = smaller(s.nearest, left / s.peak[j]);
            s.weak[j] = s.watches && s.peak[j] > 0 && left < WEAK_ROW * s.peak[j];
            s.weak_count += s.weak[j];
        }
        if (!counts || s.weak[j] || (s.excluded != nullptr && s.excluded[j])) {
            s.pivot[j] = 0;
            ++s.left_out;
            for (int32_t i = j + 1; i <= last; ++i)
                if (s.start[i] <= j) s.A[i * wide + j] = 0;
            continue;
        }
        const double pivot = s.pivot[j] = 1 / sqrt(left);
        s.weakest = smaller(s.weakest, left / own);
        for (int32_t i = j + 1; i <= last; ++i) {
            double* row = s.A + i * wide;
            if (s.start[i] > j) {
                column[i] = 0;
                continue;
            }
            const double factor = column[i] = row[j] *= pivot;
            for (int32_t k = j + 1; k <= i; ++k) row[k] -= factor * column[k];
        }
    }
}

// b := A⁻¹ b; what was left out becomes 0.
inline void solve_rows(const ReducedSystem& s, double* b) {
    const int64_t wide = s.ties.row_count;
    for (int32_t i = 0; i < wide; ++i) {
        const double* row = s.A + i * wide;
        const int32_t first = s.start[i];
        b[i] = (b[i] - dot(row + first, b + first, i - first)) * s.pivot[i];
    }
    for (int32_t i = (int32_t)wide - 1; i >= 0; --i) {
        const double* row = s.A + i * wide;
        const double value = b[i] *= s.pivot[i];
        for (int32_t k = s.start[i]; k < i; ++k) b[k] -= row[k] * value;
    }
}

// x += Yᵀ b
inline void add_rows(const ReducedSystem& s, const double* b, double* x) {
    const Couplings& c = s.ties;
    const int64_t n = s.tree.n;
    for (int32_t i = 0; i < c.count; ++i)
        for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row) {
            const double value = b[row], *Y = s.Y + row * n;
            if (value == 0) continue;
            for (int32_t k = c.reach_first[i]; k < c.reach_first[i + 1]; ++k)
                x[c.reach[k]] += value * Y[c.reach[k]];
        }
}

// out = Y x
inline void multiply_rows(const ReducedSystem& s, const double* x, double* out) {
    const Couplings& c = s.ties;
    const int64_t n = s.tree.n;
    for (int32_t i = 0; i < c.count; ++i)
        for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row) {
            double sum = 0;
            const double* Y = s.Y + row * n;
            for (int32_t k = c.reach_first[i]; k < c.reach_first[i + 1]; ++k)
                sum += Y[c.reach[k]] * x[c.reach[k]];
            out[row] = sum;
        }
}

// All that depends on q alone; stiffening: null, or per variable what to add to the mass matrix's
// diagonal. Returns 0, or 1 + a degree of freedom without mass.
inline int32_t assemble(ReducedSystem& s, const double* q, const double* stiffening) {
    s.is_stiffened = stiffening != nullptr;
    place_tree(s.tree, q);
    place_couplings(s.tree, s.springs, s.ties);
    weigh_tree(s.tree);
    if (s.tree.kept != nullptr) copy_all(s.tree.kept, s.tree.H, s.tree.H_size);
    if (stiffening != nullptr)
        for (int32_t k = 0; k < s.tree.n; ++k) s.tree.row(k)[k] += stiffening[k];
    const int32_t status = factor_tree(s.tree);
    if (s.ties.row_count > 0) {
        transform_rows(s);
        square_rows(s);
        factor_rows(s);
    }
    return status;
}

// s.x (efforts f per variable) becomes the accelerations; s.lambda (the rows' targets) the forces
// in the rows.
inline void solve_system(ReducedSystem& s) {
    solve_outer(s.tree, s.x);
    if (s.ties.row_count > 0) {
        multiply_rows(s, s.x, s.y);
        for (int32_t row = 0; row < s.ties.row_count; ++row) s.lambda[row] -= s.y[row];
        solve_rows(s, s.lambda);
        add_rows(s, s.lambda, s.x);
    }
    solve_inner(s.tree, s.x);
}

// s.x becomes the smallest change of the degrees of freedom, measured by the mass matrix, that
// changes the rows by -s.lambda.
inline void correct_rows(ReducedSystem& s) {
    for (int32_t k = 0; k < s.tree.n; ++k) s.x[k] = 0;
    for (int32_t row = 0; row < s.ties.row_count; ++row) s.lambda[row] = -s.lambda[row];
    solve_rows(s, s.lambda);
    add_rows(s, s.lambda, s.x);
    solve_inner(s.tree, s.x);
}

}  // namespace kinegen
