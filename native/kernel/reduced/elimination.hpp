// The elimination of kernel/reduced/graph.hpp in numbers: factors of one place, then any number of
// solutions.
#pragma once

#include "kernel/reduced/graph.hpp"

namespace kinegen {

// out = body S
inline void multiply_inertia(const double* body, const double* S, double* out) {
    for (int r = 0; r < 6; ++r) out[r] = dot6(body + 6 * r, S);
}

// body += sign u uᵀ
inline void add_square(double* body, const double* u, double sign) {
    for (int r = 0; r < 6; ++r) {
        const double factor = sign * u[r];
        for (int c = 0; c < 6; ++c) body[6 * r + c] += factor * u[c];
    }
}

// A rigid body's inertia as a matrix.
inline void write_rigid(const double* rigid, double* body) {
    const double mass = rigid[0], *h = rigid + 1, *I = rigid + 4;
    const double H[9] = {0, -h[2], h[1], h[2], 0, -h[0], -h[1], h[0], 0};
    const double full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            body[6 * r + c] = r == c ? mass : 0;
            body[6 * r + 3 + c] = -H[3 * r + c];
            body[6 * (3 + r) + c] = H[3 * r + c];
            body[6 * (3 + r) + 3 + c] = full[3 * r + c];
        }
}

inline double* graph_row(const ReducedGraph& g, int32_t row) { return g.A + g.sky[row]; }

// Entry (row, k < row) of the factor: all entries before it are there.
inline void factor_entry(ReducedGraph& g, int32_t row, int32_t k) {
    double* a = graph_row(g, row);
    const double* b = graph_row(g, k);
    const int32_t from = g.start[row] > g.start[k] ? g.start[row] : g.start[k];
    a[k] = (a[k] - dot(a + from, b + from, k - from)) * g.pivot[k];
}

// Eliminates the rows whose ways meet at a link.
inline void close_rows(ReducedSystem& s, ReducedGraph& g, int32_t link) {
    const int32_t first = g.arrive_first[link], passing = first + g.closing[link];
    if (passing == first) return;
    const int32_t low = g.arrive[first];
    double *body = g.body + 36LL * link, *k_here = g.k + 6LL * first;
    for (int32_t i = first; i < passing; ++i) {
        const int32_t row = g.arrive[i];
        double* a = graph_row(g, row);
        const int32_t begin = low > g.start[row] ? low : g.start[row];
        for (int32_t k = begin; k < row; ++k) factor_entry(g, row, k);
        const int32_t from = g.start[row];
        const double own = g.own[row] = a[row], left = own - dot(a + from, a + from, row - from);
        const bool counts = left > REDUNDANT * own;
        g.pivot[row] = counts ? 1 / sqrt(left) : 0;
        if (counts) {
            s.weakest = smaller(s.weakest, left / own);
            g.peak[row] = larger(g.peak[row], left);
        } else {
            ++s.left_out;
        }
        if (g.peak[row] > 0) s.nearest = smaller(s.nearest, left / g.peak[row]);
        s.weak_count += s.watches && g.peak[row] > 0 && left < WEAK_ROW * g.peak[row];
        if (link == 0) continue;
        double* kappa = g.kappa + 6LL * row;
        copy_all(kappa, k_here + 6LL * (i - first), 6);
        for (int32_t k = begin; k < row; ++k) add_scaled(-a[k], g.kappa + 6LL * k, kappa, 6);
        for (int r = 0; r < 6; ++r) kappa[r] *= g.pivot[row];
        add_square(body, kappa, 1);
    }
    for (int32_t i = passing; i < g.arrive_first[link + 1]; ++i) {
        const int32_t row = g.arrive[i], high = g.arrive[passing - 1];
        double *a = graph_row(g, row), *k_row = k_here + 6LL * (i - first);
        for (int32_t k = low > g.start[row] ? low : g.start[row]; k <= high; ++k) {
            factor_entry(g, row, k);
            add_scaled(-a[k], g.kappa + 6LL * k, k_row, 6);
        }
    }
}

// Factors at the place of the tree; stiffening: null, or what to add to the masses of the degrees
// of freedom of the file's tree. Returns whether every joint has mass to move.
inline bool factor_graph(ReducedSystem& s, ReducedGraph& g, const double* stiffening) {
    const ReducedTree& t = s.tree;
    const Model& m = *t.model;
    const SpanningTree& tree = g.spanning;
    bool good = true;
    place_graph(t, s.ties, g);
    s.left_out = s.weak_count = 0;
    s.weakest = s.nearest = 1;
    for (int32_t link = 1; link < m.link_count; ++link)
        write_rigid(t.body + BODY_SIZE * (int64_t)link, g.body + 36LL * link);
    clear_all(g.k, 6LL * g.arrive_first[m.link_count]);
    clear_all(g.A, g.sky[g.row_count]);
    for (int32_t tie = 0; tie < g.tie_count; ++tie) {
        const int32_t joint = g.tie_joint[tie];
        const int32_t ends[2] = {m.joint_parent[joint], m.joint_child[joint]};
        for (int end = 0; end < 2; ++end) {
            if (ends[end] == 0 || g.tie_first[tie] == g.tie_first[tie + 1]) continue;
            int32_t at = g.arrive_first[ends[end]];
            while (g.arrive[at] != g.tie_first[tie]) ++at;
            for (int32_t row = g.tie_first[tie]; row < g.tie_first[tie + 1]; ++row, ++at)
                add_scaled(end == 0 ? -1 : 1, g.T + 6LL * row, g.k + 6LL * at, 6);
        }
    }
    for (int32_t i = tree.count - 1; i >= 0; --i) {
        const int32_t link = tree.order[i], joint = tree.joint[link], up = tree.up[link];
        close_rows(s, g, link);
        double body[36];
        copy_all(body, g.body + 36LL * link, 36);
        const int32_t first = g.arrive_first[link] + g.closing[link];
        const int32_t open = g.arrive_first[link + 1] - first, *rows = g.arrive + first;
        copy_all(g.k_work, g.k + 6LL * first, 6LL * open);
        for (int32_t f = joint_dof(m, joint) - 1; f >= 0; --f) {
            const int32_t column = g.column[link] + f;
            double *S = g.S + 6LL * column, *u = g.u + 6LL * column;
            multiply_inertia(body, S, u);
            double mass = dot6(S, u), around = 0;
            for (int r = 0; r < 6; ++r) around += fabs(S[r] * u[r]);
            if (g.coupling[joint] < 0) {
                const int32_t v = m.joint_v[joint] + f;
                mass += m.rotor[v] * m.gear[v] * m.gear[v];
                if (stiffening != nullptr) mass += stiffening[t.first[joint] + f];
            }
            good = good && mass > tolerance::MASSLESS * around && mass > 0;
            const double inverse = g.inverse[column] = 1 / sqrt(mass);
            for (int r = 0; r < 6; ++r) u[r] *= inverse;
            add_square(body, u, -1);
            double* y = g.Y + g.y_first[link] + (int64_t)f * open;
            for (int32_t p = 0; p < open; ++p) {
                double* k = g.k_work + 6LL * p;
                y[p] = dot6(k, S) * inverse;
                add_scaled(-y[p], u, k, 6);
                double* a = graph_row(g, rows[p]);
                for (int32_t n = 0; n <= p; ++n) a[rows[n]] += y[p] * y[n];
            }
        }
        if (up == 0) continue;
        for (int k = 0; k < 36; ++k) g.body[36LL * up + k] += body[k];
        for (int32_t p = 0; p < open; ++p)
            add_scaled(1, g.k_work + 6LL * p, g.k + 6LL * g.arrive_up[first + p], 6);
    }
    close_rows(s, g, 0);
    return good;
}

// What is left of targets of the rows that end at a link, as far as rows before are concerned.
inline void close_targets(ReducedGraph& g, int32_t link) {
    const int32_t first = g.arrive_first[link];
    for (int32_t i = first; i < first + g.closing[link]; ++i) {
        const int32_t row = g.arrive[i], from = g.start[row];
        const double* a = graph_row(g, row);
        g.w[row] = (g.lambda[row] - dot(a + from, g.w + from, row - from)) * g.pivot[row];
        if (link != 0) add_scaled(g.w[row], g.kappa + 6LL * row, g.z + 6LL * link, 6);
    }
}

// Impulses in the rows that end at a link, once it is known how the link moves.
inline void find_lambdas(ReducedSystem& s, ReducedGraph& g, int32_t link) {
    const int32_t first = g.arrive_first[link];
    for (int32_t i = first + g.closing[link] - 1; i >= first; --i) {
        const int32_t row = g.arrive[i], from = g.start[row];
        double left = g.w[row] - g.sum[row];
        if (link != 0) left -= dot6(g.kappa + 6LL * row, g.d + 6LL * link);
        const double lambda = g.lambda[row] = left * g.pivot[row];
        if (lambda != 0) add_scaled(lambda, graph_row(g, row) + from, g.sum + from, row - from);
        if (g.source[row] >= 0) s.lambda[g.source[row]] = lambda;
    }
}

// Efforts as wrenches on the links, and the targets of the graph's rows.
inline void take_efforts(const ReducedSystem& s, ReducedGraph& g) {
    const ReducedTree& t = s.tree;
    const Model& m = *t.model;
    clear_all(g.z, 6LL * m.link_count);
    for (int32_t tie = 0; tie < g.tie_count; ++tie) {
        const int32_t joint = g.tie_joint[tie];
        for (int32_t row = g.tie_first[tie]; row < g.tie_first[tie + 1]; ++row)
            g.lambda[row] = g.source[row] < 0 ? 0 : s.lambda[g.source[row]];
        for (int32_t f = 0; g.coupling[joint] < 0 && f < joint_dof(m, joint); ++f) {
            const double *W = g.W + 6LL * (t.first[joint] + f), effort = s.x[t.first[joint] + f];
            add_scaled(effort, W, g.z + 6LL * m.joint_child[joint], 6);
            add_scaled(-effort, W, g.z + 6LL * m.joint_parent[joint], 6);
        }
    }
}

// From the tips to the base: what is eliminated of forces and targets.
inline void sweep_inward(const ReducedSystem& s, ReducedGraph& g) {
    const ReducedTree& t = s.tree;
    const Couplings& ties = s.ties;
    const Model& m = *t.model;
    const SpanningTree& tree = g.spanning;
    for (int32_t i = tree.count - 1; i >= 0; --i) {
        const int32_t link = tree.order[i], joint = tree.joint[link], coupling = g.coupling[joint];
        double *z = g.z + 6LL * link, *c = g.c + 6LL * link;
        close_targets(g, link);
        const int32_t first = g.arrive_first[link] + g.closing[link];
        const int32_t open = g.arrive_first[link + 1] - first, *rows = g.arrive + first;
        if (coupling >= 0) {
            // a joint that holds by rows in the file moves as these ask
            const double sign = m.joint_child[joint] == link ? 1 : -1;
            clear_all(c, 6);
            for (int32_t row = ties.row_first[coupling]; row < ties.row_first[coupling + 1]; ++row)
                add_scaled(sign * s.lambda[row], g.lift + 6LL * row, c, 6);
            double force[6];
            multiply_inertia(g.body + 36LL * link, c, force);
            add_scaled(-1, force, z, 6);
            for (int32_t p = 0; p < open; ++p)
                g.lambda[rows[p]] -= dot6(g.k + 6LL * (first + p), c);
        }
        for (int32_t f = joint_dof(m, joint) - 1; f >= 0; --f) {
            const int32_t column = g.column[link] + f;
            const double effort = coupling < 0 ? s.x[t.first[joint] + f] : 0;
            const double e = g.e[column] =
                (effort + dot6(g.S + 6LL * column, z)) * g.inverse[column];
            add_scaled(-e, g.u + 6LL * column, z, 6);
            const double* y = g.Y + g.y_first[link] + (int64_t)f * open;
            for (int32_t p = 0; p < open; ++p) g.lambda[rows[p]] -= y[p] * e;
        }
        if (tree.up[link] != 0) add_scaled(1, z, g.z + 6LL * tree.up[link], 6);
    }
    close_targets(g, 0);
}

// Back to the tips: how links move, and with which forces in the rows.
inline void sweep_outward(ReducedSystem& s, ReducedGraph& g) {
    const ReducedTree& t = s.tree;
    const Model& m = *t.model;
    const SpanningTree& tree = g.spanning;
    clear_all(g.sum, g.row_count);
    clear_all(g.d, 6);
    find_lambdas(s, g, 0);
    for (int32_t i = 0; i < tree.count; ++i) {
        const int32_t link = tree.order[i], joint = tree.joint[link], coupling = g.coupling[joint];
        double* d = g.d + 6LL * link;
        copy_all(d, g.d + 6LL * tree.up[link], 6);
        const int32_t first = g.arrive_first[link] + g.closing[link];
        const int32_t open = g.arrive_first[link + 1] - first, *rows = g.arrive + first;
        for (int32_t f = 0; f < joint_dof(m, joint); ++f) {
            const int32_t column = g.column[link] + f;
            const double* y = g.Y + g.y_first[link] + (int64_t)f * open;
            double e = g.e[column] - dot6(g.u + 6LL * column, d);
            for (int32_t p = 0; p < open; ++p) e += y[p] * g.lambda[rows[p]];
            e *= g.inverse[column];
            add_scaled(e, g.S + 6LL * column, d, 6);
            if (coupling < 0) s.x[t.first[joint] + f] = e;
        }
        if (coupling >= 0) add_scaled(1, g.c + 6LL * link, d, 6);
        find_lambdas(s, g, link);
    }
}

// As solve_system: s.x (efforts per variable of the file's tree) becomes their accelerations, for
// targets of the rows in s.lambda.
inline void solve_graph(ReducedSystem& s, ReducedGraph& g) {
    const ReducedTree& t = s.tree;
    const Model& m = *t.model;
    take_efforts(s, g);
    sweep_inward(s, g);
    sweep_outward(s, g);
    // joints whose ends the tree reaches on other ways
    for (int32_t tie = 0; tie < g.tie_count; ++tie) {
        const int32_t joint = g.tie_joint[tie];
        double apart[6];
        for (int k = 0; k < 6; ++k)
            apart[k] = g.d[6LL * m.joint_child[joint] + k] - g.d[6LL * m.joint_parent[joint] + k];
        for (int32_t f = 0; g.coupling[joint] < 0 && f < joint_dof(m, joint); ++f)
            s.x[t.first[joint] + f] = dot6(g.W + 6LL * (t.first[joint] + f), apart);
    }
}

}  // namespace kinegen
