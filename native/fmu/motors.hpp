// The servos of a unit's motors: numbers, targets and state.
#pragma once

#include <math.h>

#include <vector>

#include "kernel/reduced/servos.hpp"

namespace kinegen::fmu {

struct Motors {
    bool are_there = false, are_stiff = false;
    std::vector<int32_t> modes;
    std::vector<double> rows, targets, state;

    void hand_over(const Model& m, int64_t, Servos& s) const {
        s.is_stiff = are_stiff;
        s.mode = modes.data();
        s.rows = rows.data();
        s.target_q = targets.data();
        s.target_v = s.target_q + m.nq;
        s.target_effort = s.target_v + m.nv;
        s.state = const_cast<double*>(state.data());
    }
    double& row(int32_t which, int32_t i) { return rows[(size_t)which * modes.size() + (size_t)i]; }
    // A motion begins at q: rotors in the middle of their backlash, windings cold.
    void reset(const Model& m, const double* q) {
        state.assign((size_t)SERVO_STATE_ROWS * (size_t)m.nv, 0);
        const auto at = [&](int32_t which, int32_t i) -> double& {
            return state[(size_t)which * (size_t)m.nv + (size_t)i];
        };
        for (int32_t i = 0; i < m.nv; ++i) {
            at(SERVO_STATE_TEMPERATURE, i) = row(SERVO_AMBIENT, i);
            at(SERVO_STATE_BEFORE, i) = INFINITY;
        }
        for (int32_t j = 0; j < m.joint_count; ++j)
            for (int32_t k = 0; k < JOINT_NV[m.joint_type[j]]; ++k)
                if (row(SERVO_HALF, m.joint_v[j] + k) > 0)
                    at(SERVO_STATE_ANGLE, m.joint_v[j] + k) = q[m.joint_q[j] + k];
    }
};

}  // namespace kinegen::fmu
