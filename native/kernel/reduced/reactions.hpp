// Forces in the joints of a mechanism with loops, at any state of motion.
#pragma once

#include "kernel/reduced/engine.hpp"

namespace kinegen {

// The wrench that each joint's parent exerts on its child: force, moment about the origin of the
// joint's frame F, world axes; six numbers per joint. lambda: forces in the loops' rows. The loads
// are those of the engine; vdot: accelerations of the tree (nv).
inline void find_reactions(ReducedEngine& e, const double* q, const double* v, const double* vdot,
                           const double* lambda, double* out) {
    ReducedSystem& s = e.system;
    ReducedTree& t = s.tree;
    const Couplings& c = s.ties;
    const Model& m = *t.model;
    place_tree(t, q);
    place_couplings(t, s.springs, s.ties);
    move_tree(t, v);
    // what the degrees of freedom' accelerations add; F holds it for a while
    for (int k = 0; k < 6; ++k) t.F[k] = 0;
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i];
        const int64_t link = m.joint_child[joint], parent = m.joint_parent[joint];
        for (int k = 0; k < 6; ++k) t.F[6 * link + k] = t.F[6 * parent + k];
        for (int32_t f = 0; f < JOINT_NV[m.joint_type[joint]]; ++f)
            for (int k = 0; k < 6; ++k)
                t.F[6 * link + k] +=
                    vdot[m.joint_v[joint] + f] * t.S[6LL * (t.first[joint] + f) + k];
        for (int k = 0; k < 6; ++k) t.A[6 * link + k] += t.F[6 * link + k];
    }
    // force about the origin of a joint's frame F
    auto put = [&](int32_t joint, const double* force, double* to) {
        double X_F[TRANSFORM_SIZE];
        compose(t.X + TRANSFORM_SIZE * (int64_t)m.joint_parent[joint], m.joint_transform(joint),
                X_F);
        const double r[3] = {t.centre[0] - X_F[9], t.centre[1] - X_F[10], t.centre[2] - X_F[11]};
        for (int k = 0; k < 6; ++k) to[k] = force[k];
        add_cross3(r, force, to + 3);
    };
    // outer forces, then those of the loops
    start_forces(t);
    push_wrenches(e);
    push_springs(e);
    for (int32_t i = 0; i < c.loop_count; ++i) {
        const int32_t cut = m.loop_joint[c.loop[i]];
        double force[6] = {}, effort[6];
        for (int32_t row = c.row_first[i]; row < c.row_first[i + 1]; ++row)
            for (int k = 0; k < 6; ++k) force[k] += lambda[row] * c.T[6LL * row + k];
        read_cut(t, c, i, e.cut_q);
        cut_axes(t, c, i, e.axes);
        cut_efforts(e, i, true, effort);
        for (int32_t f = 0; f < JOINT_NV[m.joint_type[cut]]; ++f)
            for (int k = 0; k < 6; ++k) force[k] += effort[f] * e.axes[6 * f + k];
        push_link(t, m.joint_child[cut], force, 1);
        push_link(t, m.joint_parent[cut], force, -1);
        put(cut, force, out + 6LL * cut);
    }
    gather_forces(t, s.x);
    for (int32_t i = 0; i < m.tree_count; ++i) {
        const int32_t joint = m.tree_order[i];
        put(joint, t.F + 6LL * m.joint_child[joint], out + 6LL * joint);
    }
}

}  // namespace kinegen
