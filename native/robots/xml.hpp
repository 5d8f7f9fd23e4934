// XML texts as a flat list of elements, for readers that need speed.
//
// It reads what nearly all robot files consist of: elements, attributes, comments, plain text and
// the five named entities. Anything else (a document type, processing instructions, CDATA,
// numbered characters, unusual names, unsound text) is declined: the caller then uses a full
// parser, which reads it or says what is wrong. So this one has no messages, and is strict.
#pragma once

#include <stdint.h>
#include <string.h>

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinegen {

struct XmlAttribute {
    std::string_view name, value;
};

// An element; those in it follow it in the list, up to `end`.
struct XmlElement {
    std::string_view tag, text;     // text: up to the first child
    uint32_t offset = 0;            // of its '<'
    uint32_t first = 0, count = 0;  // attributes
    uint32_t end = 0;               // one past the last element in it
    bool is_text_whole = true;      // no comment interrupts it, and it has no entities
};

class XmlDocument {
public:
    std::vector<XmlElement> elements;

    // Whether the text was read; it must outlive the document.
    bool read(std::string_view text) {
        if (text.size() >= UINT32_MAX || !has_only_characters(text)) return false;
        text_ = text;
        elements.reserve(text.size() / 48 + 4);
        attributes_.reserve(text.size() / 40 + 4);
        size_t at = 0;
        while (true) {
            const size_t begin = text.find('<', at);
            if (!is_plain(text.substr(at, begin == text.npos ? text.npos : begin - at)))
                return false;
            if (begin == text.npos) break;
            at = begin;
            const std::string_view rest = text.substr(begin);
            if (rest.starts_with("<!--")) {
                if (!comment(at)) return false;
            } else if (rest.starts_with("<?")) {
                if (!declaration(at)) return false;
            } else if (rest.starts_with("</")) {
                if (!end_tag(at)) return false;
            } else if (!start_tag(at)) {
                return false;
            }
        }
        return open_.empty() && !elements.empty();
    }

    // An attribute's value, or null.
    const std::string_view* get(const XmlElement& element, std::string_view name) const {
        for (uint32_t i = element.first; i < element.first + element.count; ++i)
            if (attributes_[i].name == name) return &attributes_[i].value;
        return nullptr;
    }

    // The first child of this name, or null.
    const XmlElement* find(const XmlElement& element, std::string_view tag) const {
        for (const XmlElement* one = first_child(element); one; one = next(element, *one))
            if (one->tag == tag) return one;
        return nullptr;
    }

    // The first element of this name anywhere inside, or null.
    const XmlElement* find_inside(const XmlElement& element, std::string_view tag) const {
        for (uint32_t i = index(element) + 1; i < element.end; ++i)
            if (elements[i].tag == tag) return &elements[i];
        return nullptr;
    }

    const XmlElement* first_child(const XmlElement& element) const {
        const uint32_t i = index(element) + 1;
        return i < element.end ? &elements[i] : nullptr;
    }
    const XmlElement* next(const XmlElement& parent, const XmlElement& child) const {
        return child.end < parent.end ? &elements[child.end] : nullptr;
    }

    static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

private:
    static constexpr uint32_t MOST_ATTRIBUTES = 64;  // compared with each other

    std::string_view text_;
    std::vector<XmlAttribute> attributes_;
    std::vector<uint32_t> open_;
    std::vector<std::pair<std::string_view, std::string_view>> prefixes_;  // of the root
    std::deque<std::string> made_;  // strings that are not in the text as they are
    bool has_declaration_ = false;

    uint32_t index(const XmlElement& element) const {
        return (uint32_t)(&element - elements.data());
    }

    // No control characters, and none of the two that are no characters.
    static bool has_only_characters(std::string_view text) {
        bool is_sound = true;
        for (const char c : text) {
            const unsigned char byte = (unsigned char)c;
            is_sound &= byte >= 0x20 || c == '\n' || c == '\t' || c == '\r';
        }
        for (const char* last : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
            is_sound = is_sound && text.find(last) == text.npos;
        return is_sound && !text.starts_with("\xEF\xBB\xBF");
    }

    static bool is_first(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }
    static bool is_name(char c) {
        return is_first(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
    }

    // Text between tags; outside the root there is none.
    bool is_plain(std::string_view text) {
        size_t i = 0;
        while (i < text.size() && is_space(text[i])) ++i;
        if (i == text.size()) return true;
        if (open_.empty() || text.find("]]>") != text.npos) return false;
        for (size_t amp = text.find('&'); amp != text.npos; amp = text.find('&', amp + 1)) {
            if (!entity(text.substr(amp)).second) return false;
            elements[open_.back()].is_text_whole = false;
        }
        return true;
    }

    // The character of a named entity at the beginning, and the length of its name; 0: unknown.
    static std::pair<char, size_t> entity(std::string_view text) {
        constexpr std::pair<std::string_view, char> NAMES[] = {
            {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
        for (const auto& [name, c] : NAMES)
            if (text.starts_with(name)) return {c, name.size()};
        return {0, 0};
    }

    bool comment(size_t& at) {
        const size_t end = text_.find("--", at + 4);
        if (end == text_.npos || !text_.substr(end).starts_with("-->")) return false;
        const std::string_view inside = text_.substr(at, end - at);
        for (const std::string_view odd : {"<!ENTITY", "<?xml"})
            if (inside.find(odd) != inside.npos) return false;
        if (!open_.empty()) {
            XmlElement& parent = elements[open_.back()];
            if (parent.end == 0 && open_.back() + 1 == elements.size()) {
                note_text(parent, at);
                parent.is_text_whole = false;
            }
        }
        at = end + 3;
        return true;
    }

    bool declaration(size_t& at) {
        const std::string_view rest = text_.substr(at);
        if (has_declaration_ || !elements.empty() || !rest.starts_with("<?xml") ||
            rest.size() < 6 || !is_space(rest[5]))
            return false;
        const size_t end = rest.find('>');
        if (end == rest.npos || rest[end - 1] != '?') return false;
        has_declaration_ = true;
        at += end + 1;
        return true;
    }

    bool end_tag(size_t& at) {
        if (open_.empty()) return false;
        XmlElement& element = elements[open_.back()];
        const std::string_view name = raw_name(element);
        const size_t after = at + 2 + name.size();
        if (text_.compare(at + 2, name.size(), name) != 0) return false;
        size_t end = after;
        while (end < text_.size() && is_space(text_[end])) ++end;
        if (end >= text_.size() || text_[end] != '>') return false;
        if (open_.back() + 1 == elements.size()) note_text(element, at);
        element.end = (uint32_t)elements.size();
        open_.pop_back();
        at = end + 1;
        return true;
    }

    // What stands behind '<', which is not the tag for a name with a prefix.
    std::string_view raw_name(const XmlElement& element) const {
        size_t end = element.offset + 1;
        while (end < text_.size() && (is_name(text_[end]) || text_[end] == ':')) ++end;
        return text_.substr(element.offset + 1, end - element.offset - 1);
    }

    // The text of an element that has no child so far, up to here.
    void note_text(XmlElement& element, size_t until) {
        if (element.text.data() && element.text.empty()) {
            const size_t begin = (size_t)(element.text.data() - text_.data());
            element.text = text_.substr(begin, until - begin);
        }
    }

    bool start_tag(size_t& at) {
        if (open_.empty() && !elements.empty()) return false;  // a second root
        if (!open_.empty() && open_.back() + 1 == elements.size())
            note_text(elements[open_.back()], at);
        XmlElement element;
        element.offset = (uint32_t)at;
        element.first = (uint32_t)attributes_.size();
        size_t i = at + 1;
        if (!name(i, element.tag)) return false;
        bool is_empty = false;
        while (true) {
            const size_t before = i;
            while (i < text_.size() && is_space(text_[i])) ++i;
            if (i >= text_.size()) return false;
            if (text_[i] == '>') break;
            if (text_[i] == '/') {
                if (i + 1 >= text_.size() || text_[i + 1] != '>') return false;
                is_empty = true;
                ++i;
                break;
            }
            if (i == before || !attribute(i, element)) return false;
        }
        at = i + 1;
        if (!expand(element)) return false;
        const uint32_t own = (uint32_t)elements.size();
        if (is_empty)
            element.end = own + 1;
        else
            element.text = text_.substr(at, 0);
        elements.push_back(element);
        if (!is_empty) open_.push_back(own);
        return true;
    }

    bool name(size_t& i, std::string_view& out) {
        const size_t begin = i;
        if (i >= text_.size() || !is_first(text_[i])) return false;
        while (i < text_.size() && is_name(text_[i])) ++i;
        if (i < text_.size() && text_[i] == ':') {  // a prefix
            ++i;
            if (i >= text_.size() || !is_first(text_[i])) return false;
            while (i < text_.size() && is_name(text_[i])) ++i;
        }
        out = text_.substr(begin, i - begin);
        return true;
    }

    bool attribute(size_t& i, XmlElement& element) {
        XmlAttribute made;
        if (!name(i, made.name)) return false;
        while (i < text_.size() && is_space(text_[i])) ++i;
        if (i >= text_.size() || text_[i] != '=') return false;
        ++i;
        while (i < text_.size() && is_space(text_[i])) ++i;
        if (i >= text_.size() || (text_[i] != '"' && text_[i] != '\'')) return false;
        const size_t begin = i + 1, end = text_.find(text_[i], begin);
        if (end == text_.npos || !value(text_.substr(begin, end - begin), made.value)) return false;
        i = end + 1;
        if (made.name.find(':') != made.name.npos) return prefix(made);
        if (made.name == "xmlns" || element.count == MOST_ATTRIBUTES) return false;
        for (uint32_t k = element.first; k < attributes_.size(); ++k)
            if (attributes_[k].name == made.name) return false;
        attributes_.push_back(made);
        ++element.count;
        return true;
    }

    // The value of an attribute: white space as blanks, entities as their characters.
    bool value(std::string_view raw, std::string_view& out) {
        bool is_same = true;
        for (const char c : raw) {
            if (c == '<') return false;
            is_same &= c != '&' && c != '\n' && c != '\t' && c != '\r';
        }
        out = raw;
        if (is_same) return true;
        std::string& made = made_.emplace_back();
        for (size_t i = 0; i < raw.size(); ++i) {
            if (raw[i] == '&') {
                const auto [c, length] = entity(raw.substr(i));
                if (!length) return false;
                made += c;
                i += length - 1;
            } else if (raw[i] == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') {
                continue;  // one end of a line
            } else {
                made += is_space(raw[i]) ? ' ' : raw[i];
            }
        }
        out = made;
        return true;
    }

    // xmlns:… on the root; other attributes with prefixes are rare.
    bool prefix(const XmlAttribute& given) {
        if (!elements.empty() || !given.name.starts_with("xmlns:") || given.value.empty())
            return false;
        const std::string_view short_name = given.name.substr(6);
        if (short_name.starts_with("xml") || given.value.find("www.w3.org") != given.value.npos)
            return false;
        for (const auto& [known, meaning] : prefixes_)
            if (known == short_name) return false;
        prefixes_.emplace_back(short_name, given.value);
        return true;
    }

    // Names with a prefix as {meaning}name.
    bool expand(XmlElement& element) {
        const size_t colon = element.tag.find(':');
        if (colon == element.tag.npos) return true;
        for (const auto& [known, meaning] : prefixes_)
            if (known == element.tag.substr(0, colon)) {
                std::string& made = made_.emplace_back("{");
                made.append(meaning).append("}").append(element.tag.substr(colon + 1));
                element.tag = made;
                return true;
            }
        return false;
    }
};

}  // namespace kinegen
