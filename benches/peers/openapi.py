"""Writes what it can of the peers' job (places.py) as an OpenAPI description, for `redocly drift` to compare with.

It describes the API as it is once the deprecated members are gone: nothing fits the schema of each, so that each use is
a mismatch. Only places from the root of a body can be said so: "at any depth" needs schemas that refer to themselves,
and drift cuts those off at the first repetition. Of the other bodies it checks no more than that they are JSON objects.
"""

from .places import EACH, SIDES


def description(job):
    paths = {}
    for operation in job.operations():
        method, path = operation.split(" ")
        schemas = {side: schema_of(job.members.get((operation, side), ())) for side in SIDES}
        paths.setdefault(path, {})[method.lower()] = described(path, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "After the removals", "version": "1"},
        "servers": [{"url": "/"}],
        "paths": paths,
    }


def described(path, schemas):
    common = {"in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "parameters": [common | {"name": part[1:-1]} for part in path.split("/") if part.startswith("{")],
        "requestBody": {"content": {"application/json": {"schema": schemas["request"]}}},
        "responses": {"default": {"description": "", "content": {"application/json": {"schema": schemas["response"]}}}},
    }


def schema_of(selectors):
    schema = {"type": "object"}
    for selector in selectors:
        if not selector.floating:
            member(schema, selector.steps)["not"] = {}
    return schema


def member(schema, steps):
    for step in steps:
        holder = schema if step == EACH else schema.setdefault("properties", {})
        schema = holder.setdefault("items" if step == EACH else step, {})
    return schema
