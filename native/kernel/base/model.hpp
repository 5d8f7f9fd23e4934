// The compiled model as the kernels see it: one int32 block, one double block, pointers into both.
// The layout is the one of src/kinegen/kernels/layout.py; both sides state it once.
#pragma once

#include <stdint.h>
#include <string.h>

#include "kernel/base/joint_types.hpp"

namespace kinegen {

enum PlacementKind : int32_t { KLEINFINGER = 0, POSE = 1 };

constexpr int32_t LAYOUT_VERSION = 2;
constexpr int32_t HEADER_SIZE = 16;
constexpr int32_t TRANSFORM_SIZE = 12;  // rotation row by row, then translation
constexpr int32_t INERTIA_SIZE = 10;    // mass, centre (3), inertia xx yy zz xy xz yz

constexpr int32_t DRIVE_SIZE = 9;  // numbers of motor, friction and spring per v

// Result of a kernel that can refuse its input.
enum Status : int32_t { OK = 0, BAD_SIZE = -1, BAD_VERSION = -2, BAD_INDEX = -3 };

struct Model {
    int32_t link_count, joint_count, loop_count, frame_count, placement_count;
    int32_t parameter_count, formula_count, code_count, constant_count, dependent_count;
    int32_t nq, nv, tree_count;

    const int32_t* joint_type;
    const int32_t* joint_parent;  // link
    const int32_t* joint_child;   // link; for a cut joint the link it lands on
    const int32_t* joint_q;
    const int32_t* joint_v;
    const int32_t* tree_order;  // tree joints, each after the joint that carries its parent link
    const int32_t* link_joint;  // the joint that carries the link, -1 for the base
    const int32_t* loop_joint;  // the cut joint of the loop
    const int32_t* frame_link;
    const int32_t* placement_kind;
    const int32_t* formula_target;  // index into values
    const int32_t* formula_start;
    const int32_t* code;  // (operation, argument) pairs
    const int32_t* dependent_start;
    const int32_t* dependents;  // formulas to run again when a parameter changes, in order;
                                // ~f: all from f on

    double* values;      // parameters, then all numbers below
    double* placements;  // six numbers each: joints, then loops, then frames
    double* pitch;       // per joint
    double* lower;       // per v
    double* upper;
    double* speed;
    double* effort;
    double* start;    // per q
    double* inertia;  // INERTIA_SIZE per link
    double* gravity;  // acceleration, world axes (3)
    double* gear;     // per v, as all below: motor turns per turn of the joint
    double* rotor;    // inertia on the motor's side
    double* viscous;  // friction: effort per speed
    double* coulomb;
    double* breakaway;  // static friction
    double* stribeck;   // speed at which it has faded, 0: at once
    double* stiffness;  // of the joint's spring
    double* spring_damping;
    double* spring_rest;
    const double* constants;
    double* transforms;  // TRANSFORM_SIZE per placement, derived

    int32_t value_count() const {
        return parameter_count + 6 * placement_count + joint_count + 4 * nv + nq +
               INERTIA_SIZE * link_count + 3 + DRIVE_SIZE * nv;
    }
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

// Points a Model into its two blocks; refuses blocks that do not fit together, so that no kernel
// ever reads outside of them.
inline int32_t bind_model(const int32_t* ints, int64_t int_count, double* reals, int64_t real_count,
                          Model& m) {
    if (int_count < HEADER_SIZE) return BAD_SIZE;
    if (ints[0] != LAYOUT_VERSION) return BAD_VERSION;
    for (int32_t i = 1; i < HEADER_SIZE; ++i)
        if (ints[i] < 0 || ints[i] > (1 << 26)) return BAD_SIZE;
    m.link_count = ints[1];
    m.joint_count = ints[2];
    m.loop_count = ints[3];
    m.frame_count = ints[4];
    m.placement_count = ints[5];
    m.parameter_count = ints[6];
    m.formula_count = ints[7];
    m.code_count = ints[8];
    m.constant_count = ints[9];
    m.dependent_count = ints[10];
    m.nq = ints[11];
    m.nv = ints[12];
    m.tree_count = ints[13];
    if (m.placement_count != m.joint_count + m.loop_count + m.frame_count) return BAD_SIZE;
    if (m.tree_count + m.loop_count != m.joint_count || m.link_count != m.tree_count + 1)
        return BAD_SIZE;

    const int32_t* at = ints + HEADER_SIZE;
    const int64_t wanted = (int64_t)HEADER_SIZE + 5LL * m.joint_count + m.tree_count +
                           m.link_count + m.loop_count + m.frame_count + m.placement_count +
                           m.formula_count + m.formula_count + 1 + 2LL * m.code_count +
                           m.parameter_count + 1 + m.dependent_count;
    if (wanted != int_count) return BAD_SIZE;
    auto take = [&at](int32_t count) {
        const int32_t* here = at;
        at += count;
        return here;
    };
    m.joint_type = take(m.joint_count);
    m.joint_parent = take(m.joint_count);
    m.joint_child = take(m.joint_count);
    m.joint_q = take(m.joint_count);
    m.joint_v = take(m.joint_count);
    m.tree_order = take(m.tree_count);
    m.link_joint = take(m.link_count);
    m.loop_joint = take(m.loop_count);
    m.frame_link = take(m.frame_count);
    m.placement_kind = take(m.placement_count);
    m.formula_target = take(m.formula_count);
    m.formula_start = take(m.formula_count + 1);
    m.code = take(2 * m.code_count);
    m.dependent_start = take(m.parameter_count + 1);
    m.dependents = take(m.dependent_count);

    const int64_t reals_wanted =
        (int64_t)m.parameter_count + 6LL * m.placement_count + m.joint_count + 4LL * m.nv + m.nq +
        (int64_t)INERTIA_SIZE * m.link_count + 3 + (int64_t)DRIVE_SIZE * m.nv + m.constant_count +
        (int64_t)TRANSFORM_SIZE * m.placement_count;
    if (reals_wanted != real_count) return BAD_SIZE;
    m.values = reals;
    m.placements = reals + m.parameter_count;
    m.pitch = m.placements + 6 * (int64_t)m.placement_count;
    m.lower = m.pitch + m.joint_count;
    m.upper = m.lower + m.nv;
    m.speed = m.upper + m.nv;
    m.effort = m.speed + m.nv;
    m.start = m.effort + m.nv;
    m.inertia = m.start + m.nq;
    m.gravity = m.inertia + (int64_t)INERTIA_SIZE * m.link_count;
    double* drive = m.gravity + 3;
    double** const drive_parts[DRIVE_SIZE] = {&m.gear,      &m.rotor,          &m.viscous,
                                              &m.coulomb,   &m.breakaway,      &m.stribeck,
                                              &m.stiffness, &m.spring_damping, &m.spring_rest};
    for (double** part : drive_parts) {
        *part = drive;
        drive += m.nv;
    }
    m.constants = drive;
    m.transforms = drive + m.constant_count;

    if (!indices_within(m.joint_type, m.joint_count, 0, JOINT_TYPE_COUNT) ||
        !indices_within(m.joint_parent, m.joint_count, 0, m.link_count) ||
        !indices_within(m.joint_child, m.joint_count, 0, m.link_count) ||
        !indices_within(m.tree_order, m.tree_count, 0, m.joint_count) ||
        !indices_within(m.link_joint, m.link_count, -1, m.joint_count) ||
        !indices_within(m.loop_joint, m.loop_count, 0, m.joint_count) ||
        !indices_within(m.frame_link, m.frame_count, 0, m.link_count) ||
        !indices_within(m.placement_kind, m.placement_count, 0, 2) ||
        !indices_within(m.formula_target, m.formula_count, 0, m.value_count()) ||
        !indices_within(m.formula_start, m.formula_count + 1, 0, m.code_count + 1) ||
        !indices_within(m.dependent_start, m.parameter_count + 1, 0, m.dependent_count + 1) ||
        !indices_within(m.dependents, m.dependent_count, -m.formula_count, m.formula_count))
        return BAD_INDEX;
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        if (m.joint_q[j] < 0 || m.joint_q[j] > m.nq - JOINT_NQ[type] || m.joint_v[j] < 0 ||
            m.joint_v[j] > m.nv - JOINT_NV[type])
            return BAD_INDEX;
    }
    return OK;
}

}  // namespace kinegen
