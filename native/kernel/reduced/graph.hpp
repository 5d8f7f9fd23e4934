// Masses and loops in one elimination, link by link from the tips to the base: the cost grows with
// the number of links as long as few loops are open at any of them.
//
// Articulated bodies (Featherstone 1983) carry the forces of loops along: a link knows its inertia
// as the joint below feels it, and for every row of a loop that leads out of its branch the force
// that a unit in the row makes there. Where the two ways of a loop meet, its rows are eliminated:
// what is left of them is inertia of that link (compare A. Jain, "Robot and Multibody Dynamics",
// 2011, on constraint embedding). All six-vectors are in world axes about one point, so nothing is
// ever moved from link to link but by adding.
//
// The tree need not be the file's (kernel/reduced/spanning.hpp): a joint of the file's tree may be
// cut here and hold by rows, a cut joint of the file may carry a link here.
#pragma once

#include "kernel/reduced/spanning.hpp"
#include "kernel/reduced/system.hpp"

namespace kinegen {

struct ReducedGraph {
    SpanningTree spanning;
    int32_t column_count, row_count, tie_count;
    int32_t* column;        // per link: first column of the joint that carries it
    int32_t* tie_joint;     // per cut joint, in the order of elimination: which
    int32_t* tie_meet;      // where its two ways meet
    int32_t* tie_first;     // per tie + 1: its rows
    int32_t* coupling;      // per joint: the engine's coupling, -1 for joints of the file's tree
    int32_t* kind;          // per row
    int32_t* source;        // per row: the same row of the engine's couplings, -1: it has none
    int32_t* start;         // per row: first of its skyline
    int64_t* sky;           // per row: where its column 0 would be in A
    int32_t* arrive_first;  // per link + 1: rows that are open at it or end there, lowest first
    int32_t* arrive;        // which
    int32_t* arrive_up;     // their places in the list of the link below, -1: eliminated here
    int32_t* closing;       // per link: how many of them are eliminated here, the first ones
    int64_t* y_first;       // per link: its part of Y
    int32_t most_open;      // at any link
    double* body;           // per link: articulated inertia, 6 × 6, before its joint
    double* k;              // per arrival: force that a unit in the row makes, before the joint
    double* k_work;         // the same after the joint, of one link
    double* S;              // per column: motion, away from the base
    double* u;              // per column: force of a unit motion, by the root of its mass
    double* inverse;        // per column: 1 / root of its mass
    double* Y;              // per link: columns × open rows
    double* T;              // per row: force on the joint's child, opposite on its parent
    double* kappa;          // per row: k where it was eliminated, by the factor
    double* A;              // skyline: rows by rows that are eliminated before, then the factor
    double* own;            // per row: diagonal before factoring
    double* peak;           // per row: largest square of its pivot so far
    double* pivot;          // per row: 1 / diagonal of the factor, 0: left out
    double* W;              // per variable of the file's tree: force that does its work
    double* lift;           // per row of the engine's couplings: motion that opens it by 1
    double *e, *z, *d, *c, *w, *lambda, *sum;  // of solving: per column, link, row
};

inline int32_t joint_dof(const Model& m, int32_t joint) { return JOINT_NV[m.joint_type[joint]]; }

// Fixed memory of the numbering.
inline void lay_out_graph_plan(const Model& m, Arena<int32_t>& ints, Arena<int64_t>& longs,
                               ReducedGraph& g) {
    g.column = ints.take(m.link_count);
    g.tie_joint = ints.take(m.loop_count);
    g.tie_meet = ints.take(m.loop_count);
    g.tie_first = ints.take(m.loop_count + 1);
    g.coupling = ints.take(m.joint_count);
    g.kind = ints.take(6LL * m.loop_count);
    g.source = ints.take(6LL * m.loop_count);
    g.start = ints.take(6LL * m.loop_count);
    g.arrive_first = ints.take(m.link_count + 1);
    g.closing = ints.take(m.link_count);
    g.sky = longs.take(6LL * m.loop_count + 1);
    g.y_first = longs.take(m.link_count + 1);
}

// Orders the cut joints by where their ways meet, those farthest from the base first, and gives
// each all rows of its type. The spanning tree is given.
inline void order_ties(const ReducedTree& t, const Couplings& c, ReducedGraph& g) {
    const Model& m = *t.model;
    const SpanningTree& s = g.spanning;
    for (int32_t j = 0; j < m.joint_count; ++j) g.coupling[j] = -1;
    for (int32_t i = 0; i < c.loop_count; ++i) g.coupling[m.loop_joint[c.loop[i]]] = i;
    g.tie_count = g.row_count = g.column_count = 0;
    g.tie_first[0] = 0;
    for (int32_t i = 0; i < s.count; ++i) {
        g.column[s.order[i]] = g.column_count;
        g.column_count += joint_dof(m, s.joint[s.order[i]]);
    }
    int32_t* meet = g.closing;  // for a moment: how many ties end at each link, then where they go
    for (int32_t link = 0; link < m.link_count; ++link) meet[link] = 0;
    for (int32_t j = 0; j < m.joint_count; ++j)
        if (s.is_cut[j]) ++meet[meeting_link(s, m.joint_parent[j], m.joint_child[j])];
    int32_t at = 0;
    for (int32_t i = s.count - 1; i >= -1; --i) {
        const int32_t link = i < 0 ? 0 : s.order[i], count = meet[link];
        meet[link] = at;
        at += count;
    }
    for (int32_t j = 0; j < m.joint_count; ++j)
        if (s.is_cut[j]) {
            const int32_t link = meeting_link(s, m.joint_parent[j], m.joint_child[j]);
            g.tie_joint[meet[link]] = j;
            g.tie_meet[meet[link]++] = link;
            ++g.tie_count;
        }
    for (int32_t tie = 0; tie < g.tie_count; ++tie) {
        const int32_t rows = cut_rows(m.joint_type[g.tie_joint[tie]], g.kind + g.row_count);
        g.row_count += rows;
        g.tie_first[tie + 1] = g.row_count;
    }
}

// Calls back for every link on the two ways of a tie, the link where they meet not among them.
template <class Visit>
inline void walk_tie(const Model& m, const ReducedGraph& g, int32_t tie, Visit&& visit) {
    const int32_t ends[2] = {m.joint_parent[g.tie_joint[tie]], m.joint_child[g.tie_joint[tie]]};
    for (int32_t link : ends)
        for (; link != g.tie_meet[tie]; link = g.spanning.up[link]) visit(link);
}

// Counts what arrives where; returns about how many multiplications an elimination takes.
inline double count_arrivals(const Model& m, ReducedGraph& g) {
    for (int32_t link = 0; link <= m.link_count; ++link) g.arrive_first[link] = 0;
    for (int32_t link = 0; link < m.link_count; ++link) g.closing[link] = 0;
    for (int32_t tie = 0; tie < g.tie_count; ++tie) {
        const int32_t rows = g.tie_first[tie + 1] - g.tie_first[tie];
        walk_tie(m, g, tie, [&](int32_t link) { g.arrive_first[link + 1] += rows; });
        g.arrive_first[g.tie_meet[tie] + 1] += rows;
        g.closing[g.tie_meet[tie]] += rows;
    }
    double cost = 0;
    g.most_open = 0;
    for (int32_t link = 0; link < m.link_count; ++link) {
        const int32_t here = g.arrive_first[link + 1], open = here - g.closing[link];
        g.arrive_first[link + 1] += g.arrive_first[link];
        g.most_open = open > g.most_open ? open : g.most_open;
        if (link == 0) {
            g.y_first[0] = g.y_first[1] = 0;
            continue;
        }
        const double dof = joint_dof(m, g.spanning.joint[link]), closed = g.closing[link];
        g.y_first[link + 1] = g.y_first[link] + (int64_t)dof * open;
        cost += 150 + dof * (80 + 20. * open + 0.5 * open * open) + 36 * closed +
                closed * open * (6 + closed + open);
    }
    return cost;
}

// Memory that depends on the rows; after count_arrivals and, for A, find_skyline.
inline void lay_out_arrivals(const Model& m, Arena<int32_t>& ints, ReducedGraph& g) {
    g.arrive = ints.take(g.arrive_first[m.link_count]);
    g.arrive_up = ints.take(g.arrive_first[m.link_count]);
}
inline void lay_out_graph(const ReducedTree& t, const Couplings& c, Arena<double>& reals,
                          ReducedGraph& g) {
    const Model& m = *t.model;
    const int64_t links = m.link_count, columns = g.column_count, rows = g.row_count;
    g.body = reals.take(36 * links);
    g.k = reals.take(6LL * g.arrive_first[m.link_count]);
    g.k_work = reals.take(6LL * g.most_open);
    g.S = reals.take(6 * columns);
    g.u = reals.take(6 * columns);
    g.inverse = reals.take(columns);
    g.Y = reals.take(g.y_first[m.link_count]);
    g.T = reals.take(6 * rows);
    g.kappa = reals.take(6 * rows);
    g.A = reals.take(g.sky[rows]);
    g.own = reals.take(rows);
    g.peak = reals.take(rows);
    g.pivot = reals.take(rows);
    g.W = reals.take(6LL * t.n);
    g.lift = reals.take(36LL * c.loop_count);
    g.e = reals.take(columns);
    g.z = reals.take(6 * links);
    g.d = reals.take(6 * links);
    g.c = reals.take(6 * links);
    g.w = reals.take(rows);
    g.lambda = reals.take(rows);
    g.sum = reals.take(rows);
}

// Lists what arrives at each link, lowest row first.
inline void list_arrivals(const Model& m, ReducedGraph& g) {
    int32_t* at = g.closing;  // for a moment: where the next one goes
    for (int32_t link = 0; link < m.link_count; ++link) at[link] = g.arrive_first[link];
    for (int32_t tie = 0; tie < g.tie_count; ++tie)
        for (int32_t row = g.tie_first[tie]; row < g.tie_first[tie + 1]; ++row) {
            walk_tie(m, g, tie, [&](int32_t link) {
                g.arrive_up[at[link]] = row;
                g.arrive[at[link]++] = row;
            });
            g.arrive_up[at[g.tie_meet[tie]]] = -1;
            g.arrive[at[g.tie_meet[tie]]++] = row;
        }
    // rows that are eliminated here, and places of the others in the next list
    for (int32_t link = 0; link < m.link_count; ++link) {
        const int32_t first = g.arrive_first[link], last = g.arrive_first[link + 1];
        g.closing[link] = 0;
        int32_t next = link == 0 ? 0 : g.arrive_first[g.spanning.up[link]];
        for (int32_t i = first; i < last; ++i) {
            if (g.arrive_up[i] < 0) {
                ++g.closing[link];
                continue;
            }
            while (g.arrive[next] != g.arrive_up[i]) ++next;
            g.arrive_up[i] = next;
        }
    }
}

// Rows meet those that are open at the same link. A link's list holds each row once: its two ways
// share no link but the last.
inline void find_skyline(const Model& m, ReducedGraph& g) {
    for (int32_t row = 0; row < g.row_count; ++row) g.start[row] = row;
    for (int32_t link = 1; link < m.link_count; ++link) {
        const int32_t first = g.arrive_first[link] + g.closing[link];
        for (int32_t i = first; i < g.arrive_first[link + 1]; ++i)
            if (g.arrive[first] < g.start[g.arrive[i]]) g.start[g.arrive[i]] = g.arrive[first];
    }
    int64_t at = 0;
    for (int32_t row = 0; row < g.row_count; ++row) {
        g.sky[row] = at - g.start[row];
        at += row - g.start[row] + 1;
    }
    g.sky[g.row_count] = at;
}

// Where it is

// Frames F and K of any joint.
inline void frames_of(const ReducedTree& t, const Couplings& c, const ReducedGraph& g,
                      int32_t joint, double* X_F, double* X_K) {
    const Model& m = *t.model;
    if (g.coupling[joint] >= 0) {
        copy_all(X_F, c.X_F + TRANSFORM_SIZE * (int64_t)g.coupling[joint], TRANSFORM_SIZE);
        copy_all(X_K, c.X_K + TRANSFORM_SIZE * (int64_t)g.coupling[joint], TRANSFORM_SIZE);
        return;
    }
    compose(t.X + TRANSFORM_SIZE * (int64_t)m.joint_parent[joint], m.joint_transform(joint), X_F);
    copy_all(X_K, t.X + TRANSFORM_SIZE * (int64_t)m.joint_child[joint], TRANSFORM_SIZE);
}

// A turn about an axis through a point, as a motion; a shift along it.
inline void turn_about(const ReducedTree& t, const double* point, const double* axis, double* out) {
    double force[6];
    force_at(t, point, axis, force);
    for (int k = 0; k < 3; ++k) {
        out[k] = force[3 + k];
        out[3 + k] = force[k];
    }
}
inline void shift_along(const double* axis, double* out) {
    for (int k = 0; k < 3; ++k) {
        out[k] = axis[k];
        out[3 + k] = 0;
    }
}

// Motions that a joint between F and K leaves free: all that its rows do not feel.
inline void free_motions(const ReducedTree& t, int32_t type, const double* X_F, const double* X_K,
                         double lead, double* out) {
    double axis[3];
    auto turn = [&](const double* X, int k) {
        column(X, k, axis);
        turn_about(t, X_K + 9, axis, out);
        out += 6;
    };
    auto shift = [&](int k) {
        column(X_K, k, axis);
        shift_along(axis, out);
        out += 6;
    };
    switch (type) {
        case REVOLUTE:
            turn(X_K, 2);
            break;
        case PRISMATIC:
            shift(2);
            break;
        case SCREW:
            turn(X_K, 2);
            for (int k = 0; k < 3; ++k) out[k - 6] += lead * axis[k];
            break;
        case CYLINDRICAL:
            turn(X_K, 2);
            shift(2);
            break;
        case UNIVERSAL:
            turn(X_F, 2);
            turn(X_K, 0);
            break;
        case SPHERICAL:
            for (int k = 0; k < 3; ++k) turn(X_K, k);
            break;
        case PLANAR:
            shift(0);
            shift(1);
            turn(X_K, 2);
            break;
        case FREE:
            for (int k = 0; k < 3; ++k) shift(k);
            for (int k = 0; k < 3; ++k) turn(X_K, k);
            break;
        default:
            break;
    }
}

// The motion that opens one row by 1 and no other of its joint.
inline void lift_row(const ReducedTree& t, int32_t kind, const double* X_F, const double* X_K,
                     double* out) {
    double axis[3];
    if (kind <= FORCE_Z || kind == THREAD) {
        column(X_K, kind == THREAD ? 2 : kind, axis);
        shift_along(axis, out);
    } else if (kind <= MOMENT_Z) {
        column(X_K, kind - MOMENT_X, axis);
        turn_about(t, X_K + 9, axis, out);
    } else {
        double z_F[3], x_K[3];
        column(X_F, 2, z_F);
        column(X_K, 0, x_K);
        cross3(z_F, x_K, axis);
        const double size = dot3(axis, axis);
        turn_about(t, X_K + 9, axis, out);
        for (int k = 0; k < 6; ++k) out[k] /= size;
    }
}

// Motions of the joints that carry links, forces of those that are cut; after place_tree and
// place_couplings.
inline void place_graph(const ReducedTree& t, const Couplings& c, ReducedGraph& g) {
    const Model& m = *t.model;
    const SpanningTree& s = g.spanning;
    double X_F[TRANSFORM_SIZE], X_K[TRANSFORM_SIZE];
    for (int32_t i = 0; i < s.count; ++i) {
        const int32_t link = s.order[i], joint = s.joint[link], type = m.joint_type[joint];
        double* S = g.S + 6LL * g.column[link];
        const int32_t count = 6 * joint_dof(m, joint), coupling = g.coupling[joint];
        if (coupling < 0) {
            copy_all(S, t.S + 6LL * t.first[joint], count);
        } else {
            frames_of(t, c, g, joint, X_F, X_K);
            free_motions(t, type, X_F, X_K, KINEGEN_ISA::screw_lead(m, joint), S);
            for (int32_t row = c.row_first[coupling]; row < c.row_first[coupling + 1]; ++row)
                lift_row(t, c.kind[row], X_F, X_K, g.lift + 6LL * row);
        }
        if (m.joint_child[joint] != link)
            for (int32_t k = 0; k < count; ++k) S[k] = -S[k];
    }
    for (int32_t tie = 0; tie < g.tie_count; ++tie) {
        const int32_t joint = g.tie_joint[tie];
        frames_of(t, c, g, joint, X_F, X_K);
        const double lead = KINEGEN_ISA::screw_lead(m, joint);
        for (int32_t row = g.tie_first[tie]; row < g.tie_first[tie + 1]; ++row)
            row_force(t, g.kind[row], X_F, X_K, lead, g.T + 6LL * row);
        if (g.coupling[joint] < 0)
            joint_forces(t, m.joint_type[joint], X_F, X_K, g.W + 6LL * t.first[joint]);
    }
}

// Numbering

// Drops the rows that no joint of their own loop moves, tried at places drawn at random, and finds
// the rows of the engine's couplings. q: scratch that holds a configuration.
inline void sift_graph(ReducedSystem& s, ReducedGraph& g, double* most, double* q) {
    const Model& m = *s.tree.model;
    Couplings& c = s.ties;
    Draws draws{11};
    for (int32_t row = 0; row < g.row_count; ++row) most[row] = 0;
    for (int trial = 0; trial < 3; ++trial) {
        for (int32_t i = 0; i < m.nq; ++i) q[i] = draws.normal();
        place_tree(s.tree, q);
        place_couplings(s.tree, s.springs, c);
        place_graph(s.tree, c, g);
        for (int32_t tie = 0; tie < g.tie_count; ++tie)
            for (int32_t row = g.tie_first[tie]; row < g.tie_first[tie + 1]; ++row)
                walk_tie(m, g, tie, [&](int32_t link) {
                    const int32_t count = joint_dof(m, g.spanning.joint[link]);
                    for (int32_t k = g.column[link]; k < g.column[link] + count; ++k)
                        most[row] = larger(most[row], fabs(dot6(g.T + 6LL * row, g.S + 6LL * k)));
                });
    }
    int32_t kept = 0, row = 0;
    for (int32_t tie = 0; tie < g.tie_count; ++tie) {
        const int32_t end = g.tie_first[tie + 1], i = g.coupling[g.tie_joint[tie]];
        g.tie_first[tie] = kept;
        for (; row < end; ++row) {
            if (!(most[row] > EMPTY_ROW)) continue;
            g.source[kept] = -1;
            for (int32_t k = i < 0 ? 0 : c.row_first[i]; i >= 0 && k < c.row_first[i + 1]; ++k)
                if (c.kind[k] == g.kind[row]) g.source[kept] = k;
            g.kind[kept++] = g.kind[row];
        }
    }
    g.tie_first[g.tie_count] = g.row_count = kept;
}

}  // namespace kinegen
