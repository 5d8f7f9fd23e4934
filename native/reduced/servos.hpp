// Memory of the servos of one reduced engine.
#pragma once

#include <vector>

#include "kernel/reduced/servos.hpp"

namespace kinegen {

class ReducedServos {
public:
    // Room, at the first use.
    void make_room(const Model& m) {
        if (!reals_.empty()) return;
        Arena<double> real_count{nullptr, 0};
        Arena<int32_t> int_count{nullptr, 0};
        lay_out_servos(m, real_count, int_count, servos_);
        reals_.assign((size_t)real_count.used + 1, 0);
        ints_.assign((size_t)int_count.used + 1, 0);
        Arena<double> reals{reals_.data(), 0};
        Arena<int32_t> ints{ints_.data(), 0};
        lay_out_servos(m, reals, ints, servos_);
    }
    // Lets them push in the steps of an engine, on top of its loads, until they let go; `given`
    // hands over modes, rows, targets and state, those of engine i.
    template <class Given>
    void take_over(ReducedEngine& e, const Given& given, int64_t i) {
        const Model& m = *e.system.tree.model;
        given.hand_over(m, i, servos_);
        copy_all(servos_.given, e.tau, m.nv);
        e.servos = &servos_;
        e.system.tree.kept = servos_.is_stiff ? servos_.mass : nullptr;
    }
    static void let_go(ReducedEngine& e) {
        e.servos = nullptr;
        e.system.tree.kept = nullptr;
    }

private:
    Servos servos_{};
    std::vector<double> reals_;
    std::vector<int32_t> ints_;
};

}  // namespace kinegen
