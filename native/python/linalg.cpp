// The small linear algebra for Python; signatures as in kernels/reference/linalg/linalg.py.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "kernel/linalg/ldlt.hpp"
#include "kernel/linalg/qr.hpp"
#include "kernel/linalg/svd.hpp"
#include "python/border/arrays.hpp"

using namespace kinegen;
using namespace kinegen::python;

namespace {

typedef std::vector<double> Numbers;

// A matrix copied from Python.
struct Matrix {
    int32_t m, n;
    Numbers a;

    Matrix(nb::handle object, const char* name) {
        const Borrowed array(object, name);
        const double* from = array.data<double>({-1, -1});
        m = (int32_t)array.shape(0);
        n = (int32_t)array.shape(1);
        a.assign(from, from + array.size());
    }
};

void check_finite(int32_t result, const char* name) {
    if (result == NOT_FINITE) raise_usage(std::string(name) + " contains NaN or infinity");
}

void check_rows(const Matrix& B, int32_t rows) {
    if (B.m != rows)
        raise_usage("B must have " + std::to_string(rows) + " rows, has " + std::to_string(B.m));
    check_finite(largest(B.a.data(), (int64_t)B.a.size()) < 0 ? NOT_FINITE : 0, "B");
}

// A matrix of Python and its factorisation.
struct Qr : Matrix {
    Numbers tau, tau_z;
    std::vector<int32_t> perm;
    int32_t rank;

    Qr(nb::handle A, double tolerance)
        : Matrix(A, "A"), tau((size_t)std::min(m, n)), perm((size_t)n) {
        Numbers scratch(3 * (size_t)n);
        rank = qr_factor(a.data(), m, n, tolerance, tau.data(), perm.data(), scratch.data());
        check_finite(rank, "A");
    }
    void complete() {
        tau_z.resize((size_t)rank);
        qr_complete(a.data(), n, rank, tau_z.data());
    }
    nb::tuple solve(nb::handle right) {
        Matrix B(right, "B");
        check_rows(B, m);
        Numbers X((size_t)n * B.n), scratch(((size_t)n + 1) * B.n);
        qr_solve(a.data(), m, n, rank, tau.data(), tau_z.empty() ? nullptr : tau_z.data(),
                 perm.data(), B.a.data(), B.n, X.data(), scratch.data());
        return nb::make_tuple(new_array(std::move(X), {(size_t)n, (size_t)B.n}), rank);
    }
};

nb::tuple py_qr_factor(nb::handle A, double tolerance) {
    Qr f(A, tolerance);
    const size_t k = (size_t)std::min(f.m, f.n);
    Numbers R(k * f.n), Q((size_t)f.m * k), scratch(k);
    for (size_t i = 0; i < k; ++i) {
        std::copy_n(&f.a[i * f.n + i], f.n - i, &R[i * f.n + i]);
        Q[i * k + i] = 1;
    }
    qr_apply_q(f.a.data(), f.m, f.n, f.rank, f.tau.data(), Q.data(), (int32_t)k, scratch.data());
    return nb::make_tuple(new_array(std::move(Q), {(size_t)f.m, k}),
                          new_array(std::move(R), {k, (size_t)f.n}),
                          new_array(std::move(f.perm), {(size_t)f.n}), f.rank);
}

nb::tuple py_qr_solve(nb::handle A, nb::handle B, double tolerance) {
    return Qr(A, tolerance).solve(B);
}

nb::tuple py_qr_solve_minimum_norm(nb::handle A, nb::handle B, double tolerance) {
    Qr f(A, tolerance);
    f.complete();
    return f.solve(B);
}

nb::object py_qr_null_space(nb::handle A, double tolerance) {
    Qr f(A, tolerance);
    f.complete();
    const size_t p = (size_t)(f.n - f.rank);
    Numbers N(f.n * p), scratch(((size_t)f.n + 1) * p);
    qr_null_space(f.a.data(), f.n, f.rank, f.tau_z.data(), f.perm.data(), N.data(), scratch.data());
    return new_array(std::move(N), {(size_t)f.n, p});
}

struct Ldlt : Matrix {
    std::vector<int32_t> perm;
    int32_t rank, failed;

    Ldlt(nb::handle A, double tolerance) : Matrix(A, "A"), perm((size_t)n) {
        if (m != n)
            raise_usage("A must be square, is " + std::to_string(m) + " by " + std::to_string(n));
        rank = ldlt_factor(a.data(), n, tolerance, perm.data(), failed);
        check_finite(rank, "A");
    }
};

nb::tuple py_ldlt_factor(nb::handle A, double tolerance) {
    Ldlt f(A, tolerance);
    const size_t n = (size_t)f.n;
    Numbers L(n * n), D(n);
    for (size_t i = 0; i < n; ++i) {
        std::copy_n(&f.a[i * n], i, &L[i * n]);
        L[i * n + i] = 1;
        D[i] = f.a[i * n + i];
    }
    return nb::make_tuple(new_array(std::move(L), {n, n}), new_array(std::move(D), {n}),
                          new_array(std::move(f.perm), {n}), f.rank, f.failed);
}

nb::tuple py_ldlt_solve(nb::handle A, nb::handle right, double tolerance) {
    Ldlt f(A, tolerance);
    Matrix B(right, "B");
    check_rows(B, f.n);
    Numbers scratch(B.a.size());
    ldlt_solve(f.a.data(), f.n, f.rank, f.perm.data(), B.a.data(), B.n, scratch.data());
    return nb::make_tuple(new_array(std::move(B.a), {(size_t)f.n, (size_t)B.n}), f.rank, f.failed);
}

// The transpose of a matrix stored row by row.
Numbers transposed(const Numbers& a, size_t rows, size_t columns) {
    Numbers out(a.size());
    for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < columns; ++j) out[j * rows + i] = a[i * columns + j];
    return out;
}

nb::tuple py_svd_factor(nb::handle A, nb::object start) {
    const Matrix f(A, "A");
    const size_t k = (size_t)std::min(f.m, f.n), l = (size_t)std::max(f.m, f.n);
    Numbers G(k * k), W(k * l), s(k), scratch(k);
    if (!start.is_none()) {
        const Borrowed given(start, "start");
        const double* from = given.data<double>({(int64_t)k, (int64_t)k});
        G = transposed(Numbers(from, from + k * k), k, k);
    }
    const int32_t sweeps = svd_factor(f.a.data(), f.m, f.n, !start.is_none(), G.data(), W.data(),
                                      s.data(), scratch.data());
    check_finite(sweeps, "A");
    nb::object short_side = new_array(transposed(G, k, k), {k, k});
    nb::object long_side = new_array(transposed(W, k, l), {l, k});
    if (f.m > f.n) std::swap(short_side, long_side);
    return nb::make_tuple(short_side, new_array(std::move(s), {k}), long_side, sweeps);
}

}  // namespace

void bind_linalg(nb::module_& module) {
    using nb::arg;
    module.def("qr_factor", py_qr_factor, arg("A"), arg("tolerance") = -1.0);
    module.def("qr_solve", py_qr_solve, arg("A"), arg("B"), arg("tolerance") = -1.0);
    module.def("qr_solve_minimum_norm", py_qr_solve_minimum_norm, arg("A"), arg("B"),
               arg("tolerance") = -1.0);
    module.def("qr_null_space", py_qr_null_space, arg("A"), arg("tolerance") = -1.0);
    module.def("ldlt_factor", py_ldlt_factor, arg("A"), arg("tolerance") = -1.0);
    module.def("ldlt_solve", py_ldlt_solve, arg("A"), arg("B"), arg("tolerance") = -1.0);
    module.def("svd_factor", py_svd_factor, arg("A"), arg("start") = nb::none());
}
