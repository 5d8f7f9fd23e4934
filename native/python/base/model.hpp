// The model in two borrowed blocks, checked.
#pragma once

#include "kernel/base/model.hpp"
#include "kernel/base/tree.hpp"
#include "python/border/arrays.hpp"

namespace kinegen::python {

inline Model model_in(const Borrowed& ints, const Borrowed& reals) {
    Model m;
    if (!ints.holds<int32_t>() || !reals.holds<double>() ||
        bind_model(ints.data<int32_t>(), ints.size(), reals.data<double>(), reals.size(), m) != OK)
        raise_usage("the blocks are not a model of this version of the kernels");
    std::vector<int32_t> marks((size_t)m.link_count);
    if (!is_tree(m, marks.data())) raise_usage("the links of the model do not form a tree");
    return m;
}

}  // namespace kinegen::python
