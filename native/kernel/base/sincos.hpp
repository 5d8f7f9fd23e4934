// Sine and cosine of several angles at once, without a branch.
//
// x is reduced to r in [-pi/2, pi/2] by n = round(x / pi); sin x and cos x are those of r, both
// times (-1)^n: no exchange of the two by quadrant. pi is subtracted in parts that have so few bits
// that n times a part is exact (Cody and Waite 1980). The polynomials are minimax in absolute error
// on that interval, found by the exchange method of Remez with 60 digits:
//   double: sin 1.1e-16, cos 4e-18; float: sin 4.6e-9, cos 2.4e-10 (before rounding).
#pragma once

#include "kernel/base/lanes.hpp"

namespace kinegen {
namespace KINEGEN_ISA {

template <class T>
struct SinCos;

template <>
struct SinCos<double> {
    static constexpr double LIMIT = 1e5;  // beyond it n has too many bits for an exact product
    static constexpr double PI_PARTS[2] = {3.1415926534682512, 1.2154201013012384e-10};
    static constexpr double ROUNDER = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds
    static constexpr double SIN[7] = {-0.16666666666665814,    0.00833333333326291,
                                      -0.0001984126982010152,  2.7557316077799116e-06,
                                      -2.5051851540403735e-08, 1.6047302364524496e-10,
                                      -7.36465870183724e-13};
    static constexpr double COS[8] = {-0.49999999999999983,    0.04166666666666437,
                                      -0.0013888888888785643,  2.4801587279147532e-05,
                                      -2.7557316525096196e-07, 2.0876567734686e-09,
                                      -1.146303921137664e-11,  4.610292565838201e-14};
};

template <>
struct SinCos<float> {
    static constexpr float LIMIT = 8192;
    static constexpr float PI_PARTS[3] = {3.140625f, 0.0009675025939941406f, 1.5099580e-07f};
    static constexpr float ROUNDER = 12582912.0f;  // 1.5 * 2^23
    static constexpr float SIN[4] = {-0.16666657f, 0.008333017f, -0.00019806616f, 2.6000569e-06f};
    static constexpr float COS[5] = {-0.5f, 0.04166664f, -0.0013888404f, 2.4761885e-05f,
                                     -2.6077086e-07f};
};

template <class T, int N>
KINEGEN_INLINE typename Lane<T>::V polynomial(const T (&c)[N], typename Lane<T>::V x) {
    typename Lane<T>::V sum = all<T>(c[N - 1]);
    for (int i = N - 2; i >= 0; --i) sum = sum * x + c[i];
    return sum;
}

// For |x| up to SinCos<T>::LIMIT; NaN and infinity give NaN.
template <class T>
KINEGEN_INLINE void sincos(typename Lane<T>::V x, typename Lane<T>::V& s, typename Lane<T>::V& c) {
    typedef typename Lane<T>::V V;
    typedef SinCos<T> K;
    const V shifted = x * (T)0.3183098861837907 + K::ROUNDER;
    const V n = shifted - K::ROUNDER;
    V r = x;
    for (T part : K::PI_PARTS) r = r - n * part;
    const V z = r * r;
    const V sin_r = r + (r * z) * polynomial<T>(K::SIN, z);
    const V cos_r = z * polynomial<T>(K::COS, z) + (T)1;
    // the last bit of n, moved to the place of the sign
    const typename Lane<T>::B sign = to_bits(shifted) << (WORD_BITS<T> - 1);
    s = from_bits(to_bits(sin_r) ^ sign);
    c = from_bits(to_bits(cos_r) ^ sign);
}

// For any x, one lane after the other.
template <class T>
inline void sincos_wide(typename Lane<T>::V x, typename Lane<T>::V& s, typename Lane<T>::V& c) {
    s = c = all<T>(0);
    for (int i = 0; i < WIDTH<T>; ++i) {
        s[i] = (T)::sin((double)x[i]);
        c[i] = (T)::cos((double)x[i]);
    }
}

}  // namespace KINEGEN_ISA
}  // namespace kinegen
