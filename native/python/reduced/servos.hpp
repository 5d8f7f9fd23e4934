// Memory of the servos of one reduced engine.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "kernel/reduced/servos.hpp"
#include "python/arrays.hpp"

namespace kinegen::python {

class ReducedServos {
public:
    bool are_mounted() const { return !reals_.empty(); }
    Servos& servos() { return servos_; }
    const Servos& servos() const { return servos_; }

    void mount(const Model& m, const ReducedTree& tree, bool is_stiff, nb::handle modes,
               nb::handle rows) {
        const Borrowed modes_(modes, "modes"), rows_(rows, "rows");
        const int32_t* mode = modes_.numbers<int32_t>(m.nv);
        const double* numbers = rows_.numbers<double>((int64_t)SERVO_ROWS * m.nv);
        for (int32_t j = 0; j < m.joint_count; ++j)
            for (int32_t i = m.joint_v[j]; i < m.joint_v[j] + JOINT_NV[m.joint_type[j]]; ++i) {
                if (mode[i] < SERVO_NONE || mode[i] > SERVO_TORQUE)
                    raise_usage("a servo has a mode that is not known");
                if (mode[i] != SERVO_NONE && tree.first[j] < 0)
                    raise_usage("servos inside the steps drive joints of the tree only");
                if (numbers[SERVO_HALF * (int64_t)m.nv + i] > 0 &&
                    JOINT_QUATERNION[m.joint_type[j]])
                    raise_usage("backlash needs a joint with variables of its own");
            }
        Arena<double> real_count{nullptr, 0};
        Arena<int32_t> int_count{nullptr, 0};
        lay_out_servos(m, real_count, int_count, servos_);
        reals_.assign((size_t)real_count.used + 1, 0);
        ints_.assign((size_t)int_count.used + 1, 0);
        Arena<double> reals{reals_.data(), 0};
        Arena<int32_t> ints{ints_.data(), 0};
        lay_out_servos(m, reals, ints, servos_);
        servos_.is_stiff = is_stiff;
        for (int32_t i = 0; i < m.nv; ++i) servos_.mode[i] = mode[i];
        copy_all(servos_.rows, numbers, (int64_t)SERVO_ROWS * m.nv);
        for (int32_t j = 0; j < m.joint_count; ++j)
            for (int32_t k = 0; k < JOINT_NV[m.joint_type[j]]; ++k)
                servos_.place[m.joint_v[j] + k] =
                    JOINT_QUATERNION[m.joint_type[j]] ? -1 : m.joint_q[j] + k;
    }
    void reset(const Model& m, const double* q) {
        if (are_mounted()) reset_servos(m, q, servos_);
    }
    // Targets: q, v, efforts.
    void aim(const Model& m, const double* targets) {
        copy_all(servos_.target_q, targets, m.nq);
        copy_all(servos_.target_v, targets + m.nq, m.nv);
        copy_all(servos_.target_effort, targets + m.nq + m.nv, m.nv);
    }

private:
    Servos servos_{};
    std::vector<double> reals_;
    std::vector<int32_t> ints_;
};

}  // namespace kinegen::python
