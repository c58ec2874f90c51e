"""Sends the calls that curl made in a HAR over one HTTP/2 connection, all at once, with the library `h2`.

The bodies are sent in small pieces that take turns, some with padding, and each stream with a priority.

Usage: drive_h2.py HAR HOST PORT
"""

import json
import socket
import sys
from urllib.parse import urlsplit

import h2.config
import h2.connection
import h2.events

PIECE = 60
DROPPED = {"host", "connection", "content-length", "proxy-connection", "transfer-encoding"}


def calls(path):
    """The calls of curl that got a response."""
    for entry in json.load(open(path))["log"]["entries"]:
        request = entry["request"]
        fields = {field["name"].lower(): field["value"] for field in request["headers"]}
        if fields.get("user-agent", "").startswith("curl/") and entry["response"]["status"]:
            url = urlsplit(request["url"])
            target = url.path + (f"?{url.query}" if url.query else "")
            body = request.get("postData", {}).get("text", "").encode()
            kept = [(name, value) for name, value in fields.items() if name not in DROPPED]
            yield request["method"], target, kept, body


def main():
    har, host, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
    connection.initiate_connection()
    bodies = {}
    for number, (method, target, fields, body) in enumerate(calls(har)):
        stream = connection.get_next_available_stream_id()
        head = [(":method", method), (":scheme", "http"), (":authority", f"{host}:{port}"), (":path", target)]
        connection.send_headers(
            stream, head + fields, end_stream=not body, priority_weight=number + 1, priority_depends_on=0
        )
        bodies[stream] = body
    awaited = set(bodies)
    bodies = {stream: body for stream, body in bodies.items() if body}
    with socket.create_connection((host, port)) as server:
        server.sendall(connection.data_to_send())
        while bodies:
            for stream, body in list(bodies.items()):
                piece, rest = body[:PIECE], body[PIECE:]
                padding = stream % 5 or None
                connection.send_data(stream, piece, end_stream=not rest, pad_length=padding)
                bodies[stream] = rest
                if not rest:
                    del bodies[stream]
            server.sendall(connection.data_to_send())
        while awaited:
            received = server.recv(65536)
            if not received:
                sys.exit("the server ended the connection early")
            for event in connection.receive_data(received):
                if isinstance(event, h2.events.DataReceived):
                    connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamReset):
                    sys.exit(f"the server aborted stream {event.stream_id}")
                elif isinstance(event, h2.events.StreamEnded):
                    awaited.discard(event.stream_id)
            server.sendall(connection.data_to_send())
        connection.close_connection()
        server.sendall(connection.data_to_send())


main()
