// URDF texts as links, joints and shapes: the fast way for files without faults.
//
// It does what formats/robots/read/urdf_reader/urdf.py does, which is its specification. Whatever
// that one would report as a fault, and what is rare, is declined here: then the file is read
// there.
#pragma once

#include <math.h>

#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "robots/numbers.hpp"
#include "robots/transform.hpp"
#include "robots/xml.hpp"

namespace kinegen {

struct UrdfPose {
    bool is_given = false;  // else the identity
    RobotTransform X{};
};

enum class UrdfForm { BOX, CYLINDER, CAPSULE, SPHERE, MESH };

struct UrdfShape {
    UrdfForm form{};
    int size_count = 0;
    double sizes[3] = {1, 1, 1};  // a mesh: its scale
    std::string_view mesh;
    UrdfPose pose;
    int32_t color = -1;  // 0xrrggbb
    uint32_t offset = 0;
    bool is_collision = false;
};

struct UrdfLink {
    std::string_view name;
    uint32_t offset = 0;
    double mass = 0, inertia[6] = {};
    UrdfPose centre;
    uint32_t first_shape = 0, shape_count = 0;
};

enum class UrdfKind { HINGE, SLIDER, FIXED, FREE, PLANAR, BALL };

struct UrdfJoint {
    std::string_view name, parent, child, mimic;
    uint32_t offset = 0;
    UrdfKind kind{};
    UrdfPose pose;
    double axis[3] = {1, 0, 0};
    bool has_limits = false, has_mimic = false;
    double lower = 0, upper = 0, effort = 0, speed = 0;  // effort, speed, gear: 0 for none
    double damping = 0, friction = 0, ratio = 1, mimic_offset = 0, gear = 0;
    std::string_view mode;
};

// What is not carried over.
struct UrdfRemark {
    enum Kind { UNKNOWN, NO_LIMIT, NO_BOUNDS } kind;
    uint32_t offset;
    std::string_view first, second;  // tag and where it stands; joint and its type
    int count = 1;
};

class UrdfReader {
public:
    XmlDocument document;
    std::string_view name;
    std::vector<UrdfLink> links;
    std::vector<UrdfShape> shapes;
    std::vector<UrdfJoint> joints;
    std::vector<UrdfRemark> remarks;

    // Whether the text was read; it must outlive the reader.
    bool read(std::string_view text) {
        if (!document.read(text)) return false;
        const XmlElement& root = document.elements[0];
        if (root.tag != "robot") return false;
        const std::string_view* given = document.get(root, "name");
        name = given ? *given : std::string_view();
        return materials(root) && all(root, "link", &UrdfReader::link) &&
               all(root, "joint", &UrdfReader::joint) &&
               all(root, "transmission", &UrdfReader::transmission) && !links.empty();
    }

private:
    using View = std::string_view;
    using Element = const XmlElement&;

    std::unordered_map<View, int32_t> colors_;
    std::unordered_set<View> names_;
    std::unordered_map<View, size_t> joints_;
    std::map<std::pair<View, View>, size_t> unknown_;

    template <class Visit>
    bool each(Element parent, Visit visit) {
        const XmlElement* one = document.first_child(parent);
        for (; one; one = document.next(parent, *one))
            if (!visit(*one)) return false;
        return true;
    }

    bool all(Element root, View tag, bool (UrdfReader::*part)(Element)) {
        return each(root, [&](Element one) { return one.tag != tag || (this->*part)(one); });
    }

    bool materials(Element root) {
        return each(root, [&](Element one) {
            int32_t color;
            if (one.tag == "material") return material(one, color);
            if (one.tag == "kinegen") return false;
            if (one.tag != "link" && one.tag != "joint" && one.tag != "transmission")
                unknown(one, "robot");
            return true;
        });
    }

    void unknown(Element element, View inside) {
        for (const View tag : {"verbose", "name", "group_name", "old", "version"})
            if (element.tag == tag) return;
        const auto [at, is_new] = unknown_.try_emplace({element.tag, inside}, remarks.size());
        if (is_new)
            remarks.push_back({UrdfRemark::UNKNOWN, element.offset, element.tag, inside});
        else
            ++remarks[at->second].count;
    }

    bool link(Element element) {
        UrdfLink made;
        if (!new_name(element, made.name) || !names_.insert(made.name).second) return false;
        made.offset = element.offset;
        made.first_shape = (uint32_t)shapes.size();
        const bool is_read = each(element, [&](Element one) {
            if (one.tag == "inertial") return inertial(one, made);
            if (one.tag == "visual" || one.tag == "collision") return body(one);
            unknown(one, "link");
            return true;
        });
        made.shape_count = (uint32_t)shapes.size() - made.first_shape;
        links.push_back(made);
        return is_read;
    }

    bool inertial(Element element, UrdfLink& made) {
        made.centre = {};
        if (!origin(element, made.centre)) return false;
        const XmlElement* mass = document.find(element, "mass");
        const XmlElement* inertia = document.find(element, "inertia");
        if (mass && (!number(*mass, "value", 0, made.mass) || made.mass < 0)) return false;
        if (!inertia) return true;
        constexpr View KEYS[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
        for (int i = 0; i < 6; ++i)
            if (!number(*inertia, KEYS[i], 0, made.inertia[i])) return false;
        return true;
    }

    bool body(Element element) {
        const XmlElement* geometry = document.find(element, "geometry");
        const XmlElement* form = geometry ? document.first_child(*geometry) : nullptr;
        if (!form) return false;
        UrdfShape made;
        made.offset = form->offset;
        made.is_collision = element.tag == "collision";
        const View tag = form->tag;
        if (tag == "box") {
            made.form = UrdfForm::BOX;
            made.size_count = 3;
            if (!numbers(*form, "size", 3, made.sizes)) return false;
        } else if (tag == "cylinder" || tag == "capsule") {
            made.form = tag == "cylinder" ? UrdfForm::CYLINDER : UrdfForm::CAPSULE;
            made.size_count = 2;
            if (!number(*form, "radius", 1, made.sizes[0])) return false;
            if (!number(*form, "length", 1, made.sizes[1])) return false;
        } else if (tag == "sphere") {
            made.form = UrdfForm::SPHERE;
            made.size_count = 1;
            if (!number(*form, "radius", 1, made.sizes[0])) return false;
        } else if (tag == "mesh") {
            made.form = UrdfForm::MESH;
            const View* file = document.get(*form, "filename");
            made.mesh = file ? *file : View();
            if (!numbers(*form, "scale", 3, made.sizes)) return false;
            for (const double one : made.sizes)
                if (one == 0) return false;
        } else {
            unknown(*form, "geometry");
            return true;
        }
        if (!origin(element, made.pose)) return false;
        const XmlElement* given = document.find(element, "material");
        if (given && !material(*given, made.color)) return false;
        shapes.push_back(made);
        return true;
    }

    // The colour of a material, kept under its name.
    bool material(Element element, int32_t& out) {
        const View* given = document.get(element, "name");
        const View called = given ? *given : View("");
        const XmlElement* color = document.find(element, "color");
        if (color) {
            double rgba[4] = {0.5, 0.5, 0.5, 1};
            if (!numbers(*color, "rgba", 4, rgba)) return false;
            int32_t made = 0;
            for (int i = 0; i < 3; ++i)
                made = made << 8 | (int32_t)nearbyint(255 * fmin(1, fmax(0, rgba[i])));
            colors_[called] = made;
        }
        each(element, [&](Element one) {
            if (one.tag != "color") unknown(one, "material");
            return true;
        });
        const auto found = colors_.find(called);
        out = found == colors_.end() ? -1 : found->second;
        return true;
    }

    bool joint(Element element) {
        UrdfJoint made;
        made.offset = element.offset;
        if (!new_name(element, made.name) || joints_.contains(made.name)) return false;
        const View* type = document.get(element, "type");
        if (!type || !kind_of(*type, made.kind)) return false;
        if (!end(element, "parent", made.parent) || !end(element, "child", made.child))
            return false;
        if (!origin(element, made.pose) || !axis(element, made)) return false;
        if (!limit(element, *type, made)) return false;
        if (const XmlElement* dynamics = document.find(element, "dynamics")) {
            if (!number(*dynamics, "damping", 0, made.damping)) return false;
            if (!number(*dynamics, "friction", 0, made.friction)) return false;
        }
        if (const XmlElement* mimic = document.find(element, "mimic")) {
            const View* leader = document.get(*mimic, "joint");
            made.has_mimic = true;
            made.mimic = leader ? *leader : View("");
            if (!number(*mimic, "multiplier", 1, made.ratio)) return false;
            if (!number(*mimic, "offset", 0, made.mimic_offset)) return false;
        }
        each(element, [&](Element one) {
            bool is_known = false;
            for (const View tag :
                 {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"})
                is_known |= one.tag == tag;
            if (!is_known) unknown(one, "joint");
            return true;
        });
        joints_.emplace(made.name, joints.size());
        joints.push_back(made);
        return true;
    }

    static bool kind_of(View type, UrdfKind& out) {
        constexpr std::pair<View, UrdfKind> KINDS[] = {
            {"revolute", UrdfKind::HINGE},   {"continuous", UrdfKind::HINGE},
            {"prismatic", UrdfKind::SLIDER}, {"fixed", UrdfKind::FIXED},
            {"floating", UrdfKind::FREE},    {"planar", UrdfKind::PLANAR},
            {"spherical", UrdfKind::BALL}};
        for (const auto& [known, kind] : KINDS)
            if (known == type) {
                out = kind;
                return true;
            }
        return false;
    }

    bool end(Element element, View tag, View& out) {
        const XmlElement* found = document.find(element, tag);
        const View* given = found ? document.get(*found, "link") : nullptr;
        if (!given || !names_.contains(*given)) return false;
        out = *given;
        return true;
    }

    bool axis(Element element, UrdfJoint& made) {
        const XmlElement* found = document.find(element, "axis");
        if (found && !numbers(*found, "xyz", 3, made.axis)) return false;
        const double x = made.axis[0], y = made.axis[1], z = made.axis[2];
        const double length = sqrt(x * x + y * y + z * z);
        if (length == 0) {
            if (made.kind == UrdfKind::HINGE || made.kind == UrdfKind::SLIDER) return false;
            made.axis[0] = made.axis[1] = 0, made.axis[2] = 1;
            return true;
        }
        for (double& one : made.axis) one /= length;
        return true;
    }

    bool limit(Element element, View type, UrdfJoint& made) {
        const XmlElement* found = document.find(element, "limit");
        if (!found) {
            if (type == "revolute" || made.kind == UrdfKind::SLIDER)
                remarks.push_back({UrdfRemark::NO_LIMIT, element.offset, made.name, type});
            return true;
        }
        if (!number(*found, "effort", 0, made.effort)) return false;
        if (!number(*found, "velocity", 0, made.speed)) return false;
        const bool is_limited = made.kind == UrdfKind::HINGE || made.kind == UrdfKind::SLIDER;
        if (type == "continuous" || !is_limited) return true;
        if (!number(*found, "lower", 0, made.lower)) return false;
        if (!number(*found, "upper", 0, made.upper)) return false;
        if (made.lower > made.upper) return false;
        if (made.lower == 0 && made.upper == 0 && !document.get(*found, "lower") &&
            !document.get(*found, "upper"))
            remarks.push_back({UrdfRemark::NO_BOUNDS, found->offset, made.name, type});
        else
            made.has_limits = true;
        return true;
    }

    // The gear of a joint's motor, and what its targets set.
    bool transmission(Element element) {
        const View* called = nullptr;
        int count = 0;
        each(element, [&](Element one) {
            if (one.tag == "joint") {
                called = document.get(one, "name");
                ++count;
            }
            return true;
        });
        const auto found = joints_.find(called ? *called : View(""));
        if (count != 1 || found == joints_.end()) {
            unknown(element, "robot");
            return true;
        }
        UrdfJoint& made = joints[found->second];
        if (const XmlElement* gear = document.find_inside(element, "mechanicalReduction")) {
            double value;
            if (!gear->is_text_whole || !read_numbers(gear->text, 1, &value) || value == 0)
                return false;
            made.gear = fabs(value) == 1 ? 0 : fabs(value);
        }
        made.mode = {};
        if (const XmlElement* given = document.find_inside(element, "hardwareInterface")) {
            View text = given->text;
            for (const char c : text)
                if (!given->is_text_whole || (unsigned char)c >= 0x80) return false;
            text = text.substr(text.rfind('/') + 1);
            while (!text.empty() && XmlDocument::is_space(text.back())) text.remove_suffix(1);
            while (!text.empty() && XmlDocument::is_space(text.front())) text.remove_prefix(1);
            if (text.ends_with("JointInterface")) text.remove_suffix(14);
            constexpr std::pair<View, View> MODES[] = {
                {"Position", "position"}, {"Velocity", "velocity"}, {"Effort", "torque"}};
            for (const auto& [word, mode] : MODES)
                if (text == word) made.mode = mode;
        }
        return true;
    }

    bool new_name(Element element, View& out) {
        const View* given = document.get(element, "name");
        if (!given || given->empty()) return false;
        out = *given;
        return true;
    }

    bool origin(Element element, UrdfPose& out) {
        const XmlElement* found = document.find(element, "origin");
        if (!found) return true;
        double xyz[3] = {}, rpy[3] = {};
        if (!numbers(*found, "xyz", 3, xyz) || !numbers(*found, "rpy", 3, rpy)) return false;
        for (int i = 0; i < 3; ++i) out.is_given |= xyz[i] != 0 || rpy[i] != 0;
        if (out.is_given) out.X = robot_from_rpy(xyz, rpy);
        return true;
    }

    bool number(Element element, View key, double otherwise, double& out) {
        out = otherwise;
        return numbers(element, key, 1, &out);
    }

    // Values that are not given stay as they are.
    bool numbers(Element element, View key, int count, double* out) {
        const View* text = document.get(element, key);
        return !text || read_numbers(*text, count, out);
    }
};

}  // namespace kinegen
