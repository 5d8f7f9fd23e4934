// Contacts of the impulse engine for Python: found between shapes, or given.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "python/contact/shapes.hpp"
#include "python/impulse/world.hpp"

namespace kinegen::python {

class ImpulseContacts {
public:
    explicit ImpulseContacts(impulse::World& world) : w_(world) {}
    ImpulseContacts(const ImpulseContacts&) = delete;
    ImpulseContacts& operator=(const ImpulseContacts&) = delete;

    bool are_found() const { return shapes_ != nullptr; }
    const std::vector<int32_t>& pairs() const { return touches_; }
    const std::vector<double>& numbers() const { return touch_numbers_; }

    // Lets bodies touch in all steps from now on: shapes, the body of each link and where the link
    // is on it (n × 12), how far the shapes of each link reach from its origin, and the least
    // distance from which on they count.
    void touch(const nb::tuple& arrays, nb::handle bodies, nb::handle X_BL, nb::handle reach,
               double margin) {
        std::unique_ptr<OwnShapes> made = shapes_from(arrays);
        const size_t links = (size_t)made->shapes.link_count;
        link_body_ = copied<int32_t>(bodies, "bodies");
        X_BL_ = copied<double>(X_BL, "X_BL");
        reach_ = copied<double>(reach, "reach");
        want(link_body_.size() == links && X_BL_.size() == TRANSFORM_SIZE * links &&
                 reach_.size() == links,
             "links");
        for (int32_t b : link_body_) want(is_body(w_, b), "links");
        X_WL_.assign(TRANSFORM_SIZE * links, 0);
        margin_ = margin;
        shapes_ = std::move(made);
    }
    // Contacts that are given: kind and two bodies each, and their numbers.
    void set(nb::handle touches, nb::handle numbers) {
        std::vector<int32_t> pairs = copied<int32_t>(touches, "touches");
        std::vector<double> values = copied<double>(numbers, "touch_numbers");
        const size_t count = pairs.size() / 3;
        want(pairs.size() == 3 * count && values.size() == count * impulse::TOUCH_SIZE, "touches");
        for (size_t i = 0; i < count; ++i)
            want((pairs[3 * i] == 0 || pairs[3 * i] == 1) && is_body(w_, pairs[3 * i + 1]) &&
                     is_body(w_, pairs[3 * i + 2]),
                 "touches");
        touches_ = std::move(pairs);
        touch_numbers_ = std::move(values);
        point();
    }
    // Contacts where the bodies are now: each is a point of one body before a plane of the other.
    void find() {
        Shapes& s = shapes_->shapes;
        double fastest = 0;
        for (int32_t link = 0; link < s.link_count; ++link) {
            const double *X = w_.X + 12LL * link_body_[(size_t)link],
                         *V = w_.V + 6LL * link_body_[(size_t)link],
                         *X_BL = X_BL_.data() + TRANSFORM_SIZE * (int64_t)link;
            double* X_WL = X_WL_.data() + TRANSFORM_SIZE * (int64_t)link;
            compose(X, X_BL, X_WL);
            const double far = reach_[(size_t)link] + sqrt(dot3(X_BL + 9, X_BL + 9));
            if (link > 0)
                fastest = larger(fastest, sqrt(dot3(V, V)) + far * sqrt(dot3(V + 3, V + 3)));
        }
        place_shapes(s, X_WL_.data());
        const ContactList& list = shapes_->find(larger(margin_, 2 * w_.step * fastest));
        const size_t count = (size_t)list.count;
        touches_.resize(3 * count);
        touch_numbers_.assign(count * impulse::TOUCH_SIZE, 0);
        for (size_t i = 0; i < count; ++i) {
            const int32_t one = list.shapes[2 * i], other = list.shapes[2 * i + 1];
            const double *n = list.normals + 3 * i, *p = list.points + 3 * i;
            // the second shape's body is pushed along the normal
            const int32_t a = link_body_[(size_t)s.link(other)],
                          b = link_body_[(size_t)s.link(one)];
            double* numbers = touch_numbers_.data() + i * impulse::TOUCH_SIZE;
            touches_[3 * i] = 0;
            touches_[3 * i + 1] = a;
            touches_[3 * i + 2] = b;
            double on_a[3], on_b[3], surface[4];
            for (int k = 0; k < 3; ++k) {
                on_a[k] = p[k] + 0.5 * list.distances[i] * n[k];
                on_b[k] = p[k] - 0.5 * list.distances[i] * n[k];
            }
            to_shape(w_.X + 12LL * a, on_a, numbers);
            to_shape(w_.X + 12LL * b, on_b, numbers + 4);
            rotate_back(w_.X + 12LL * b, n, numbers + 7);
            join_surfaces(s.surfaces + SURFACE_SIZE * (int64_t)one,
                          s.surfaces + SURFACE_SIZE * (int64_t)other, surface);
            numbers[11] = surface[0];
            numbers[12] = surface[1];
            numbers[13] = surface[2];
            numbers[14] = surface[3];
        }
        point();
    }

private:
    void point() {
        w_.touch_count = (int32_t)(touches_.size() / 3);
        w_.touch = touches_.data();
        w_.touch_numbers = touch_numbers_.data();
    }

    impulse::World& w_;
    std::unique_ptr<OwnShapes> shapes_;
    std::vector<int32_t> link_body_, touches_;
    std::vector<double> X_BL_, X_WL_, reach_, touch_numbers_;
    double margin_ = 0;
};

}  // namespace kinegen::python
