"""The tables of the pack `llm-models`: one for each provider in testdata/lifecycles/llm.

No rule is made of a fact that only one list has, and of a promise that a model does not end earlier. A name that stands for
different models over time has the end that the provider's own page gives for it, or else, as a possible one, the latest day of
what it can stand for.
"""

import json
import re
from datetime import date, timedelta
from fnmatch import fnmatchcase

from table import Sources, also, id_words, rule, table, texts

APIS = {
    "ai21": "AI21",
    "amazon-bedrock": "Amazon Bedrock",
    "anthropic": "Anthropic",
    "azure-foundry": "Azure AI Foundry",
    "azure-openai": "Azure OpenAI",
    "cohere": "Cohere",
    "deepseek": "DeepSeek",
    "google-gemini": "Gemini API",
    "google-vertex": "Vertex AI",
    "groq": "Groq",
    "mistral": "Mistral",
    "openai": "OpenAI",
    "perplexity": "Perplexity",
    "together": "Together AI",
    "voyage": "Voyage AI",
    "xai": "xAI",
}

COMMENT = [
    "Made by scripts/refresh-packs from testdata/lifecycles/llm. Change the facts there, not this file.",
]

# Regions before the id of a model, in the ids of inference profiles.
BEDROCK_REGIONS = ["apac", "au", "ca", "eu", "global", "jp", "us", "us-gov"]
BEDROCK_ARNS = [
    "arn%3Aaws%3Abedrock%3A{region}%3A%3Afoundation-model%2F{modelId}",
    "arn%3Aaws%3Abedrock%3A{region}%3A{account}%3Ainference-profile%2F{geo}.{modelId}",
]


# A replacement that ends within this time is no advice that lasts.
SOON = timedelta(days=90)

# What follows from an id that the service has put into a response.
LABEL = "the response names the model of the deployment: move the deployment to another model before this day"

# Publishers other than Google whose models Vertex AI has, by how their ids begin.
OTHER_PUBLISHERS = ("claude", "codestral", "deepseek", "jamba", "llama", "mistral", "qwen")


def tables(folder):
    models = [json.loads(line) for line in (folder / "llm/models.ndjson").read_text().splitlines()]
    for model in filter(is_certain, models):
        check_removal(model)
    check_versions(models)
    follow_replacements(models)
    endpoints = json.loads((folder / "llm/endpoints.json").read_text())
    made = {}
    for provider in endpoints["providers"]:
        name = provider["provider"]
        own = [model for model in models if model["provider"] == name and is_certain(model)]
        deprecations = [one for one in endpoints["deprecations"] if one["provider"] == name]
        all_of_provider = [model for model in models if model["provider"] == name]
        own += fine_tunes(own, all_of_provider) + moving_names(own, all_of_provider)
        if own:
            made[f"llm-models/{name}.toml"] = provider_table(provider, own, deprecations)
    return made


def is_certain(model):
    """Whether a rule can be made of a fact."""
    if model["evidence"] == "one" or not (model.get("removal") or model.get("deprecated")) or model.get("not_before"):
        return False
    note = model.get("note", "") + model.get("research", "")
    if "earliest possible date" in note or "shifted by one" in note:
        return False
    if not model.get("aliases_moving"):
        return True
    if "without version" in note or "names the snapshots" in note:
        return False
    is_fixed_alias = model["provider"] != "azure-openai" and "alias of" in note
    return model["evidence"] == "vendor" or is_fixed_alias


def check_removal(model):
    """Refuses a removal date that is not the latest of the sources of the last 45 days, unless the research says why."""
    says = [(one.get("as_of") or one["read"], one.get("says") or "") for one in model["sources"]]
    dated = [(date.fromisoformat(day), end) for day, end in says if re.fullmatch(r"\d{4}-\d\d-\d\d", end)]
    since = max((day for day, _ in dated), default=date.max) - timedelta(days=45)
    latest = max((end for day, end in dated if day >= since), default=None)
    if model.get("removal") and latest not in (None, model["removal"]) and not model.get("research"):
        raise SystemExit(f"{model['provider']} {model['id']}: ends on {model['removal']}, and its sources say {latest}")


def check_versions(models):
    """Refuses a name of Azure that ends later than each of its versions: the reading of those is older."""
    known = [model for model in models if model["provider"] == "azure-openai" and model["evidence"] != "one"]
    for name in known:
        ends = [one.get("removal") or "9999" for one in known if re.fullmatch(re.escape(name["id"]) + r"-\d{4}-\d\d-\d\d", one["id"])]
        if ends and name.get("removal") and max(ends) < name["removal"]:
            raise SystemExit(f"{name['id']} ends on {name['removal']}, and its last version on {max(ends)}")


def follow_replacements(models):
    """Replaces the text of each replacement by the ids in it that outlive the model and the next months, or by what replaces those.

    What a provider once recommended may have ended since then. An id that ends soon and has no replacement is named with its day.
    Of a sentence without an id, nothing remains.
    """
    known = {(model["provider"], model["id"]): model for model in models}
    today = max(source["read"] for model in models for source in model["sources"])
    soon = str(date.fromisoformat(today) + SOON)
    texts = {key: model.get("replacement") or "" for key, model in known.items()}

    def live(provider, text, until, seen):
        found = []
        for name in re.split(r", or |, | or ", re.sub(r" \([^)]*\)", "", text)):
            other = known.get((provider, name))
            end = (other or {}).get("removal") or "9999"
            if end <= max(until, soon):
                further = [] if name in seen else live(provider, texts[provider, name], until, seen | {name})
                named = name if other["evidence"] == "one" else f"{name} (until {end})"
                found += further or ([named] if end > until else [])
            elif re.fullmatch(r"[A-Za-z0-9][\w./:@-]+", name):
                found.append(name)
        return list(dict.fromkeys(found))

    for (provider, name), model in known.items():
        until = max(today, model.get("removal") or "")
        found = live(provider, texts[provider, name], until, {name})
        model["replacement"] = " or ".join(filter(None, [", ".join(found[:-1]), *found[-1:]]))


def fine_tunes(own, models):
    """The fine-tuned models with the facts of their family (ft:gpt-4 has ft:gpt-4-0613), or else of the base."""
    families = [model for model in own if model["match"] == "prefix"]
    known = {model["id"]: model for model in own}
    made = []
    for model in models:
        base = known.get(model["id"].removeprefix("ft:"))
        if model["match"] != "prefix" or model["id"] in known:
            continue
        of_family = [one for one in families if re.fullmatch(re.escape(one["id"]) + r"-\d{4}", model["id"])]
        if of_family:
            made += [{**family, "id": model["id"]} for family in of_family]
        elif base:
            made.append({**base, **{key: model[key] for key in ("id", "match")}, "note": "ends with the model that it is based on"})
    return made


def moving_names(own, models):
    """The names that stand for different models over time and whose end the provider's page does not give."""
    ends = {model["id"]: model.get("removal") for model in own}
    made = []
    for model in models:
        name, note = model["id"], model.get("note") or ""
        # An answer of Azure names the version.
        if name in ends or not (model.get("aliases_moving") and model.get("removal")) or model["provider"] == "azure-openai":
            continue
        stands_for = [end for end in ends if re.fullmatch(re.escape(name) + r"[-@](\d{3,8}|\d{4}-\d\d-\d\d)", end)]
        stands_for += [one for one in re.findall(r"alias of ([^;]+)", note) if one in ends or is_two(one, models)]
        stands_for = list(dict.fromkeys(stands_for))
        if model["evidence"] == "one" and not stands_for:
            continue
        reason = f"the name stands for {' or '.join(stands_for)}; the day is the latest that is known" if stands_for else note
        latest = max([model["removal"], *(ends.get(one) or "" for one in stands_for)])
        reason = reason or "the name can stand for other models; the provider's page does not give its end"
        made.append({**model, "removal": latest, "note": reason, "possible": True})
    return made


def is_two(name, models):
    return any(model["id"] == name and model["evidence"] == "two" and model.get("removal") for model in models)


def provider_table(provider, models, deprecations):
    name, sources = provider["provider"], Sources()
    patterns = provider.get("host_patterns", [])
    # The program's `*` is one label or more, as that of the facts.
    hosts = [host for host in provider["hosts"] if not any(fnmatchcase(host, one) for one in patterns)] + patterns
    models = sorted(models, key=lambda model: model["id"])
    values = [value(model) for model in models]
    rules, groups = [], {}
    for element, operations in places(provider):
        for only_in in sorted({model.get("only_in", "") for model in models}):
            own = [one for model, one in zip(models, values) if model.get("only_in", "") == only_in]
            in_groups = []
            for at, all_spelled in operations.items():
                spelled = [one for one in all_spelled if one.endswith(only_in)]
                group = next((known for known, other in groups.items() if other == spelled), None)
                group = group or ("calls" if not groups else f"calls-{len(groups) + 1}")
                groups[group] = spelled
                in_groups.append((group, at))
            rules.append(model_rule(name, element, in_groups, own, sources, only_in))
    rules += [one for entry in deprecations for one in deprecation_rules(name, entry, sources)]
    return table(COMMENT, APIS[name], hosts, sources, rules, groups)


def value(model):
    """The facts about a model as those of a value."""
    made = {
        "introduced": model.get("deprecated"),
        "removal": model.get("removal"),
        "possible": model.get("possible"),
        "replacement": model.get("replacement"),
        "note": model.get("note"),
        "sources": [source(one) for one in model["sources"]],
    }
    if model["match"] == "prefix":
        # The ids of fine-tuned models: ft:BASE:OWNER::NAME.
        return {"starts_with": model["id"] + ":", **made}
    return {"value": model["id"], **made}


def source(one):
    """What was read: the page itself, or the copy of it or the list in a repository or a package."""
    page = one.get("page")
    if "repository" in one:
        page = f"https://github.com/{one['repository']}/blob/{one['commit']}/{one['path']}"
    elif "package" in one:
        page = f"{one['package']} {one['path']}" + (f", which names {page}" if page and page.startswith("http") else "")
    made = {"page": page, "read": one["read"]}
    if one.get("as_of") and one["as_of"] != one["read"]:
        made["copy"] = one["as_of"]
    return made


def places(provider):
    """Where calls have the id of a model: for each element, the operations by selector."""
    found = {}
    for operation in provider["operations"]:
        for spelled in spellings(provider["provider"], operation["operation"]):
            for *element, at in operation_places(provider["provider"], operation):
                known = found.setdefault(tuple(element), {}).setdefault(at, [])
                known += [spelled] if spelled not in known else []
    return sorted(found.items())


def operation_places(provider, operation):
    if provider in ("azure-openai", "azure-foundry"):
        # Deployments have names that their owners choose; only the response names the model.
        pointer = operation["response_model_at"]
        return [("field", "model", "response", ("",), selector(pointer))] if pointer else []
    made = []
    for one in operation["model_at"]:
        if "unchecked" in one:
            continue
        prefixes = tuple(one.get("prefixes", [""]))
        if one["in"] == "path":
            made.append(("segment", one["segment"], "", prefixes, ""))
        elif one["in"] == "query":
            made.append(("parameter", one["name"], "", prefixes, ""))
        else:
            pointer = (one.get("pointer") or "/" + one["field"]).removesuffix("/*")
            made.append(("field", pointer.split("/")[-1], "request", prefixes, selector(pointer)))
    return made


def selector(pointer):
    return "$" + "".join("[*]" if step == "*" else f".{step}" for step in pointer.split("/")[1:])


def spellings(provider, operation):
    """The ways in which a call of an operation is written."""
    if operation.startswith("WS "):
        # The messages of a WebSocket belong to no operation; the call that opens it is a GET.
        return ["GET " + operation[3:]]
    if provider == "amazon-bedrock" and "/model/{modelId}/" in operation:
        geo = [operation.replace("{modelId}", f"{region}.{{modelId}}") for region in BEDROCK_REGIONS]
        return [operation, *geo, *(operation.replace("{modelId}", arn) for arn in BEDROCK_ARNS)]
    if provider == "google-gemini" and "/v1beta/" in operation:
        return [operation, operation.replace("/v1beta/", "/v1alpha/")]
    return [operation]


def model_rule(provider, element, groups, values, sources, only_in):
    """The rule about the ids of models in one kind of place, or of those that only some calls mean."""
    kind, name, side, prefixes = element
    words = {"segment": "path", "parameter": f"parameter-{name}"}.get(kind, name)
    words = f"response-{words}" if side == "response" else words
    place_id = f"{provider}-{id_words(words)}"
    where = [f'{kind} = "{name}"'] + ([f'sides = ["{side}"]'] if side else [])
    places = [f'{{ group = "{group}"' + (f', at = ["{at}"] }}' if at else " }") for group, at in groups]
    where.append(f"also = [{', '.join(places)}]")
    note = LABEL if side == "response" else None
    own = [spelled for one in values for spelled in prefixed(one, prefixes)]
    own = distinct(place_id, own)
    if only_in:
        own = [{"id": f"{place_id}-{id_words(one['value'])}", **one} for one in own]
    rule_id = "-".join(filter(None, [place_id, only_in]))
    return rule({"id": rule_id, "note": note, "where": where}, sources, own)


def prefixed(one, prefixes):
    """The spellings of an id with the prefixes that the API expects or accepts before it."""
    if "value" not in one:
        return [one]
    is_googles = not one["value"].startswith(OTHER_PUBLISHERS)
    return [{**one, "value": prefix + one["value"]} for prefix in prefixes if is_googles or "google/" not in prefix]


def is_vague(entry):
    """Whether the note says that the entry was not looked at closely enough for a rule."""
    return any(words in (entry.get("note") or "") for words in ["verify", "verified", "see line"])


def distinct(rule_id, values):
    """Gives an id to values whose derived ids are equal."""
    seen, made = set(), []
    for one in values:
        words = id_words(one.get("value") or one["starts_with"])
        if words in seen:
            number = next(number for number in range(2, 1000) if f"{words}-{number}" not in seen)
            words = f"{words}-{number}"
            one = {"id": f"{rule_id}-{words}", **one}
        seen.add(words)
        made.append(one)
    return made


def deprecation_rules(provider, entry, sources):
    """The rules about a deprecated operation, header value, parameter or member."""
    header = {
        "introduced": entry.get("deprecated"),
        "removal": entry.get("removal"),
        "replacement": entry.get("replacement"),
        "note": entry.get("note"),
        "possible": entry.get("possible"),
        "sources": [source(one) for one in entry["sources"]],
    }
    kind, where = entry["kind"], entry["where"]
    if is_vague(entry):
        return []
    words = id_words(entry["id"])
    stem = words if words.startswith(f"{provider}-") else f"{provider}-{words}"
    if kind in ("endpoint", "operation"):
        operations = [one for one in where if re.fullmatch(r"(\*|[A-Z]+) (/(\*\*?|[^*/ ]+))+", one)]
        return [rule({"id": stem, **header, "where": [also(operations)]}, sources)] if operations else []
    if kind == "header-value":
        name, wanted = entry["id"].split(": ")
        lines = [f'header = "{name}"', 'sides = ["request"]', 'also = [{ operation = "* /v1/**" }]']
        return [rule({"id": stem, "value": wanted, **header, "where": lines}, sources)]
    places = [re.fullmatch(r"([A-Z]+ \S+) body (/\S+)(?: = (\S+))?", one) for one in where]
    if kind in ("parameter", "value") and places and all(places):
        header["value"] = places[0][3]
        lines = [f'field = "{places[0][2].split("/")[-1]}"', 'sides = ["request"]']
        at = ", ".join(f'{{ operation = "{one[1]}", at = ["{selector(one[2])}"] }}' for one in places)
        lines.append(f"also = [{at}]")
        if "only_models" in entry:
            lines.append(f'when = {{ at = "$.model", values = {texts(entry["only_models"])} }}')
        return [rule({"id": stem, **header, "where": lines}, sources)]
    return []
