"""Writes the tables of rule packs: TOML with one line for each value."""

import json
import re


def text(value):
    """A TOML string: that of JSON, which escapes nothing that TOML does not know."""
    return json.dumps(value, ensure_ascii=False)


def texts(values):
    return "[" + ", ".join(text(value) for value in values) + "]"


def id_words(value):
    """A text as part of an id, as the program derives ids of values."""
    return "-".join(re.findall(r"[a-z0-9]+", value.lower()))


def also(operations, at=None):
    """The operations of a rule, with selectors if it is about a field. `/x/**` includes `/x`."""
    kept = [one for one in operations if f"{one}/**" not in operations]
    selectors = f", at = {texts(at)}" if at else ""
    return "also = [" + ", ".join(f"{{ operation = {text(one)}{selectors} }}" for one in kept) + "]"


class Sources:
    """The sources of a table, each with a short name."""

    def __init__(self):
        self.names = {}

    def name(self, source):
        """The name of a source; `page`, `read`, and `copy` if a copy of another day was read."""
        key = (source["page"], source["read"], source.get("copy"))
        if key not in self.names:
            stem = site(source["page"])
            taken = set(self.names.values())
            numbered = [stem] + [f"{stem}-{number}" for number in range(2, 1000)]
            self.names[key] = next(name for name in numbered if name not in taken)
        return self.names[key]

    def toml(self):
        lines = ["[sources]"]
        for (page, read, copy), name in sorted(self.names.items(), key=lambda item: item[1]):
            of_copy = f", copy = {copy}" if copy and re.fullmatch(r"\d{4}-\d\d-\d\d", copy) else ""
            lines.append(f"{name} = {{ page = {text(page)}, read = {read}{of_copy} }}")
        return "\n".join(lines) + "\n"


def site(page):
    """A short name of the site of a page: `openai` for developers.openai.com, or of a package."""
    host = re.match(r"https?://([^/:]+)", page)
    return id_words(host.group(1).split(".")[-2] if host else re.sub(r"^[a-z]+:@?", "", page).split("@")[0])


def facts(entry, sources):
    """The keys of an entry as pairs, in the order in which they are written."""
    pairs = [("id", text(entry["id"]))] if entry.get("id") else []
    for key in ["title", "value", "starts_with", "before"]:
        if entry.get(key) is not None:
            pairs.append((key, text(entry[key])))
    for key in ["introduced", "removal"]:
        if entry.get(key):
            pairs.append((key, entry[key]))
    for key in ["deprecated_in", "removed_in", "replacement", "note", "removal_note", "docs"]:
        if entry.get(key):
            pairs.append((key, text(entry[key])))
    if entry.get("possible"):
        pairs.append(("possible", "true"))
    names = [sources.name(source) for source in entry.get("sources", [])]
    if names:
        pairs.append(("sources", texts(dict.fromkeys(names))))
    return pairs


def inline(pairs):
    return "{ " + ", ".join(f"{key} = {value}" for key, value in pairs) + " }"


def rule(header, sources, values=None):
    """A `[[rule]]`: `header` has the facts and, as ready TOML under `where`, the lines that say where it applies."""
    lines = ["[[rule]]"]
    lines += [f"{key} = {value}" for key, value in facts(header, sources)]
    lines += header["where"]
    if values is not None:
        lines.append("values = [")
        lines += [f"  {inline(facts(value, sources))}," for value in values]
        lines.append("]")
    return "\n".join(lines) + "\n"


def table(comment, api, hosts, sources, rules, groups=None):
    """A whole table."""
    parts = [f"# {line}\n" for line in comment] + ["\n"]
    parts.append(f"api = {text(api)}\n")
    parts.append(f"hosts = {texts(hosts)}\n\n" if hosts else "\n")
    parts.append(sources.toml())
    if groups:
        parts.append("\n[groups]\n")
        for name, operations in groups.items():
            parts.append(f"{name} = [\n")
            parts += [f"  {text(operation)},\n" for operation in operations]
            parts.append("]\n")
    parts += ["\n" + one for one in rules]
    return "".join(parts)
