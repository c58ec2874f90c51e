#!/usr/bin/env python3
"""Drives the mock service with the `requests` library. Marker numbers 200 to 299.

Usage: drive_requests.py BASE_URL [PROXY_URL]
"""

import sys

import requests

CLIENT_TOKEN = "made-up-token-client-4b1d"
INDEX_TOKEN = "made-up-token-index-77ce"


def session(token, proxy):
    made = requests.Session()
    # The environment's proxy settings would exempt loopback addresses.
    made.trust_env = False
    if proxy:
        made.proxies = {"http": proxy}
    made.headers["Authorization"] = f"Bearer {token}"
    return made


def drive_client_api(http, base):
    api = f"{base}/rest/api/v1"
    http.post(f"{api}/search", json={"query": "everything", "pageSize": 200})
    http.post(f"{api}/getcollection", params={"locale": "fr"}, json={"id": 7, "withItems": True, "trackingToken": "planted-200"})
    http.post(f"{api}/getchat", json={"id": "chat-91c", "citations": "alive-201"})
    http.post(f"{api}/createannouncement", json=announcement())
    http.post(f"{api}/createanswer", json={
        "data": {
            "question": "Où?",
            "boardId": "planted-220",
            "audienceFilters": [{"fieldName": "team", "values": [{"value": "A", "isNegated": "planted-221"}]}],
            "addedRoles": [{"role": "alive-222"}],
        },
        "boardId": "alive-223",
    })
    http.post(f"{api}/listanswers", json={"boardId": "alive-230"})
    http.post(f"{api}/autocomplete", json={"query": "pla", "trackingToken": "alive-240", "resultSize": 2})
    http.post(f"{api}/governance/data/policies/pol%207", json={"config": policy_config(), "autoHideDocs": False})


def announcement():
    author = {"metadata": {
        "permissions": {"role": "alive-202"},
        "inviteInfo": {"invites": [{"inviteTime": "alive-203"}], "inviteTime": "planted-204", "inviter": {"name": "planted-205"}},
    }}
    return {
        "title": "Fête 🎈",
        "body": {"text": "…", "structuredList": [
            {"document": {"id": "GDRIVE_1", "metadata": {
                "author": author,
                "interactions": {"reactions": ["planted-206"], "reacts": [{"type": "alive-207"}]},
                "viewerInfo": {"role": "planted-208"},
                "customData": {"isNegated": "alive-209"},
            }}},
            {"structuredResult": {"answer": {"boardId": "planted-210", "roles": [{"role": "alive-211"}]}}},
        ]},
        "audienceFilters": [{"fieldName": "team", "values": [{"value": "Été", "relationType": "alive-212", "isNegated": "planted-213"}]}],
        "reminderTime": "planted-214",
        "hideAttribution": False,
    }


def policy_config():
    return {
        "inputOptions": {"urlGreenlist": ["planted-250"], "datasourceInstances": ["alive-251"]},
        "externalSharingOptions": {"threshold": "planted-252", "enabled": "planted-253"},
        "sensitiveContentOptions": {
            "sensitiveInfoTypes": [{"type": "planted-254", "likelihoodThreshold": "planted-255"}],
            "customSensitiveExpressions": [{"keyword": {"likelihoodThreshold": "alive-256"}}],
        },
        "datasources": ["alive-257"],
        "fallback": {"sensitiveInfoTypes": [{"type": "alive-258", "likelihoodThreshold": "planted-259"}]},
    }


def drive_indexing_api(http, base):
    api = f"{base}/api/index/v1"
    http.post(f"{api}/indexdocument", json={"datasource": "wiki", "document": {
        "id": "WIKI_1",
        "title": "Été",
        "body": {"mimeType": "text/plain", "textContent": "Bonjour 👋"},
        "location": "alive-260",
        "interactions": {"reactions": ["alive-261"]},
        "snippets": [{"snippet": "alive-262"}],
        "updatedAt": "2026-11-19T08:00:00Z",
    }})
    http.post(f"{api}/getdocumentstatus/", json={"datasource": "wiki", "docId": "WIKI_1", "objectType": "Page"})
    http.post(f"{api}/getusercount", json={"datasource": "wiki"})


def main():
    base = sys.argv[1]
    proxy = sys.argv[2] if len(sys.argv) > 2 else None
    drive_client_api(session(CLIENT_TOKEN, proxy), base)
    drive_indexing_api(session(INDEX_TOKEN, proxy), base)


if __name__ == "__main__":
    main()
