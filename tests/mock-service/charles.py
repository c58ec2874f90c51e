#!/usr/bin/env python3
"""Writes the exchanges of a HAR as a session of Charles in JSON (.chlsj).

Charles is not free software and publishes no schema. This is the shape of the sessions that its users show: names, nesting
and the two ways of a body, `text` and base64 under `encoded`. Standard library only.

Usage: charles.py CAPTURE.har > SESSION.chlsj
"""

import base64
import json
import sys
from pathlib import Path
from urllib.parse import urlsplit


def headers(message):
    return {"headers": [{"name": h["name"], "value": h["value"]} for h in message["headers"]]}


def body(holder):
    """Every third body goes in base64, as Charles does with what it takes for binary."""
    text = holder.get("text", "")
    if not text:
        return None
    body.count += 1
    if body.count % 3 == 0:
        return {"encoding": "base64", "encoded": base64.b64encode(text.encode()).decode()}
    return {"text": text, "charset": "UTF-8"}


body.count = 0


def message(part, holder, media_type):
    sizes = {"headers": 0, "body": len(holder.get("text", "").encode())}
    made = {"sizes": sizes, "mimeType": media_type or None, "charset": None, "contentEncoding": None, "header": headers(part)}
    content = body(holder)
    if content:
        made["body"] = content
    return made


def transaction(entry):
    request, response = entry["request"], entry["response"]
    url = urlsplit(request["url"])
    posted, content = request.get("postData", {}), response.get("content", {})
    made = {
        "status": "COMPLETE" if response["status"] else "FAILED",
        "method": request["method"],
        "protocolVersion": "HTTP/1.1",
        "scheme": url.scheme,
        "host": url.hostname,
        "port": None,
        "actualPort": url.port,
        "path": url.path,
        "query": url.query or None,
        "tunnel": False,
        "keptAlive": False,
        "webSocket": False,
        "times": {"start": entry["startedDateTime"]},
        "durations": {"total": 1},
        "totalSize": 0,
        "request": message(request, posted, posted.get("mimeType", "").split(";")[0]),
    }
    if response["status"]:
        made["response"] = {"status": response["status"], **message(response, content, content.get("mimeType", "").split(";")[0])}
    return made


def main():
    entries = json.loads(Path(sys.argv[1]).read_text("utf-8"))["log"]["entries"]
    json.dump([transaction(entry) for entry in entries], sys.stdout, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
