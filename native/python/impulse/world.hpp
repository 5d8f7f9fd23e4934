// The arrays of which an impulse engine is made, from Python: copied, checked and pointed at.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "kernel/impulse/world.hpp"
#include "python/border/arrays.hpp"

namespace kinegen::python {

inline void want(bool fits, const char* what) {
    if (!fits)
        raise_usage(std::string(what) + " does not fit the other arrays of the impulse engine");
}

inline bool is_body(const impulse::World& w, int32_t b) { return b >= 0 && b < w.body_count; }

// Arrays as in kernels/reference/impulse/world.py, and the counts of the world that follow from
// them.
class ImpulseArrays {
public:
    ImpulseArrays(impulse::World& world, nb::handle bodies, nb::handle bonds,
                  nb::handle bond_numbers, nb::handle axes, nb::handle gravity,
                  nb::handle curve_first, nb::handle curve, nb::handle curve_closed,
                  nb::handle order_tie, nb::handle order_first, nb::handle order_row,
                  nb::handle update_first, nb::handle update, nb::handle pieces, nb::handle sweep,
                  nb::handle model_ints, nb::handle model_reals, nb::handle side_first,
                  nb::handle side_body)
        : w_(world),
          bodies_(copied<double>(bodies, "bodies")),
          bonds_(copied<int32_t>(bonds, "bonds")),
          bond_numbers_(copied<double>(bond_numbers, "bond_numbers")),
          axes_(copied<double>(axes, "axes")),
          gravity_(copied<double>(gravity, "gravity")),
          curve_first_(copied<int32_t>(curve_first, "curve_first")),
          curve_(copied<double>(curve, "curve")),
          curve_closed_(copied<int32_t>(curve_closed, "curve_closed")),
          order_tie_(copied<int32_t>(order_tie, "order_tie")),
          order_first_(copied<int32_t>(order_first, "order_first")),
          order_row_(copied<int32_t>(order_row, "order_row")),
          update_first_(copied<int32_t>(update_first, "update_first")),
          update_(copied<int32_t>(update, "update")),
          pieces_(copied<int32_t>(pieces, "pieces")),
          sweep_(copied<int32_t>(sweep, "sweep")),
          model_ints_(copied<int32_t>(model_ints, "model_ints")),
          model_reals_(copied<double>(model_reals, "model_reals")),
          side_first_(copied<int32_t>(side_first, "side_first")),
          side_body_(copied<int32_t>(side_body, "side_body")) {
        const size_t n = bodies_.size() / impulse::BODY_SIZE, m = bonds_.size() / 5;
        want(n > 0 && bodies_.size() == n * impulse::BODY_SIZE, "bodies");
        want(bonds_.size() == 5 * m && bond_numbers_.size() == m * impulse::BOND_SIZE, "bonds");
        w_.body_count = (int32_t)n;
        w_.bond_count = (int32_t)m;
        w_.nv = (int32_t)(axes_.size() / impulse::AXIS_SIZE);
        w_.nq = 0;
        const int64_t most = 8 * (int64_t)m;  // no bond has more variables
        for (size_t j = 0; j < m; ++j) {
            const int32_t* b = bonds_.data() + 5 * j;
            want(b[0] >= 0 && b[0] < impulse::BOND_TYPE_COUNT && is_body(w_, b[1]) &&
                     is_body(w_, b[2]) && b[1] != b[2] && b[3] >= 0 && b[3] <= most && b[4] >= 0 &&
                     b[4] <= w_.nv - impulse::BOND_NV[b[0]],
                 "bonds");
            const int32_t end = b[3] + impulse::BOND_NQ[b[0]];
            w_.nq = end > w_.nq ? end : w_.nq;
        }
        want(gravity_.size() == 3, "gravity");
        want(curve_first_.size() == m + 1 && curve_closed_.size() == m &&
                 curve_.size() == 12 * (size_t)curve_first_[m] && curve_first_[0] == 0,
             "curves");
        for (size_t j = 0; j < m; ++j)
            want(curve_first_[j] <= curve_first_[j + 1] &&
                     (bonds_[5 * j] != impulse::POINT_ON_CURVE ||
                      curve_first_[j] < curve_first_[j + 1]),
                 "curves");
        check_couplings();
        check_order();
        point();
    }
    ImpulseArrays(const ImpulseArrays&) = delete;
    ImpulseArrays& operator=(const ImpulseArrays&) = delete;

private:
    // Couplings of a compiled mechanism, whose variables are those of the bonds.
    void check_couplings() {
        w_.coupling_count = 0;
        w_.model = nullptr;
        if (!model_ints_.empty()) {
            want(bind_model(model_ints_.data(), (int64_t)model_ints_.size(), model_reals_.data(),
                            (int64_t)model_reals_.size(), model_) == 0,
                 "the mechanism");
            w_.model = &model_;
            w_.coupling_count = model_.coupling_count;
        }
        w_.tie_count = w_.bond_count + w_.coupling_count;
        const size_t count = (size_t)w_.coupling_count;
        bool fits = side_first_.size() == count + 1 && side_first_[0] == 0 &&
                    (size_t)side_first_[count] == side_body_.size();
        for (size_t c = 0; fits && c < count; ++c) fits = side_first_[c] <= side_first_[c + 1];
        for (int32_t b : side_body_) fits = fits && is_body(w_, b);
        for (int32_t n = 0; fits && w_.model && n < model_.term_count; ++n) {
            fits = false;
            for (int32_t j = 0; j < w_.bond_count; ++j) {
                const int32_t *bond = bonds_.data() + 5LL * j, k = model_.term_v[n] - bond[4];
                const bool is_ball = bond[0] == SPHERICAL || bond[0] == FREE;
                if (k < 0 || k >= impulse::BOND_NV[bond[0]] || is_ball) continue;
                fits = model_.term_q[n] == bond[3] + k && has_sides(n, bond[1], bond[2]);
            }
        }
        want(fits, "the couplings");
    }
    // Whether both bodies are among the sides of a term's coupling.
    bool has_sides(int32_t term, int32_t a, int32_t b) const {
        size_t c = 0;
        while (model_.term_start[c + 1] <= term) ++c;
        const auto first = side_body_.begin() + side_first_[c];
        const auto last = side_body_.begin() + side_first_[c + 1];
        return std::find(first, last, a) != last && std::find(first, last, b) != last;
    }
    int32_t sides_of(int32_t column) const {
        const int32_t c = order_tie_[(size_t)column] - w_.bond_count;
        return c < 0 ? 2 : side_first_[(size_t)c + 1] - side_first_[(size_t)c];
    }
    void check_order() {
        const size_t count = order_tie_.size(), blocks = order_row_.size();
        bool fits = order_first_.size() == count + 1 && update_first_.size() == count + 1 &&
                    order_first_[0] == 0 && (size_t)order_first_[count] == blocks &&
                    update_first_[0] == 0 && (size_t)update_first_[count] == update_.size() &&
                    pieces_.size() % 4 == 0;
        for (int32_t j : order_tie_) fits = fits && j >= 0 && j < w_.tie_count;
        for (int32_t c : order_row_) fits = fits && c >= 0 && (size_t)c < count;
        for (size_t c = 0; fits && c < count; ++c) {
            const int64_t n = order_first_[c + 1] - order_first_[c];
            fits = n >= 0 && update_first_[c + 1] - update_first_[c] == n * (n + 1) / 2;
        }
        for (int32_t to : update_)
            fits = fits && (to < 0 ? (size_t)(-1 - (int64_t)to) < count : (size_t)to < blocks);
        for (size_t i = 0; fits && i < pieces_.size(); i += 4)
            fits = pieces_[i] >= 0 && (size_t)pieces_[i] < blocks && pieces_[i + 3] >= 0 &&
                   (size_t)pieces_[i + 3] < count && pieces_[i + 1] >= 0 &&
                   pieces_[i + 1] < sides_of(order_row_[(size_t)pieces_[i]]) &&
                   pieces_[i + 2] >= 0 && pieces_[i + 2] < sides_of(pieces_[i + 3]);
        fits = fits && sweep_.size() % 3 == 0;
        for (size_t i = 0; fits && i < sweep_.size(); i += 3)
            fits = sweep_[i] >= 0 && sweep_[i] < w_.bond_count && (sweep_[i + 1] & ~1) == 0;
        want(fits, "the order");
    }
    void point() {
        w_.body = bodies_.data();
        w_.bond = bonds_.data();
        w_.bond_numbers = bond_numbers_.data();
        w_.axis = axes_.data();
        w_.gravity = gravity_.data();
        w_.curve_first = curve_first_.data();
        w_.curve = curve_.data();
        w_.curve_closed = curve_closed_.data();
        w_.side_first = side_first_.data();
        w_.side_body = side_body_.data();
        impulse::Order& o = w_.order;
        o.count = (int32_t)order_tie_.size();
        o.tie = order_tie_.data();
        o.first = order_first_.data();
        o.row = order_row_.data();
        o.block_count = (int32_t)order_row_.size();
        o.update_first = update_first_.data();
        o.update = update_.data();
        o.piece_count = (int32_t)(pieces_.size() / 4);
        o.piece = pieces_.data();
        o.sweep_count = (int32_t)(sweep_.size() / 3);
        o.sweep = sweep_.data();
    }

    impulse::World& w_;
    std::vector<double> bodies_;
    std::vector<int32_t> bonds_;
    std::vector<double> bond_numbers_, axes_, gravity_;
    std::vector<int32_t> curve_first_;
    std::vector<double> curve_;
    std::vector<int32_t> curve_closed_, order_tie_, order_first_, order_row_, update_first_,
        update_, pieces_, sweep_;
    std::vector<int32_t> model_ints_;
    std::vector<double> model_reals_;
    std::vector<int32_t> side_first_, side_body_;
    Model model_{};
};

}  // namespace kinegen::python
