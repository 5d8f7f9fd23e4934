// Servos of reduced engines for Python: what is given for a run.
#pragma once

#include <nanobind/nanobind.h>

#include "python/border/arrays.hpp"
#include "reduced/servos.hpp"

namespace kinegen::python {

// Stiff?, modes, rows, and for each of so many engines targets (q, v, efforts) and state, which is
// written; as ServoArrays in kernels/protocols/reduced.py.
class GivenServos {
public:
    GivenServos(nb::handle given, const Model& m, int64_t count)
        : parts_(checked(given)),
          is_stiff_(nb::cast<bool>(parts_[0])),
          modes_(parts_[1], "modes"),
          rows_(parts_[2], "rows"),
          targets_(parts_[3], "targets"),
          state_(parts_[4], "state", true),
          mode_(modes_.numbers<int32_t>(m.nv)),
          numbers_(rows_.numbers<double>((int64_t)SERVO_ROWS * m.nv)),
          target_(targets_.numbers<double>(count * (m.nq + 2 * (int64_t)m.nv))),
          left_(state_.numbers<double>(count * SERVO_STATE_ROWS * m.nv)) {}

    // Refuses what engines of this model cannot do.
    void check(const Model& m, const ReducedTree& tree) const {
        for (int32_t j = 0; j < m.joint_count; ++j)
            for (int32_t i = m.joint_v[j]; i < m.joint_v[j] + JOINT_NV[m.joint_type[j]]; ++i) {
                if (mode_[i] < SERVO_NONE || mode_[i] > SERVO_TORQUE)
                    raise_usage("a servo has a mode that is not known");
                if (mode_[i] != SERVO_NONE && tree.first[j] < 0)
                    raise_usage("servos inside the steps drive joints of the tree only");
                if (numbers_[SERVO_HALF * (int64_t)m.nv + i] > 0 &&
                    JOINT_QUATERNION[m.joint_type[j]])
                    raise_usage("backlash needs a joint with variables of its own");
            }
    }
    // Lets the servos of engine i have its part.
    void hand_over(const Model& m, int64_t i, Servos& s) const {
        s.is_stiff = is_stiff_;
        s.mode = mode_;
        s.rows = numbers_;
        s.target_q = target_ + i * (m.nq + 2 * (int64_t)m.nv);
        s.target_v = s.target_q + m.nq;
        s.target_effort = s.target_v + m.nv;
        s.state = left_ + i * SERVO_STATE_ROWS * m.nv;
    }

private:
    static nb::tuple checked(nb::handle given) {
        if (!nb::isinstance<nb::tuple>(given) || nb::len(given) != 5 ||
            !PyBool_Check(nb::borrow<nb::tuple>(given)[0].ptr()))
            raise_usage("servos are given as stiff, modes, rows, targets and state");
        return nb::borrow<nb::tuple>(given);
    }

    nb::tuple parts_;
    bool is_stiff_;
    Borrowed modes_, rows_, targets_, state_;
    const int32_t* mode_;
    const double *numbers_, *target_;
    double* left_;
};

}  // namespace kinegen::python
