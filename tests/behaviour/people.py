"""What tests of the routes for people and programs share."""

import json

from tests.support.https import HttpsClient

NDJSON = {"content-type": "application/x-ndjson"}


def import_lines(client: HttpsClient, *rows: object) -> dict[str, object]:
    text = "\n".join(json.dumps(row) for row in rows)
    return dict(client.send("POST", "/import", content=text, headers=NDJSON).body)


def all_pages(client: HttpsClient, path: str, member: str, **query: object) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    cursor: dict[str, object] = {}
    while True:
        page = client.send("GET", path, params={**query, **cursor})
        rows += page[member]
        if page["next"] is None:
            return rows
        cursor = {"cursor": page["next"]}
