// Memory of the servos of one reduced engine.
#pragma once

#include <vector>

#include "kernel/reduced/servos.hpp"

namespace kinegen {

class ReducedServos {
public:
    bool are_mounted() const { return !reals_.empty(); }
    Servos& servos() { return servos_; }
    const Servos& servos() const { return servos_; }

    // Modes (nv) and numbers (SERVO_ROWS × nv), which are checked.
    void mount(const Model& m, bool is_stiff, const int32_t* modes, const double* numbers) {
        Arena<double> real_count{nullptr, 0};
        Arena<int32_t> int_count{nullptr, 0};
        lay_out_servos(m, real_count, int_count, servos_);
        reals_.assign((size_t)real_count.used + 1, 0);
        ints_.assign((size_t)int_count.used + 1, 0);
        Arena<double> reals{reals_.data(), 0};
        Arena<int32_t> ints{ints_.data(), 0};
        lay_out_servos(m, reals, ints, servos_);
        servos_.is_stiff = is_stiff;
        for (int32_t i = 0; i < m.nv; ++i) servos_.mode[i] = modes[i];
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

    // Rows, targets, rotors and windings: all that later steps depend on.
    const double* state() const { return reals_.data(); }
    int64_t state_size() const { return servos_.mass - reals_.data(); }

private:
    Servos servos_{};
    std::vector<double> reals_;
    std::vector<int32_t> ints_;
};

}  // namespace kinegen
