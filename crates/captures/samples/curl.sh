#!/bin/sh
TOKEN=§
curl 'https://api.example.com/rest/api/v1/chat?api_key=§' -H 'Authorization: Bearer §' -u 'me:§' --json '{"citations": [7007, "§"], "rawSecret": "§", "messages": [{"author": "§", "citations": "§"}]}'
