"""The tables of the packs about single services: one for each file in testdata/lifecycles/services."""

import json
import re

from table import Sources, also, id_words, inline, rule, table, text, texts

COMMENT = [
    "Made by scripts/refresh-packs from testdata/lifecycles/services. Change the facts there, not this file.",
]


def tables(folder):
    made = {}
    for path in sorted((folder / "services").glob("*.json")):
        facts, name = json.loads(path.read_text()), path.stem
        if name == "kubernetes":
            made["kubernetes.toml"] = kubernetes(facts)
        elif "tables" in facts:
            for part, own in facts["tables"].items():
                made[f"{name}/{part}.toml"] = service(name, {**facts, **own})
        else:
            made[f"{name}.toml"] = service(name, facts)
    return made


def service(name, facts):
    """The table of a service with hosts of its own."""
    sources, rules = Sources(), []
    pages = facts["sources"]
    for entry in facts.get("operations", []):
        method, path = entry["operation"].split()
        rule_id = f"{name}-{id_words(method)}-{id_words(path)}"
        rules.append(entry_rule(rule_id, entry, expanded(entry), pages, sources))
    for entry in facts.get("entries", []):
        rules.append(entry_rule(f"{name}-{entry['id']}", entry, entry["where"], pages, sources))
    versions = facts.get("versions", [])
    for entry in versions if isinstance(versions, list) else [versions]:
        rule_name = "-".join(filter(None, [name, entry.get("id")]))
        rules.append(version_rule(rule_name, entry, pages, sources))
    return table(COMMENT, facts["api"], facts["hosts"], sources, rules)


def expanded(entry):
    """The operations of an entry: one for each combination of the values that its variables can have."""
    made = [entry["operation"]]
    for name, values in entry.get("variables", {}).items():
        made = [one.replace(f"{{{name}}}", value) for one in made for value in values]
    for one in made:
        if re.search(r"(/\{[^/]*\}){3}$", one):
            # Every other path of this length below the first segment has this form, too.
            raise SystemExit(f"{one}: ends in three variables, so it matches other operations; give the `variables` values")
    return made


def named(entry, pages):
    return [pages[name] for name in entry.get("sources", [])]


def entry_rule(rule_id, entry, operations, pages, sources):
    """A rule about whole operations, or about one element of them, perhaps with one value."""
    where = [f"{key} = {text(entry[key])}" for key in ["field", "header", "parameter"] if key in entry]
    where += [f"sides = {texts(entry['sides'])}"] if "sides" in entry else []
    where += [f"when = {inline([(key, text(value)) for key, value in entry['when'].items()])}"] if "when" in entry else []
    header = {
        "id": rule_id,
        "value": entry.get("value"),
        "introduced": entry.get("deprecated"),
        "removal": entry.get("removal"),
        "replacement": entry.get("replacement"),
        "note": entry.get("note"),
        "sources": named(entry, pages),
        "where": where + [also(operations, entry.get("at"))],
    }
    return rule(header, sources)


def version_rule(name, versions, pages, sources):
    """A rule about versions: each with its last day, or all by the months for which the service supports them."""
    kind = next(kind for kind in ["header", "parameter", "segment"] if kind in versions)
    where = [f"{kind} = {text(versions[kind])}"]
    where += ['sides = ["request"]'] if kind == "header" else []
    where.append(also(versions["where"]))
    header = {"id": f"{name}-version", "note": versions.get("note"), "sources": named(versions, pages)}
    if "supported_months" in versions:
        where.append(f"supported_months = {versions['supported_months']}")
        where.append(f"newest = {text(versions['newest'])}")
        return rule({**header, "where": where}, sources)
    values = [{**one, "sources": named(one, pages)} for one in versions["values"]]
    return rule({**header, "where": where}, sources, values)


def kubernetes(facts):
    """The table of group versions that releases of Kubernetes deprecate or no longer serve."""
    sources, rules = Sources(), []
    entries = facts["versions"]
    replaced = {(entry["api_version"], entry["kind"]): entry["replacement"] for entry in entries}
    for entry in entries:
        api_version, kind = entry["api_version"], entry["kind"]
        base, replacement = f"/{'apis' if '/' in api_version else 'api'}/{api_version}", entry["replacement"]
        while (replacement, kind) in replaced and replaced[replacement, kind]:
            replacement = replaced[replacement, kind]
        # `**` matches no segment, too. The paths with `watch` are those of an older form of the parameter `watch`.
        places = ["", "/namespaces/{namespace}", "/watch", "/watch/namespaces/{namespace}"]
        places = [place for place in places if "namespace" in place or not entry.get("only_in_namespaces")]
        paths = [f"{base}{place}/{plural(kind)}/**" for place in places]
        last_day = entry.get("last_served_until")
        header = {
            "id": f"kubernetes-{id_words(api_version)}-{id_words(kind)}",
            "title": f"{api_version} {kind}",
            "removal": last_day,
            "deprecated_in": entry.get("deprecated_in"),
            "removed_in": entry.get("removed_in"),
            "replacement": replacement if replacement is None or " " in replacement else f"{replacement} {kind}",
            "removal_note": last_day and f"the last day is the end of life of {entry['last_served_in']}, the last release that serves it",
            "sources": entry.get("sources", facts["sources"]),
            "where": [also([f"* {path}" for path in paths])],
        }
        rules.append(rule(header, sources))
    return table(COMMENT, facts["api"], [], sources, rules)


def plural(kind):
    """The name of a resource in paths, as the program derives it (`resource_name`)."""
    name = kind.lower()
    if name.endswith("endpoints"):
        return name
    if name.endswith("y"):
        return name[:-1] + "ies"
    return name + ("es" if name.endswith("s") else "s")
