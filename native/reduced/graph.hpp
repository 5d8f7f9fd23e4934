// Memory of the reduced engine's graph.
#pragma once

#include <memory>
#include <vector>

#include "kernel/reduced/graph.hpp"
#include "kernel/reduced/run.hpp"

namespace kinegen {

class ReducedGraphMemory {
public:
    // Numbers the graph along the better of two trees; false if it takes more work than `least`.
    bool plan(ReducedEngine& engine, int32_t wanted, double least) {
        const Model& model = *engine.system.tree.model;
        // it knows forces between links, no relations between joints
        if (model.coupling_count > 0) return false;
        ReducedSystem& s = engine.system;
        ReducedGraph& g = engine.graph;
        Arena<int32_t> int_count{nullptr, 0};
        Arena<int64_t> long_count{nullptr, 0};
        Arena<bool> bool_count{nullptr, 0};
        EarSearch ears;
        auto lay_out = [&](auto& ints, auto& longs, auto& bools) {
            lay_out_spanning(model, ints, bools, g.spanning);
            lay_out_ears(model, ints, ears);
            lay_out_graph_plan(model, ints, longs, g);
        };
        lay_out(int_count, long_count, bool_count);
        plan_ints_.assign((size_t)int_count.used + 1, 0);
        plan_longs_.assign((size_t)long_count.used + 1, 0);
        plan_bools_ = std::make_unique<bool[]>((size_t)bool_count.used + 1);
        Arena<int32_t> ints{plan_ints_.data(), 0};
        Arena<int64_t> longs{plan_longs_.data(), 0};
        Arena<bool> bools{plan_bools_.get(), 0};
        lay_out(ints, longs, bools);
        auto weigh = [&](bool by_ears) {
            if (by_ears)
                span_by_ears(model, g.spanning, ears);
            else
                span_as_written(model, g.spanning);
            order_ties(s.tree, s.ties, g);
            return count_arrivals(model, g);
        };
        const double written = weigh(false);
        const double found = model.loop_count > 0 ? weigh(true) : written;
        const bool by_ears = (wanted == BY_EARS || found < 0.8 * written) && !has_rotors(model);
        if (!by_ears) weigh(false);
        // rows that nothing moves are not known yet: half of them are such in a plane
        if (0.5 * (by_ears ? found : written) > least) return false;
        auto number = [&] {
            list_arrivals(model, g);
            find_skyline(model, g);
        };
        Arena<int32_t> list_count{nullptr, 0};
        lay_out_arrivals(model, list_count, g);
        list_ints_.assign((size_t)list_count.used + 1, 0);
        Arena<int32_t> lists{list_ints_.data(), 0};
        lay_out_arrivals(model, lists, g);
        number();
        Arena<double> real_count{nullptr, 0};
        lay_out_graph(s.tree, s.ties, real_count, g);
        graph_reals_.assign((size_t)real_count.used + 1, 0);
        Arena<double> reals{graph_reals_.data(), 0};
        lay_out_graph(s.tree, s.ties, reals, g);
        sift_graph(s, g, g.own, engine.q_try);
        if (count_arrivals(model, g) > least) return false;
        number();
        return true;
    }

private:
    static bool has_rotors(const Model& model) {
        for (int32_t v = 0; v < model.nv; ++v)
            if (model.rotor[v] != 0) return true;
        return false;
    }

    std::vector<int32_t> plan_ints_, list_ints_;
    std::vector<int64_t> plan_longs_;
    std::unique_ptr<bool[]> plan_bools_;
    std::vector<double> graph_reals_;
};

}  // namespace kinegen
