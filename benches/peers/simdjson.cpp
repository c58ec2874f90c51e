// The peers' job (places.py) on simdjson's on-demand interface: prints how many uses a capture has.
//
// Usage: simdjson PLACES ndjson|har FILE
//
// Only records whose operation has places are read further than method and URL; a body that stands as JSON is walked
// where it stands, one in a string is unescaped and parsed again.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <simdjson.h>

using namespace simdjson;
using std::string_view;

constexpr string_view EACH = "*";
constexpr string_view ANY_DEPTH = "..";

struct Selector {
    bool floating = false;
    std::vector<std::string> steps;

    bool selects(const std::vector<string_view>& path) const {
        return (floating ? path.size() >= steps.size() : path.size() == steps.size()) &&
               std::equal(steps.rbegin(), steps.rend(), path.rbegin());
    }
};

// By the name of the last step: most members of a body are passed over with one look-up.
using Wanted = std::unordered_map<std::string, std::vector<Selector>>;

struct Operation {
    bool deprecated = false;
    Wanted request, response;
};

std::vector<string_view> split(string_view text, char separator) {
    std::vector<string_view> parts;
    for (size_t end; (end = text.find(separator)) != string_view::npos; text.remove_prefix(end + 1)) {
        parts.push_back(text.substr(0, end));
    }
    parts.push_back(text);
    return parts;
}

class Table {
  public:
    explicit Table(const char* file) {
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) add(split(line, '\t'));
    }

    const Operation* find(string_view method, string_view url) {
        key.assign(method).append(" ").append(path_of(url));
        if (key.find('%') != std::string::npos) key = decoded(key);
        if (auto found = literal.find(key); found != literal.end()) return &found->second;
        for (const auto& [parts, operation] : templates) {
            if (fits(parts, split(key, '/'))) return &operation;
        }
        return nullptr;
    }

    Wanted opaque;

  private:
    void add(const std::vector<string_view>& fields) {
        string_view side = fields[1];
        if (side == "opaque") return add(opaque, fields[2]);
        Operation& operation = at(fields[0]);
        if (side == "operation") {
            operation.deprecated = true;
        } else {
            add(side == "request" ? operation.request : operation.response, fields[2]);
        }
    }

    static void add(Wanted& wanted, string_view text) {
        Selector selector;
        for (string_view step : split(text, ' ')) {
            if (step == ANY_DEPTH) {
                selector.floating = true;
            } else {
                selector.steps.emplace_back(step);
            }
        }
        wanted[selector.steps.back()].push_back(selector);
    }

    Operation& at(string_view name) {
        if (name.find('{') == string_view::npos) return literal[std::string(name)];
        std::vector<std::string> parts;
        for (string_view part : split(name, '/')) parts.emplace_back(part);
        for (auto& [known, operation] : templates) {
            if (known == parts) return operation;
        }
        return templates.emplace_back(parts, Operation()).second;
    }

    static string_view path_of(string_view url) {
        url = url.substr(0, url.find_first_of("?#"));
        if (size_t scheme = url.find("://"); scheme != string_view::npos) {
            size_t path = url.find('/', scheme + 3);
            url = path == string_view::npos ? string_view("/") : url.substr(path);
        }
        if (url.size() > 1 && url.back() == '/') url.remove_suffix(1);
        return url;
    }

    static std::string decoded(string_view text) {
        std::string plain;
        for (size_t i = 0; i < text.size(); i++) {
            unsigned byte = 0;
            bool escape = text[i] == '%' && std::sscanf(std::string(text.substr(i + 1, 2)).c_str(), "%2x", &byte) == 1;
            plain += escape ? static_cast<char>(byte) : text[i];
            i += escape ? 2 : 0;
        }
        return plain;
    }

    static bool fits(const std::vector<std::string>& parts, const std::vector<string_view>& got) {
        if (parts.size() != got.size()) return false;
        for (size_t i = 0; i < parts.size(); i++) {
            if (parts[i] != got[i] && (parts[i][0] != '{' || got[i].empty())) return false;
        }
        return true;
    }

    std::unordered_map<std::string, Operation> literal;
    std::vector<std::pair<std::vector<std::string>, Operation>> templates;
    std::string key;
};

class Counter {
  public:
    explicit Counter(const char* places) : table(places) {}

    void ndjson(const char* name) {
        std::FILE* file = std::fopen(name, "rb");
        if (!file) throw simdjson_error(IO_ERROR);
        std::setvbuf(file, nullptr, _IOFBF, 1 << 20);
        ondemand::parser parser;
        char* line = nullptr;
        size_t capacity = 0;
        for (ssize_t length; (length = getline(&line, &capacity, file)) > 0;) {
            if (capacity < length + SIMDJSON_PADDING) {
                capacity = 2 * length + SIMDJSON_PADDING;
                line = static_cast<char*>(std::realloc(line, capacity));
            }
            ondemand::document record;
            if (!parser.iterate(line, length, capacity).get(record)) log_line(record);
        }
        std::free(line);
        std::fclose(file);
    }

    void har(const char* name) {
        padded_string text = padded_string::load(name);
        ondemand::parser parser;
        ondemand::document archive = parser.iterate(text);
        for (ondemand::object entry : archive["log"]["entries"].get_array()) {
            ondemand::object request;
            if (entry["request"].get(request)) continue;
            exchange(request, [&](const Operation& operation) {
                body(request["postData"]["text"], operation.request);
                ondemand::object content;
                if (entry["response"]["content"].get(content)) return;
                string_view encoding;
                bool encoded = !content["encoding"].get(encoding) && encoding == "base64";
                body(content["text"], operation.response, encoded);
            });
        }
    }

    size_t uses = 0;

  private:
    void log_line(ondemand::document& record) {
        ondemand::object request;
        if (record["req"].get(request)) return;
        exchange(request, [&](const Operation& operation) {
            body(request["body"], operation.request);
            body(record["res"]["body"], operation.response);
        });
    }

    template <typename Bodies> void exchange(ondemand::object& request, Bodies bodies) {
        string_view method, url;
        if (request["method"].get(method) || request["url"].get(url)) return;
        if (const Operation* operation = table.find(method, url)) {
            uses += operation->deprecated;
            bodies(*operation);
        }
    }

    void body(simdjson_result<ondemand::value> result, const Wanted& members, bool base64 = false) {
        ondemand::value value;
        string_view text;
        if (members.empty() || result.get(value)) return;
        wanted = &members;
        if (value.get(text)) {
            path.clear();
            (void)walk(value);
            return;
        }
        if (base64) text = plain = from_base64(text);
        if (!document(text)) lines(text);
    }

    static std::string from_base64(string_view text) {
        constexpr string_view LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        std::string bytes;
        unsigned bits = 0, count = 0;
        for (char letter : text) {
            size_t six = LETTERS.find(letter);
            if (six == string_view::npos) continue;
            bits = bits << 6 | six;
            count += 6;
            if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8));
        }
        return bytes;
    }

    // A body of several values: one a line, or one an event.
    void lines(string_view text) {
        for (string_view line : split(text, '\n')) {
            if (line.substr(0, 5) == "data:") line.remove_prefix(5);
            (void)document(line);
        }
    }

    // Whether the text is one JSON value; its uses count only then.
    bool document(string_view text) {
        size_t before = uses;
        copy.assign(text);
        copy.reserve(text.size() + SIMDJSON_PADDING);
        ondemand::document document;
        path.clear();
        bool good = !bodies.iterate(copy.data(), copy.size(), copy.capacity()).get(document) &&
                    !root(document) && document.current_location().error() == OUT_OF_BOUNDS;
        if (!good) uses = before;
        return good;
    }

    error_code root(ondemand::document& document) {
        ondemand::json_type type;
        if (auto error = document.type().get(type)) return error;
        // A lone scalar has no members, and on-demand cannot hand it out as a value.
        bool holds = type == ondemand::json_type::object || type == ondemand::json_type::array;
        return holds ? walk(document) : document.raw_json_token().error();
    }

    template <typename Value> error_code walk(Value& value) {
        ondemand::json_type type;
        if (auto error = value.type().get(type)) return error;
        if (type == ondemand::json_type::object) return members(value);
        if (type == ondemand::json_type::array) return elements(value);
        return SUCCESS;
    }

    template <typename Value> error_code members(Value& value) {
        ondemand::object object;
        if (auto error = value.get_object().get(object)) return error;
        for (auto field : object) {
            string_view key;
            if (auto error = field.unescaped_key().get(key)) return error;
            path.push_back(key);
            uses += selected(*wanted);
            if (!selected(table.opaque)) {
                if (auto error = step_into(field.value())) return error;
            }
            path.pop_back();
        }
        return SUCCESS;
    }

    template <typename Value> error_code elements(Value& value) {
        ondemand::array array;
        if (auto error = value.get_array().get(array)) return error;
        path.push_back(EACH);
        for (auto element : array) {
            if (auto error = step_into(element)) return error;
        }
        path.pop_back();
        return SUCCESS;
    }

    error_code step_into(simdjson_result<ondemand::value> result) {
        ondemand::value value;
        if (auto error = result.get(value)) return error;
        return walk(value);
    }

    bool selected(const Wanted& members) {
        name.assign(path.back());
        auto found = members.find(name);
        if (found == members.end()) return false;
        for (const Selector& selector : found->second) {
            if (selector.selects(path)) return true;
        }
        return false;
    }

    Table table;
    ondemand::parser bodies;
    const Wanted* wanted = nullptr;
    std::vector<string_view> path;
    std::string copy, plain, name;
};

int main(int count, char** arguments) {
    if (count != 4) {
        std::fprintf(stderr, "usage: %s PLACES ndjson|har FILE\n", arguments[0]);
        return 2;
    }
    Counter counter(arguments[1]);
    if (string_view(arguments[2]) == "har") {
        counter.har(arguments[3]);
    } else {
        counter.ndjson(arguments[3]);
    }
    std::printf("%zu\n", counter.uses);
}
