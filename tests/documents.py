"""Documents for tests of the exchange: 001's examples, makers, and what a text brings."""

import io
import json
from typing import Any

import pytest

from gotn.errors import BadDocument
from gotn.work import exchange
from gotn.work.records import GraphDraft

NODE = """{
  "id": "setup_web_server",
  "kind": "micro_prompt",
  "summary": "Configure Express server with CORS and middleware",
  "prompt_text": "Set up Express.js server with CORS, body parsing, and error handling middleware",
  "parent": "web_app_root",
  "children": ["setup_routes", "setup_database"],
  "requires": ["node_runtime"],
  "produces": ["web_server_ready"],
  "exec_target": "server/app.js",
  "embedding_ref": {"collection": "gotn_nodes", "id": "vec_abc123"},
  "tags": ["express", "server", "middleware"],
  "success_criteria": ["Server starts on port 3000", "Health check responds"],
  "guards": ["package.json exists", "node_modules installed"],
  "artifacts": {
    "files": ["server/app.js"],
    "outputs": ["server.log"],
    "dependencies": ["express", "cors"]
  },
  "status": "ready",
  "provenance": {"created_by": "breakdown_engine", "source": "user_prompt"},
  "version": 1,
  "created_at": "2025-01-27T10:30:00Z",
  "updated_at": "2025-01-27T10:30:00Z"
}"""


EDGE = """{
  "src": "setup_web_server",
  "dst": "setup_database",
  "type": "hard_requires",
  "score": null,
  "evidence": "setup_database requires 'web_server_ready' which setup_web_server produces",
  "provenance": {"created_by": "edge_engine", "source": "requires_produces_match"},
  "version": 1,
  "created_at": "2025-01-27T10:31:00Z"
}"""


RUN = """{
  "id": "run-20250127-103000",
  "goal": "Build web application",
  "ordered_node_ids": ["setup_web_server", "setup_database", "create_routes", "add_frontend"],
  "layers": [["setup_web_server"], ["setup_database"], ["create_routes", "add_frontend"]],
  "ordering_reason": "Topological sort on hard dependencies, soft grouping within layers",
  "created_at": "2025-01-27T10:30:00Z",
  "workspace_path": "/path/to/project"
}"""


ENTRY = """{
  "event": "add_node",
  "timestamp": "2025-01-27T10:30:00Z",
  "data": {
    "node": {
      "id": "setup_web_server",
      "kind": "micro_prompt",
      "summary": "Configure Express server"
    }
  }
}"""


def take(text: str | bytes, **options: Any) -> GraphDraft:
    """What a text brings."""
    data = text if isinstance(text, bytes) else text.encode()
    return exchange.read(io.BytesIO(data), name="x.json", **options)


def make_node(id_: str = "a", **more: Any) -> dict[str, Any]:
    """A node document with what adding needs."""
    return {"id": id_, "kind": "task", "summary": "s", "prompt_text": "p", **more}


def make_edge(src: str, dst: str, type_: str = "hard_requires", **more: Any) -> dict[str, Any]:
    """An edge document."""
    return {"src": src, "dst": dst, "type": type_, **more}


def jsonl(*documents: Any) -> str:
    """The documents, one a line."""
    return "".join(json.dumps(document) + "\n" for document in documents)


def printed(draft: GraphDraft) -> dict[str, list[dict[str, Any]]]:
    """What an export of a draft prints, section by section."""
    journal: list[dict[str, Any]] = []
    for entry in draft.journal:
        data = {"items": [], "original": entry}
        journal += exchange.journal_documents(entry["event"], "2026-01-01T00:00:00Z", data)
    text = "".join(exchange.write(draft.nodes, draft.edges, draft.runs, journal))
    found: dict[str, list[dict[str, Any]]] = json.loads(text)
    return found


def exact(value: Any) -> str:
    """JSON text, so that key order and 1 or 1.0 or true tell apart."""
    return json.dumps(value)


def refused(text: str | bytes, **options: Any) -> list[dict[str, Any]]:
    """The violations for which a text is refused."""
    with pytest.raises(BadDocument) as caught:
        take(text, **options)
    found: list[dict[str, Any]] = caught.value.facts["violations"]
    assert "x.json" in caught.value.message
    return found


def entry(event: str, data: Any, second: int = 0) -> dict[str, Any]:
    """A journal entry of 001."""
    return {"event": event, "timestamp": f"2025-01-27T10:30:{second:02d}Z", "data": data}
