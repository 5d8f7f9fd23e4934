// The compiled model as the kernels see it: one int32 block, one double block, pointers into both.
#pragma once

#include <stdint.h>
#include <string.h>

#include "kernel/base/joint_types.hpp"
#include "kernel/base/layout.hpp"
#include "kernel/base/records.hpp"

namespace kinegen {

// Result of a kernel that can refuse its input.
enum Status : int32_t { OK = 0, BAD_SIZE = -1, BAD_VERSION = -2, BAD_INDEX = -3 };

struct Model : Layout {
    int32_t site_count() const { return link_count + frame_count; }
    const double* joint_transform(int32_t joint) const {
        return transforms + TRANSFORM_SIZE * joint;
    }
    const double* loop_transform(int32_t loop) const {
        return transforms + TRANSFORM_SIZE * (joint_count + loop);
    }
    const double* frame_transform(int32_t frame) const {
        return transforms + TRANSFORM_SIZE * (joint_count + loop_count + frame);
    }
    // Loops that a cut joint closes; couplings, each with a joint without variables, come behind.
    int32_t cut_count() const { return loop_count - coupling_count; }
    bool is_coupling(int32_t loop) const { return loop >= cut_count(); }
    // Joints that people know: those of couplings come last.
    int32_t real_joint_count() const { return joint_count - coupling_count; }
    // The row of a coupling that is used.
    int32_t coupling_row(int32_t coupling) const { return coupling_length[coupling] ? 0 : 3; }
    // A site is a link's own frame (its index) or a named frame (link_count + its index).
    int32_t site_link(int32_t site) const {
        return site < link_count ? site : frame_link[site - link_count];
    }
};

inline bool indices_within(const int32_t* values, int32_t count, int32_t low, int32_t high) {
    for (int32_t i = 0; i < count; ++i)
        if (values[i] < low || values[i] >= high) return false;
    return true;
}

// Where the shares of some things begin in a list: in order, from its beginning to its end.
inline bool starts_within(const int32_t* starts, int32_t count, int32_t size) {
    for (int32_t i = 0; i < count; ++i)
        if (starts[i] > starts[i + 1]) return false;
    return starts[0] == 0 && starts[count] == size;
}

// Points a Model into its two blocks; refuses blocks that do not fit together, so that no kernel
// ever reads outside of them.
inline int32_t bind_model(const int32_t* ints, int64_t int_count, double* reals, int64_t real_count,
                          Model& m) {
    if (int_count < HEADER_SIZE) return BAD_SIZE;
    if (ints[0] != LAYOUT_VERSION) return BAD_VERSION;
    for (int32_t i = 1; i < HEADER_SIZE; ++i)
        if (ints[i] < 0 || ints[i] > (1 << 26)) return BAD_SIZE;
    m.read_header(ints);
    if (m.placement_count != m.joint_count + m.loop_count + m.frame_count) return BAD_SIZE;
    if (m.tree_count + m.loop_count != m.joint_count || m.link_count != m.tree_count + 1)
        return BAD_SIZE;

    if (m.coupling_count > m.loop_count) return BAD_SIZE;

    if (m.int_size() != int_count || m.real_size() != real_count) return BAD_SIZE;
    m.point_into(ints, reals);

    if (!indices_within(m.joint_type, m.joint_count, 0, JOINT_TYPE_COUNT) ||
        !indices_within(m.joint_parent, m.joint_count, 0, m.link_count) ||
        !indices_within(m.joint_child, m.joint_count, 0, m.link_count) ||
        !indices_within(m.tree_order, m.tree_count, 0, m.joint_count) ||
        !indices_within(m.link_joint, m.link_count, -1, m.joint_count) ||
        !indices_within(m.loop_joint, m.loop_count, 0, m.joint_count) ||
        !indices_within(m.frame_link, m.frame_count, 0, m.link_count) ||
        !indices_within(m.placement_kind, m.placement_count, 0, 2) ||
        !indices_within(m.based, 2 * m.based_count, 0, m.placement_count) ||
        !indices_within(m.formula_target, m.formula_count, 0, m.value_count()) ||
        !indices_within(m.formula_start, m.formula_count + 1, 0, m.code_count + 1) ||
        !indices_within(m.dependent_start, m.parameter_count + 1, 0, m.dependent_count + 1) ||
        !indices_within(m.dependents, m.dependent_count, -m.formula_count, m.formula_count) ||
        !indices_within(m.term_q, m.term_count, 0, m.nq) ||
        !indices_within(m.term_v, m.term_count, 0, m.nv) ||
        !starts_within(m.term_start, m.coupling_count, m.term_count) ||
        !starts_within(m.profile_start, m.coupling_count, m.profile_count) ||
        !starts_within(m.knot_start, m.coupling_count, m.knot_count))
        return BAD_INDEX;
    for (int32_t c = 0; c < m.coupling_count; ++c) {
        const int32_t joint = m.real_joint_count() + c;
        if (m.loop_joint[m.cut_count() + c] != joint || JOINT_NV[m.joint_type[joint]] != 0 ||
            m.term_start[c] == m.term_start[c + 1])
            return BAD_INDEX;
    }
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        if (m.joint_q[j] < 0 || m.joint_q[j] > m.nq - JOINT_NQ[type] || m.joint_v[j] < 0 ||
            m.joint_v[j] > m.nv - JOINT_NV[type])
            return BAD_INDEX;
    }
    return OK;
}

}  // namespace kinegen
