// Generated from src/kinegen/joint_types.py; do not edit.
// To make it again: make tables
// clang-format off
#pragma once

#include <stdint.h>

namespace kinegen {

enum JointType : int32_t {
    REVOLUTE = 0,
    PRISMATIC = 1,
    SCREW = 2,
    CYLINDRICAL = 3,
    UNIVERSAL = 4,
    SPHERICAL = 5,
    PLANAR = 6,
    FREE = 7,
    FIXED = 8,
};
constexpr int32_t JOINT_TYPE_COUNT = 9;
constexpr int32_t JOINT_NQ[JOINT_TYPE_COUNT] = {1, 1, 1, 2, 2, 4, 3, 7, 0};
constexpr int32_t JOINT_NV[JOINT_TYPE_COUNT] = {1, 1, 1, 2, 2, 3, 3, 6, 0};
// whether q begins with a quaternion
constexpr bool JOINT_QUATERNION[JOINT_TYPE_COUNT] = {false, false, false, false, false, true, false, true, false};
// whether a variable slides
constexpr bool JOINT_LENGTH[JOINT_TYPE_COUNT][6] = {
    {false, false, false, false, false, false},
    {true, false, false, false, false, false},
    {false, false, false, false, false, false},
    {false, true, false, false, false, false},
    {false, false, false, false, false, false},
    {false, false, false, false, false, false},
    {true, true, false, false, false, false},
    {true, true, true, false, false, false},
    {false, false, false, false, false, false},
};

}  // namespace kinegen
