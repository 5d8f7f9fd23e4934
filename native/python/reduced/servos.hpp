// Servos of one reduced engine from Python's arrays.
#pragma once

#include <nanobind/nanobind.h>

#include "python/arrays.hpp"
#include "reduced/servos.hpp"

namespace kinegen::python {

// Mounts servos: mode per v, rows of numbers (SERVO_ROWS × nv).
inline void mount_checked(ReducedServos& servos, const Model& m, const ReducedTree& tree,
                          bool is_stiff, nb::handle modes, nb::handle rows) {
    const Borrowed modes_(modes, "modes"), rows_(rows, "rows");
    const int32_t* mode = modes_.numbers<int32_t>(m.nv);
    const double* numbers = rows_.numbers<double>((int64_t)SERVO_ROWS * m.nv);
    for (int32_t j = 0; j < m.joint_count; ++j)
        for (int32_t i = m.joint_v[j]; i < m.joint_v[j] + JOINT_NV[m.joint_type[j]]; ++i) {
            if (mode[i] < SERVO_NONE || mode[i] > SERVO_TORQUE)
                raise_usage("a servo has a mode that is not known");
            if (mode[i] != SERVO_NONE && tree.first[j] < 0)
                raise_usage("servos inside the steps drive joints of the tree only");
            if (numbers[SERVO_HALF * (int64_t)m.nv + i] > 0 && JOINT_QUATERNION[m.joint_type[j]])
                raise_usage("backlash needs a joint with variables of its own");
        }
    servos.mount(m, is_stiff, mode, numbers);
}

}  // namespace kinegen::python
